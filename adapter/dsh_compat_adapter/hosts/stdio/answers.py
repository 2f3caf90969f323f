"""What becomes of a request: a reply at once, or a coroutine that ends in one, whatever goes wrong on the way."""

import asyncio
import traceback
from collections.abc import Callable, Coroutine
from typing import Any

from ...errors import CompatError
from .wire import Reply, error, refused

Running = Coroutine[Any, Any, Reply]  # Any: what a coroutine yields is the event loop's affair
Answer = Callable[[], Reply | Running]


def said(answer: Answer) -> Reply | Running:
    """The answer, or the reply that says why there is none. Total."""
    try:
        return answer()
    except Exception as problem:  # noqa: BLE001 - a request that fails must not take the others with it
        return _failed(problem)


async def settled(running: Running) -> Reply:
    """The reply of a coroutine, or of its failure; raises nothing but its cancellation."""
    try:
        return await running
    except Exception as problem:  # noqa: BLE001 - as above
        return _failed(problem)


def _failed(problem: Exception) -> Reply:
    if isinstance(problem, CompatError):
        return refused(problem)
    traceback.print_exception(problem)
    return error(f"a defect of dsh-compat, about which its stderr says more: {type(problem).__name__}")


def result(task: asyncio.Task[Reply], running: Running) -> Reply:
    """The reply of a task that is done."""
    if not task.cancelled():
        return task.result()
    running.close()  # it may have been cancelled before it began
    return error("cancelled")


async def cancelled(task: asyncio.Task[Reply]) -> Reply:
    """The reply to a cancellation, once the task is dead."""
    await asyncio.wait({task})
    return {"ok": True, "cancelled": True}
