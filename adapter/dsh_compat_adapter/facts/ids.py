"""The ids of facts, and the moments that they begin with: microseconds since 1970."""

import os
import time
from datetime import UTC, datetime
from functools import lru_cache
from itertools import count


def now_us() -> int:
    """The present moment, in microseconds since 1970."""
    return time.time_ns() // 1000


def timestamp(at_us: int) -> str:
    """A moment in microseconds since 1970, as ISO 8601 in UTC."""
    return f"{_second(at_us // 1_000_000)}.{at_us % 1_000_000:06d}+00:00"


@lru_cache(maxsize=8)  # several facts fall into one second
def _second(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")


class _Numbers:
    """What tells the ids of one moment apart: random for each process, then counted."""

    def __init__(self) -> None:
        self.renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.next = count(int.from_bytes(os.urandom(5))).__next__


_numbers = _Numbers()


def new_id(at_us: int) -> str:
    """An id that no other process makes, and that sorts by its moment."""
    return f"{at_us:014x}{_numbers.next():012x}"


def moment(id_: str) -> int:
    """The moment of an id, in microseconds since 1970."""
    return int(id_[:14], 16)
