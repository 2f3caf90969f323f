"""A recording: what one engine did with its trials, as a YAML file that anybody can read and compare with.

The differences between engine and adapter stand in the same file, since a person has to name the loss that says each.
Recording anew keeps them.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from scripts.oracles.cases import Trial

FOLDER = Path(__file__).parents[2] / "tests/vectors/vendors"
Verdict = Literal["equal", "stricter", "weaker", "different", "not comparable"]
HEAD = """\
# Recorded from the engine by scripts/verify_vendors. `differences` is written by hand: for each case where the adapter
# does something else, the losses of the row that say so. A case that is not listed there is equal.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What a person has said about one case: in which direction it differs, and by which losses."""

    verdict: Verdict
    codes: tuple[str, ...]
    fields: tuple[str, ...] = ()  # of what a hook reads: the members that are not the same
    because: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """One file."""

    vendor: str
    package: str
    version: str
    date: str
    trials: tuple[Trial, ...]
    seen: Mapping[str, Mapping[str, Any]]  # by the id of the trial
    unstable: tuple[str, ...] = ()  # ids of trials that came out differently on a second run
    differences: Mapping[str, Difference] = field(default_factory=dict)

    def with_unstable(self, more: Iterable[str]) -> "Recording":
        """The same, with these trials marked as unstable too."""
        return replace(self, unstable=tuple(dict.fromkeys([*self.unstable, *more])))


def recordings() -> list[Recording]:
    """Every recording, in alphabetical order."""
    return [read(path) for path in sorted(FOLDER.glob("*.yaml"))]


def read(path: Path) -> Recording:
    """One recording."""
    data = yaml.load(path.read_text("utf-8"), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - both are safe
    engine = data["engine"]
    return Recording(
        vendor=data["vendor"],
        package=engine["package"],
        version=engine["version"],
        date=str(engine["recorded"]),
        trials=tuple(_trial(entry, data["setups"], data["vendor"]) for entry in data["cases"]),
        seen={entry["id"]: entry["seen"] for entry in data["cases"]},
        unstable=tuple(data.get("unstable", ())),
        differences={
            name: Difference(
                verdict=entry["verdict"],
                codes=tuple(entry["codes"]),
                fields=tuple(entry.get("fields", ())),
                because=entry.get("because"),
            )
            for name, entry in (data.get("differences") or {}).items()
        },
    )


def _trial(entry: Mapping[str, Any], setups: Mapping[str, Mapping[str, Any]], vendor: str) -> Trial:
    setup = entry["setup"]
    return Trial(
        vendor=vendor,
        id=entry["id"],
        says=entry["says"],
        moment=entry["moment"],
        event=entry["event"],
        setup=setup,
        files=setups[setup],
        answers=entry.get("answers", {}),
        tools=tuple(entry.get("tools", ())),
        arguments=tuple(entry.get("arguments", ())),
        alone=setup != "default",
        reads=entry.get("reads"),
    )


def write(recording: Recording, path: Path) -> None:
    """Write a recording, in the order of its trials."""
    setups: dict[str, Any] = {}
    for trial in recording.trials:
        setups.setdefault(trial.setup, trial.files)
    data = {
        "vendor": recording.vendor,
        "engine": {"package": recording.package, "version": recording.version, "recorded": recording.date},
        "setups": setups,
        "cases": [_entry(trial, recording.seen[trial.id]) for trial in recording.trials],
        **({"unstable": list(recording.unstable)} if recording.unstable else {}),
        "differences": {
            name: {
                "verdict": difference.verdict,
                "codes": list(difference.codes),
                **({"fields": list(difference.fields)} if difference.fields else {}),
                **({"because": difference.because} if difference.because else {}),
            }
            for name, difference in recording.differences.items()
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(HEAD + yaml.dump(data, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True), "utf-8")


def _entry(trial: Trial, seen: Mapping[str, Any]) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "id": trial.id,
        "says": trial.says,
        "moment": trial.moment,
        "event": trial.event,
        "setup": trial.setup,
    }
    if trial.reads:
        entry["reads"] = trial.reads
    if trial.answers:
        entry["answers"] = trial.answers
    if trial.tools:
        entry["tools"] = list(trial.tools)
    if trial.arguments:
        entry["arguments"] = list(trial.arguments)
    return {**entry, "seen": seen}


class _Dumper(yaml.SafeDumper):
    """Writes everything out: an alias would be shorter and nobody could read it."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ANN401, ARG002 - as the base class has it
        return True
