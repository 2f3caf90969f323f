"""Runs one command on Windows, behind the interface of `process`: threads read the pipes, `taskkill` ends the tree."""

import asyncio
import subprocess
import time
from collections.abc import Callable

from .process import OUTPUT_LIMIT, Command, Finished


def taskkill(pid: int) -> None:
    """End a process with everything that it started."""
    subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, check=False)  # noqa: S607


class ThreadedShell:
    """Runs commands as children of this process, with a thread for each."""

    def __init__(self, kill: Callable[[int], None] = taskkill) -> None:
        self._kill = kill

    async def run(self, command: Command) -> Finished:
        """See `Shell.run`."""
        started = time.perf_counter()
        try:
            process = subprocess.Popen(  # noqa: ASYNC220 - starting is quick, and its pipes are read in a thread
                command.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=command.cwd,
                env=dict(command.env),
            )
        except (OSError, ValueError) as error:
            return Finished(spawn_error=str(error), duration_s=time.perf_counter() - started)
        talking = asyncio.ensure_future(asyncio.to_thread(process.communicate, command.stdin))
        try:
            done, _ = await asyncio.wait({talking}, timeout=command.timeout_s)
        except asyncio.CancelledError:
            await self._end(process, talking)
            raise
        if not done:
            await self._end(process, talking)
        stdout, stderr = talking.result()
        return Finished(
            exit_code=process.returncode if done else None,
            stdout=stdout[:OUTPUT_LIMIT],
            stderr=stderr[:OUTPUT_LIMIT],
            truncated=len(stdout) > OUTPUT_LIMIT,
            timed_out=not done,
            duration_s=time.perf_counter() - started,
        )

    async def _end(self, process: subprocess.Popen[bytes], talking: "asyncio.Future[tuple[bytes, bytes]]") -> None:
        """Kill the tree and wait until its pipes are closed, also when a second cancellation comes."""
        self._kill(process.pid)
        while not talking.done():
            try:
                await asyncio.shield(talking)
            except asyncio.CancelledError:
                continue
