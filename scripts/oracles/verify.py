"""Runs the engines and compares what they do with their recordings, or writes these anew.

Sessions run two at a time: an engine takes a core. Everything is in temporary folders that are gone at the end, the
packages too unless a folder for them is given.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scripts.oracles.cases import Trial
from scripts.oracles.engine import Engine, engines
from scripts.oracles.fetch import fetch
from scripts.oracles.recording import FOLDER, Recording, read, write
from scripts.oracles.run import EngineError
from scripts.oracles.session import observe
from scripts.oracles.trials import trials

SESSIONS = 2
Seen = Mapping[str, Mapping[str, Any]]


def main(argv: Sequence[str] | None = None) -> int:
    """Exit 0 when every engine did what is recorded (or it was written), 1 otherwise."""
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr] # an engine takes minutes, also in a pipe
    arguments = _parser().parse_args(argv)
    known = engines()
    with ExitStack() as stack:
        folder = arguments.packages or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="engines-")))
        results = [_vendor(known[name], folder, arguments) for name in arguments.vendors or known]
    return 0 if all(results) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Run the vendors' own engines on the cases and compare with the recordings."
    )
    parser.add_argument("vendors", nargs="*", metavar="VENDOR", help="all without one")
    parser.add_argument("--record", action="store_true", help="write what was seen instead of comparing it")
    parser.add_argument("--mark-unstable", action="store_true", help="write down which cases came out differently")
    parser.add_argument(
        "--case",
        action="append",
        default=[],
        metavar="ID",
        help="only this case; with --record the others stay as they are",
    )
    parser.add_argument("--packages", type=Path, metavar="FOLDER", help="keep the engines there, and use what is there")
    return parser


def _vendor(engine: Engine, folder: Path, arguments: argparse.Namespace) -> bool:
    began = time.monotonic()
    package = fetch(engine.package, engine.version, engine.integrity, folder)
    known = trials(engine)
    asked = [trial for trial in known if not arguments.case or trial.id in arguments.case]
    print(f"{engine.vendor} {engine.engine_version}: asked about {len(asked)} cases")
    cache = folder / "cache"
    cache.mkdir(exist_ok=True)
    seen, failed = observe_all(engine, package, cache, asked)
    for name, why in failed.items():
        print(f"{engine.vendor} {name}: {why}; it is asked again")
    more, failed = observe_all(engine, package, cache, [one for one in asked if one.id not in seen], sessions=1)
    for name, why in failed.items():
        print(f"{engine.vendor} {name}: {why}")
    seen = {**seen, **more}
    path = FOLDER / f"{engine.vendor}.yaml"
    former = read(path) if path.exists() else None
    if arguments.record:
        differing: list[str] = []
        kept = {**former.seen, **seen} if arguments.case and former else seen
        write(_recording(engine, [trial for trial in known if trial.id in kept], kept, former), path)
    else:
        differing = _differing(seen, former)
        again, _ = observe_all(engine, package, cache, [trial for trial in known if trial.id in differing], sessions=1)
        for name in tuple(differing):
            _tell(engine, name, former, seen[name])
            if name in again and not _differing({name: again[name]}, former):
                print("  asked again, it does what is recorded: a race in the engine")
                differing.remove(name)
        if arguments.mark_unstable and former is not None:
            write(former.with_unstable(differing), path)
    took = time.monotonic() - began
    print(f"{engine.vendor} {engine.engine_version}: {len(seen)} cases, {len(differing)} not as recorded, {took:.0f} s")
    return not (failed or differing)


def observe_all(
    engine: Engine, package: Path, cache: Path, asked: Iterable[Trial], *, sessions: int = SESSIONS
) -> tuple[Seen, dict[str, str]]:
    """What the engine did with each trial, and the sessions that came to nothing with the reason."""
    together: dict[str, list[Trial]] = {}
    for trial in asked:
        together.setdefault(trial.id if trial.alone else trial.setup, []).append(trial)
    seen: dict[str, Mapping[str, Any]] = {}
    failed: dict[str, str] = {}

    def one(session: list[Trial]) -> dict[str, dict[str, Any]] | EngineError:
        try:
            return observe(engine, package, cache, session)
        except EngineError as error:
            return error

    with ThreadPoolExecutor(sessions) as pool:
        for name, result in zip(together, pool.map(one, together.values()), strict=True):
            if isinstance(result, EngineError):
                failed[name] = str(result)
            else:
                seen |= result
    return seen, failed


def _recording(engine: Engine, asked: Sequence[Trial], seen: Seen, former: Recording | None) -> Recording:
    return Recording(
        vendor=engine.vendor,
        package=engine.package,
        version=engine.engine_version,
        date=datetime.now(UTC).date().isoformat(),
        trials=tuple(asked),
        seen=seen,
        unstable=former.unstable if former else (),
        differences=former.differences if former else {},
    )


def _differing(seen: Seen, former: Recording | None) -> list[str]:
    """The cases that came out otherwise than recorded, but for those which are known not to be stable."""
    if former is None:
        return list(seen)
    return [name for name, now in seen.items() if former.seen.get(name) != now and name not in former.unstable]


def _tell(engine: Engine, name: str, former: Recording | None, now: Mapping[str, Any]) -> None:
    recorded = former.seen.get(name, {}) if former else {}
    print(f"{engine.vendor} {name}:")
    for member in sorted(recorded.keys() | now.keys()):
        there, here = recorded.get(member), now.get(member)
        if there != here:
            print(f"  {member}: recorded {there!r}, now {here!r}")
