"""The ids of facts, and the moments that they begin with: microseconds since 1970."""

import os
import time
from datetime import UTC, datetime
from functools import lru_cache


def now_us() -> int:
    """The present moment, in microseconds since 1970."""
    return time.time_ns() // 1000


def timestamp(at_us: int) -> str:
    """A moment in microseconds since 1970, as ISO 8601 in UTC."""
    return f"{_second(at_us // 1_000_000)}.{at_us % 1_000_000:06d}+00:00"


@lru_cache(maxsize=8)  # several facts fall into one second
def _second(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def new_id(at_us: int) -> str:
    """An id that no other process makes, and that sorts by its moment."""
    return f"{at_us:014x}{os.urandom(6).hex()}"


def moment(id_: str) -> int:
    """The moment of an id, in microseconds since 1970."""
    return int(id_[:14], 16)
