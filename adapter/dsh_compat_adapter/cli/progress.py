"""How far a long scan is, for somebody who watches: only a terminal gets it."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

QUIET_S = 1.0  # a scan that is faster says nothing
PAUSE_S = 0.1
CLEAR = "\r\x1b[K"


@contextmanager
def progress(
    what: str, screen: TextIO | None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[int, int], None]]:
    """A function that is told how many are done, of how many; its line is taken away at the end."""
    if screen is None or not screen.isatty() or os.environ.get("TERM") == "dumb":
        yield lambda _done, _every: None
        return
    next_at = clock() + QUIET_S
    shown = False

    def told(done: int, every: int) -> None:
        nonlocal next_at, shown
        now = clock()
        if now < next_at:
            return
        next_at, shown = now + PAUSE_S, True
        print(f"{CLEAR}{done} of {every} {what}", end="", file=screen, flush=True)

    try:
        yield told
    finally:
        if shown:
            print(CLEAR, end="", file=screen, flush=True)
