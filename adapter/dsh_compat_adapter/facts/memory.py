"""The newest facts in memory, for `status()`. Bounded, and without evidence."""

from collections import deque

from .fact import Fact
from .sink import Record

KEPT = 1000


class MemorySink:
    """Keeps the newest facts."""

    name = "memory"

    def __init__(self, kept: int = KEPT) -> None:
        self._facts: deque[Fact] = deque(maxlen=kept)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The newest, the oldest of them first."""
        return tuple(self._facts)

    def write(self, record: Record) -> None:
        """See `Sink.write`."""
        self._facts.append(record.settled().fact)

    def close(self) -> None:
        """Nothing to close; the facts stay readable."""
