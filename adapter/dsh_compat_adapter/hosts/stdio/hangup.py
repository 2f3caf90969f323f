"""Notices that whoever reads a descriptor has left, also when nothing is written to it."""

import asyncio
import select
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def watched(fd: int, gone: Callable[[], None]) -> Iterator[None]:
    """Call back once when the reader of a pipe or socket is gone.

    Readability of the descriptor itself would say too little: a socket is readable when it has data, and a client may
    use one socket for both directions. Where there is no epoll, the next reply that is written finds out.
    """
    if not hasattr(select, "epoll"):
        yield
        return
    loop = asyncio.get_running_loop()
    with select.epoll() as hangups:
        try:
            hangups.register(fd, 0)  # no event is asked for; hang-up and error always count
        except OSError:  # a regular file has no reader that could leave
            yield
            return

        def once() -> None:
            loop.remove_reader(hangups.fileno())
            gone()

        loop.add_reader(hangups.fileno(), once)
        try:
            yield
        finally:
            loop.remove_reader(hangups.fileno())
