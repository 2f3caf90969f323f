"""Compares what an engine did with what the adapter does, member by member, and says in which direction it differs."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from scripts.oracles.cases import Trial
from scripts.oracles.recording import Verdict

# the value that holds an agent back more
STRICTER = {"ran": False, "rewritten": False, "sent": False, "goes_on": False, "continued": True, "loads": True}
DECIDES = ("ran", "sent", "continued", "rewritten")
READ = ("payload", "callback", "newline", "environment", "cwd")


class Deviation(NamedTuple):
    """One member that is not the same. `field` names it for people: `payload.effort`, `told`."""

    field: str
    engine: object
    adapter: object
    direction: Verdict

    @property
    def member(self) -> str:
        """The member of what a hook reads that it is about: `effort`, `CLAUDE_PID`, `info.title` of a callback."""
        if self.field.startswith("callback."):
            return self.field.removeprefix("callback.")
        return self.field.split(".")[1] if "." in self.field else self.field


def deviations(trial: Trial, engine: Mapping[str, Any], adapter: Mapping[str, Any]) -> list[Deviation]:
    """Every member that differs; none when the trial came out equal."""
    if trial.reads:
        return [*_reading(engine, adapter)]
    return [*_effects(trial, engine, adapter)]


def verdict(found: list[Deviation]) -> Verdict:
    """One word for several deviations: mixed ones are different."""
    directions = {deviation.direction for deviation in found}
    if not directions:
        return "equal"
    return directions.pop() if len(directions) == 1 else "different"


def _effects(trial: Trial, engine: Mapping[str, Any], adapter: Mapping[str, Any]) -> Iterator[Deviation]:
    decided = [name for name in DECIDES if bool(engine.get(name)) is not bool(adapter.get(name))]
    for name in sorted(engine.keys() | adapter.keys()):
        if decided and name not in (decided[0], "goes_on"):
            continue  # what the model reads, and what runs again, follows from it
        there, here = engine.get(name), adapter.get(name)
        if name == "runs":
            there, here = _asked(trial, there or {}), _asked(trial, here or {})
        if there == here or (name in STRICTER and bool(there) is bool(here)):
            continue
        yield Deviation(name, there, here, _direction(name, there, here))


def _asked(trial: Trial, runs: Mapping[str, int]) -> dict[str, int]:
    """The runs of hooks that answer; whether one without an answer ran as well changes nothing."""
    answering = {tag.rpartition(".")[2] for tag in trial.answers}
    return {slot: count for slot, count in runs.items() if slot in answering or not answering}


def _direction(name: str, there: object, here: object) -> Verdict:
    if name in STRICTER:
        return "stricter" if bool(here) is STRICTER[name] else "weaker"
    if name == "runs" and there and not here:
        return "weaker"
    if isinstance(there, list) and isinstance(here, list):
        if set(here) < set(there):
            return "weaker"
        return "stricter" if name == "fired" and set(here) > set(there) else "different"
    return "different"


def _reading(engine: Mapping[str, Any], adapter: Mapping[str, Any]) -> Iterator[Deviation]:
    for name in READ:
        there, here = engine.get(name), adapter.get(name)
        if isinstance(there, dict) and isinstance(here, dict):
            yield from _members(name, there, here)
        elif name == "environment":
            lost = sorted(set(there or ()) - set(here or ()))
            yield from (Deviation(f"environment.{variable}", variable, None, "weaker") for variable in lost)
            more = sorted(set(here or ()) - set(there or ()))
            yield from (Deviation(f"environment.{variable}", None, variable, "different") for variable in more)
        elif there != here:
            yield Deviation(name, there, here, "different")


def _members(place: str, there: Mapping[str, Any], here: Mapping[str, Any]) -> Iterator[Deviation]:
    for name in sorted(there.keys() | here.keys()):
        field = f"{place}.{name}"
        if name not in here:
            yield Deviation(field, there[name], None, "weaker")
        elif name not in there:
            yield Deviation(field, None, here[name], "different")
        elif isinstance(there[name], dict) and isinstance(here[name], dict):
            yield from _members(field, there[name], here[name])
        elif there[name] != here[name]:
            yield Deviation(field, there[name], here[name], "different")
