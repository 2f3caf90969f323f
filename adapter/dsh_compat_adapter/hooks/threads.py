"""Runs what blocks in a thread of its own.

The pool of the event loop belongs to the caller: where blocked work fills it, a hook out of time would never be killed
there. Nothing here waits for a free worker.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """The result of the work, or what it raises; RuntimeError when no thread can be started.

    A cancelled caller does not wait for it. The thread is a daemon: the end of this program does not wait either.
    """
    return await started(work)


def started(work: Callable[[], T]) -> asyncio.Future[T]:
    """Start the work; its result comes as a future of the running loop."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(ended: Callable[[], None]) -> None:
        if not future.done():  # it is, when the caller was cancelled
            ended()

    def run() -> None:
        try:
            ended = partial(future.set_result, work())
        except Exception as error:  # noqa: BLE001 - it is the caller's
            ended = partial(future.set_exception, error)
        with suppress(RuntimeError):  # the loop is gone, and with it whoever waited
            loop.call_soon_threadsafe(settle, ended)

    threading.Thread(target=run, daemon=True).start()
    return future
