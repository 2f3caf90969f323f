"""What one agent does, so that its end reaches all of it, and nothing in it waits for itself."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import TypeVar

from ...errors import CompatError, ErrorCode
from ...hooks.closing import is_cancelled, to_the_end
from ...hooks.inside import Works

T = TypeVar("T")


class Work:
    """The turns, compactions and calls of one agent, and its end."""

    def __init__(self) -> None:
        self._works = Works()
        self._lock = asyncio.Lock()  # one turn or compaction at a time
        self._running: set[asyncio.Task[object]] = set()
        self._end: asyncio.Task[None] | None = None

    @property
    def is_inside(self) -> bool:
        """Whether the code that asks is a part of the work, as a tool or a listener is."""
        return self._works.is_inside

    @property
    def is_over(self) -> bool:
        """Whether the end has begun."""
        return self._end is not None

    def check_open(self) -> None:
        """Raise DISPOSED when the end has begun."""
        if self.is_over:
            raise CompatError(ErrorCode.DISPOSED, "this agent was disposed; start a new one")

    @asynccontextmanager
    async def doing(self) -> AsyncGenerator[None, None]:
        """Something that the agent does. An end that begins within is complete before the caller goes on."""
        self.check_open()
        try:
            with self._works.lasting():
                yield
        finally:
            if self._end is not None and not self.is_inside:
                await to_the_end(self._end)

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None, None]:
        """A turn or compaction, when the former one is over; raises INVALID_INPUT within that one."""
        if self.is_inside and self._lock.locked():
            message = "a turn cannot wait for its own end; use queue, steer or inject, or do it when the turn is over"
            raise CompatError(ErrorCode.INVALID_INPUT, message)
        async with self.doing(), self._lock:
            self.check_open()
            yield

    async def run(self, work: Coroutine[None, None, T]) -> T:
        """Do it in a task that the end cancels; raises DISPOSED then."""
        task = asyncio.ensure_future(work)
        self._running.add(task)
        try:
            return await task
        except asyncio.CancelledError:
            if not is_cancelled():
                self.check_open()
            raise
        finally:
            self._running.discard(task)

    async def end(self, last: Callable[[], Coroutine[None, None, None]]) -> None:
        """End what runs, then do the last thing. Called again it waits for the first end; inside it waits for none."""
        if self._end is None:
            self._end = asyncio.ensure_future(self._ending(last))
        if not self.is_inside:
            await to_the_end(self._end)

    async def _ending(self, last: Callable[[], Coroutine[None, None, None]]) -> None:
        with self._works.lasting():
            for task in self._running:
                task.cancel()
            if self._running:
                await asyncio.wait(self._running)
            await last()
