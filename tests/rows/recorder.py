"""A hook that keeps what it is given and answers what it is told to, and the tour of a host on which it stands."""

import json
import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from dsh_compat_adapter.capability import CapabilityResult
from dsh_compat_adapter.hooks.outcome import Outcome
from dsh_compat_adapter.routes.point import Report
from tests.mounting import adapting
from tests.rows.cases import Case
from tests.rows.tour import Seen, Stage, staged, travel

END = "\x1e"  # behind the stdin of one run; the payload is escaped and never holds it


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a hook leaves behind at its first run; with nothing it is silent."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    effects: frozenset[str] = frozenset()  # what of the answer can be a run-time loss
    fields: frozenset[str] = frozenset()


SILENT = Said()


@dataclass(kw_only=True)
class Performance:
    """A tour with the hooks of one case: what they were given, and what the host did."""

    case: Case
    stage: Stage
    result: CapabilityResult
    runs_of: Sequence[Sequence[bytes]]  # the stdin of each run, hook by hook
    environment: Mapping[str, str]  # of its first run
    marks: str  # the runs of all hooks as they began and ended
    outcomes: Sequence[Outcome]

    @property
    def runs(self) -> Sequence[bytes]:
        """The stdin of each run of the first hook."""
        return self.runs_of[0]

    @property
    def payloads(self) -> list[dict[str, Any]]:
        return [json.loads(run) for run in self.runs]

    @property
    def occurrences(self) -> list[Seen]:
        """The events that the row means, as the host told of them."""
        return [seen for seen in self.stage.seen if means(self.case, seen)]

    @property
    def losses(self) -> set[str]:
        """The run-time losses that were reported."""
        return {code for outcome in self.outcomes for code in outcome.losses}


async def perform(  # noqa: PLR0913 - what can differ between two tours
    case: Case,
    root: Path,
    chapters: tuple[str, ...],
    said: Said = SILENT,
    *others: Said,
    can_ask: bool = True,
    handler: Mapping[str, object] | None = None,
    **declared: object,
) -> Performance:
    """Register a hook that says something (and others behind it), and go through some chapters."""
    work = Path(mkdtemp(dir=root))
    project = work / "project"
    project.mkdir()
    reports: list[Report] = []
    async with staged(project, can_ask=can_ask, catalog=case.catalog) as stage:
        adapter = adapting(
            stage.host, environment={"PATH": os.environ["PATH"]}, report=reports.append, catalog=case.catalog
        )
        async with adapter:
            results = [
                await adapter.register_hook(
                    vendor=case.vendor.name,
                    event=case.spelling,
                    handler={**(handler or {}), **command(case, _recorder(work, number, one))},
                    bridge=case.bridge,
                    **declared,
                )
                for number, one in enumerate((said, *others))
            ]
            await travel(stage, chapters)
        assert not stage.host.observer_errors, stage.host.observer_errors
    return Performance(
        case=case,
        stage=stage,
        result=results[0],
        runs_of=[
            [run.encode() for run in _read(work / str(number) / "stdin").split(END)[:-1]]
            for number in range(len(results))
        ],
        environment=dict(pair.split("=", 1) for pair in _read(work / "0" / "environment").split("\0")[:-1]),
        marks=_read(work / "marks"),
        outcomes=[report.dispatched.outcome for report in reports],
    )


def command(case: Case, text: str) -> Mapping[str, object]:
    """A handler in the words of the vendor's configuration."""
    words = case.vendor.dialect.handlers
    return {next(iter(words.command_keys)): text, "type": next(t for t, kind in words.types.items() if kind == "shell")}


def means(case: Case, seen: Seen) -> bool:
    """Whether the row means this event: its seam, and all that it says about the values."""
    return seen.seam in case.plan.seams and all(
        any(_holds(value_at(seen.values, path), wanted) for wanted in alternatives)
        for path, alternatives in case.plan.when.items()
    )


def value_at(values: Mapping[str, object], path: str) -> object:
    """A value of the host by the path that rows use; `...` where there is none."""
    if path in values:
        return values[path]
    outer, _, name = path.rpartition(".")
    if not outer:
        return ...
    within = value_at(values, outer)
    if isinstance(within, tuple):
        return tuple(one[name] for one in within if isinstance(one, Mapping) and name in one)
    return within.get(name, ...) if isinstance(within, Mapping) else ...


def _holds(value: object, wanted: str | bool | int) -> bool:  # noqa: FBT001 - a literal
    if isinstance(value, tuple):
        return any(_holds(one, wanted) for one in value)
    if isinstance(wanted, str) and wanted[:1] == "~":
        return isinstance(value, str) and bool(re.search(wanted[1:], value))
    if isinstance(wanted, str) and wanted[:1] == "!":
        return value != wanted[1:]
    return type(value) is type(wanted) and value == wanted


def _recorder(work: Path, number: int, said: Said) -> str:
    place = work / str(number)
    place.mkdir()
    (place / "stdout").write_text(said.stdout)
    (place / "stderr").write_text(said.stderr)
    marks = shlex.quote(str(work / "marks"))
    answer = "" if said == SILENT else f"cat stdout; cat stderr >&2; exit {said.exit_code};"
    return (
        f"cd {shlex.quote(str(place))}; printf '<{number}' >> {marks}; {{ cat; printf '\\036'; }} >> stdin; "
        f"printf '{number}>' >> {marks}; [ -e environment ] || {{ env -0 > environment; {answer} }}"
    )


def _read(path: Path) -> str:
    return path.read_text() if path.exists() else ""
