"""Checks many repositories, each in one of a bounded number of worker processes.

A repository that cannot be checked, or whose worker dies over it, is one line with an error. Lines come in the order of
the repositories; at most a few of them wait for an earlier one, so memory does not grow with the number.
"""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from .capability import Warned
from .hooks.closing import to_the_end

NO_ANSWER, DEFECT = "NO_ANSWER", "DEFECT"  # beside the codes of `errors`
AHEAD = 4  # finished lines a worker that may wait for an earlier one
GRACE_S = 5.0  # for a worker that has closed its end to be gone
TIME_LIMIT_S = 600.0  # for one repository, most of which take less than a second
# the worker finds the package where this process has it, and `-P` keeps the folder of the caller, which may be a
# scanned one, off its path
PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]); from dsh_compat_adapter.fleet_worker import main; main(sys.argv[2])"
)
PLACE = str(Path(__file__).parent.parent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What came of one repository."""

    root: str
    text: str  # one JSON object of the schema `check_line`
    counts: Mapping[str, int]  # none for a repository that was not checked
    error: Warned | None = None  # why it was not


async def check_all(roots: Sequence[str], surface: str, jobs: int, take: Callable[[Line], None]) -> None:
    """Check the repositories and hand each line to `take`, in their order.

    When it is cancelled, or `take` raises, the workers are dead before it ends.
    """
    numbered = enumerate(roots)
    waiting: dict[int, Line] = {}
    room = asyncio.Semaphore(jobs * AHEAD)
    due = 0

    async def work() -> None:
        nonlocal due
        async with Worker(surface) as worker:
            # a number and the room for it are asked for in one go, so the earliest of them always gets room
            for number, root in numbered:
                await room.acquire()
                waiting[number] = await worker.check(root)
                while due in waiting:
                    take(waiting.pop(due))
                    due += 1
                    room.release()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(jobs, len(roots))):
                group.create_task(work())
    except ExceptionGroup as several:  # only `take` raises, and whoever gave it expects its error
        raise several.exceptions[0] from None


class Worker:
    """A worker process; when it has died over a repository, another one for the next."""

    def __init__(self, surface: str, *, time_limit_s: float = TIME_LIMIT_S) -> None:
        self._surface = surface
        self._time_limit_s = time_limit_s
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await to_the_end(self._close())

    async def check(self, root: str) -> Line:
        """Check one repository. Total."""
        try:
            async with asyncio.timeout(self._time_limit_s):
                if self._process is None:
                    self._process = await _start(self._surface)
                return await _ask(self._process, root)
        except TimeoutError:
            why = f"not done after {self._time_limit_s:g} s, so its worker was ended"
            await self._end()
        except (OSError, asyncio.IncompleteReadError) as error:
            why = f"its worker ended without an answer{await self._ended_by(error)}"
        return not_checked(root, NO_ANSWER, why)

    async def _ended_by(self, error: Exception) -> str:
        """How it ended, in brackets. It is given time to, since killing what is dead already would lose its code."""
        if self._process is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE_S):
                    await self._process.wait()
        code = await self._end()
        if code is None:
            return f" ({error})"
        return f" (signal {-code})" if code < 0 else f" (exit code {code})"

    async def _close(self) -> None:
        await self._end()

    async def _end(self) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
        await process.communicate()  # an answer that was read in part would keep `wait` waiting
        return await process.wait()


def not_checked(root: str, code: str, text: str) -> Line:
    """The line of a repository that was not checked."""
    line = json.dumps({"root": root, "error": {"code": code, "text": text}})
    return Line(root=root, text=line, counts={}, error=Warned(code=code, text=text))


async def _start(surface: str) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-c",
        PROGRAM,
        PLACE,
        surface,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL if sys.stderr is None else None,
        start_new_session=True,  # an interrupt from the terminal is for this process, which ends its workers
    )


async def _ask(process: asyncio.subprocess.Process, root: str) -> Line:
    """One question, one answer: a line with the size and the counts, then the text."""
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise OSError("the worker has no pipes")
    stdin.write(json.dumps(root).encode() + b"\n")
    await stdin.drain()
    head = json.loads(await stdout.readuntil())
    text = (await stdout.readexactly(head["size"])).decode()
    error = Warned(**head["error"]) if head["error"] else None
    return Line(root=root, text=text, counts=head["counts"], error=error)
