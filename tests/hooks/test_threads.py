"""`hooks.threads`: what blocks has a thread of its own."""

import asyncio
import threading

import pytest

from dsh_compat_adapter.hooks.threads import in_thread
from tests.pool import full_pool


async def test_the_work_is_done_in_another_thread_and_its_result_comes_back() -> None:
    assert await in_thread(threading.get_ident) != threading.get_ident()


async def test_what_the_work_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        await in_thread(lambda: 1 // 0)


async def test_work_is_done_while_the_pool_of_the_loop_is_full() -> None:
    async with full_pool():
        assert await in_thread(lambda: "done") == "done"


async def test_a_cancelled_caller_does_not_wait_for_the_work() -> None:
    leave = threading.Event()
    waiting = asyncio.ensure_future(in_thread(leave.wait))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    leave.set()


def test_work_that_outlives_its_loop_disturbs_nobody() -> None:
    leave, left = threading.Event(), threading.Event()

    def work() -> None:
        leave.wait()
        left.set()

    async def go() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(in_thread(work), 0.01)

    asyncio.run(go())
    leave.set()
    assert left.wait(60)
