"""A pool of threads in which there is no room."""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager


@asynccontextmanager
async def full_pool() -> AsyncIterator[None]:
    """The only thread in the pool of the loop is taken until the end of the block, however that comes.

    A thread that nobody releases would keep a test that fails from ever ending.
    """
    leave = threading.Event()
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    blocked = asyncio.ensure_future(asyncio.to_thread(leave.wait))
    try:
        yield
    finally:
        leave.set()
        await blocked
