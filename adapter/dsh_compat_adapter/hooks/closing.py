"""A shell that can be closed, so that an adapter which is taken off a host leaves no process behind."""

import asyncio
import signal
import time
from collections.abc import Awaitable

from .process import Command, Finished, Shell


class ClosingShell:
    """Runs commands on a host's shell until it is closed.

    A command that runs by then is killed, and its hook has failed, which the failure policy decides about; a later
    one is not started.
    """

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._running: set[asyncio.Task[Finished]] = set()
        self._killed: set[asyncio.Task[Finished]] = set()
        self._closed = False

    async def run(self, command: Command) -> Finished:
        """See `Shell.run`."""
        if self._closed:
            return Finished(spawn_error="the adapter was disposed")
        started = time.perf_counter()
        running = asyncio.ensure_future(self._shell.run(command))
        self._running.add(running)
        try:
            return await running
        except asyncio.CancelledError:
            caller = asyncio.current_task()
            if running not in self._killed or (caller is not None and caller.cancelling()):
                raise
            return Finished(signal=signal.SIGTERM, duration_s=time.perf_counter() - started)
        finally:
            self._running.discard(running)

    async def aclose(self) -> None:
        """Kill what runs and return when it is dead. May be called twice."""
        self._closed = True
        self._killed |= self._running
        for running in self._running:
            running.cancel()
        if self._running:
            await asyncio.wait(self._running)


def is_cancelled() -> bool:
    """Whether somebody cancelled the task that asks; a CancelledError may also come from foreign code by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


async def to_the_end(work: Awaitable[None]) -> None:
    """Await work to its end, also when the caller is cancelled meanwhile; the cancellation is raised afterwards."""
    running = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError as error:
            cancelled = error
    running.result()
    if cancelled is not None:
        raise cancelled
