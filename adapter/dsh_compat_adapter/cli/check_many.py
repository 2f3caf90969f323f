"""`dsh-compat check --from-file FILE`: many repositories, one line each, in the order of the file."""

import argparse
import asyncio
import codecs
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path

from ..errors import CompatError, ErrorCode
from ..fleet import DEFECT, Line, check_all
from ..hosts.stdio.hangup import watched
from ..printable import printable
from .progress import progress
from .project import SURFACE
from .text import coloured, say

STDOUT = 1
FINE, FINDINGS, NOT_CHECKED, BROKEN = "fine", "with findings", "not checked", "not checked by a defect of this program"
CODES = {FINE: 0, FINDINGS: 1, NOT_CHECKED: 1, BROKEN: 3}
COUNTED = {"error": ("errors",), "warning": ("errors", "warnings"), "never": ()}  # by `--fail-on`


def run(arguments: argparse.Namespace) -> int:
    """Print the lines; the exit code is the highest that a repository alone would have."""
    _check_options(arguments)
    roots = read_roots(Path(arguments.from_file))
    show: Callable[[Line], None] = _show if arguments.format == "text" else lambda line: say(line.text)
    seen: Counter[str] = Counter()
    # where stdout is the terminal, its lines say how far it is
    screen = None if sys.stdout is None or sys.stdout.isatty() else sys.stderr
    with progress("repositories", screen) as told:

        def take(line: Line) -> None:
            seen[_outcome(line, arguments.fail_on)] += 1
            told(seen.total(), len(roots))
            show(line)
            if sys.stdout is not None:
                sys.stdout.flush()

        asyncio.run(_checked(roots, arguments.jobs or os.cpu_count() or 1, take))
    if arguments.format == "text":
        outcomes = ", ".join(f"{seen[outcome]} {outcome}" for outcome in CODES if seen[outcome])
        say(f"{len(roots)} repositories: {outcomes or 'none'}")
    return max((CODES[outcome] for outcome in seen), default=0)


def read_roots(path: Path) -> tuple[str, ...]:
    """The folders that a file names, one a line; empty lines and those that begin with `#` are left out."""
    try:
        lines = path.read_bytes().removeprefix(codecs.BOM_UTF8).split(b"\n")
    except (OSError, ValueError) as error:
        raise CompatError(ErrorCode.INVALID_INPUT, f"--from-file {str(path)!r} cannot be read: {error}") from None
    named = [os.fsdecode(line.removesuffix(b"\r")) for line in lines if not line.startswith(b"#")]
    return tuple(root for root in named if root.strip())


def _check_options(arguments: argparse.Namespace) -> None:
    if arguments.format not in ("text", "jsonl"):
        message = f"--from-file prints text or jsonl, not {arguments.format}; check one PATH for that format"
        raise CompatError(ErrorCode.INVALID_INPUT, message)
    for option in ("home", "machine", "verbose"):
        if getattr(arguments, option):
            raise CompatError(ErrorCode.INVALID_INPUT, f"--{option} is about one PATH, not about those of --from-file")


async def _checked(roots: Sequence[str], jobs: int, take: Callable[[Line], None]) -> None:
    """Ends on a signal, and when nobody reads stdout any more, also while there is nothing to write."""
    ending: list[type[BaseException]] = []
    writing = False
    loop = asyncio.get_running_loop()

    def end(by: type[BaseException]) -> None:
        ending.append(by)
        checking.cancel()

    def interrupt(*_: object) -> None:
        if writing:  # the loop would hear of it only when the reader of the output has read
            raise _InterruptedWriteError
        loop.call_soon_threadsafe(end, KeyboardInterrupt)

    def write(line: Line) -> None:
        nonlocal writing
        writing = True
        try:
            take(line)
        finally:
            writing = False

    checking = asyncio.ensure_future(check_all(roots, SURFACE, jobs, write))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    # the number of a stdout that is closed may be somebody else's by now
    with nullcontext() if sys.stdout is None else watched(STDOUT, lambda: end(BrokenPipeError)):
        try:
            await checking
        except asyncio.CancelledError:
            raise ending[0] from None
        except _InterruptedWriteError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), STDOUT)  # what is left would be waited for at the exit
            raise KeyboardInterrupt from None


class _InterruptedWriteError(Exception):
    """A signal came while a line was written."""


def _outcome(line: Line, fail_on: str) -> str:
    if line.error is not None:
        return BROKEN if line.error.code == DEFECT else NOT_CHECKED
    return FINDINGS if any(line.counts[name] for name in COUNTED[fail_on]) else FINE


def _show(line: Line) -> None:
    if line.error is not None:
        what = coloured(f"not checked: {printable(line.error.text)} [{line.error.code}]", "red")
    else:
        counts = line.counts
        graded = (
            f"{counts['adapted']} hooks adapted, {counts['carried']} rules carried, {counts['unsupported']} unsupported"
        )
        colour = "red" if counts["errors"] else "yellow" if counts["warnings"] else "green"
        what = coloured(f"{counts['errors']} errors, {counts['warnings']} warnings", colour) + f"; {graded}"
    say(f"{printable(line.root)}: {what}")
