"""What takes facts, and what stands before one that fails: a bounded queue, one report, and a count."""

import time
from collections import deque
from collections.abc import Callable
from typing import NamedTuple, Protocol

from .fact import Evidence, Fact, HookStarted, address
from .preview import preview

WAITING = 1000  # facts that wait for a sink which fails
WAITING_TEXT = 16 * 1024 * 1024  # characters of their evidence
RETRY_S = 1.0  # between two attempts at a sink that fails


class Record(NamedTuple):
    """A fact with the evidence that it names for the first time."""

    fact: Fact
    evidence: tuple[Evidence, ...] = ()

    def settled(self) -> "Record":
        """With what follows from what a hook reads: its address and the preview.

        Whoever keeps a record asks for it, so that nobody computes it while a hook waits to be started.
        """
        fact = self.fact
        if not isinstance(fact, HookStarted) or fact.input_ref:
            return self
        (seen,) = self.evidence
        ref = address(seen.text)
        told = fact.preview or preview(seen.text, fact.shown)
        return Record(fact._replace(input_ref=ref, preview=told), (seen._replace(ref=ref),))


class Sink(Protocol):
    """Keeps facts. May raise whatever it likes: nobody but the queue before it notices."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    def write(self, record: Record) -> None:
        """Keep one fact; when this returns, the fact outlives the process if the sink is one that lasts."""
        ...

    def close(self) -> None:
        """Nothing more comes."""
        ...


class Guarded:
    """A sink that never disturbs whoever writes to it. What it does not take waits, and in the end is counted."""

    def __init__(
        self,
        sink: Sink,
        say: Callable[[str], None],
        dropped: Callable[[str, int, str], None],
        *,
        waiting: int = WAITING,
        retry_s: float = RETRY_S,
    ) -> None:
        """`say` is told of a failure once; `dropped` of the facts that were lost, once the sink works again."""
        self._sink = sink
        self._say = say
        self._dropped = dropped
        self._bound = waiting
        self._retry_s = retry_s
        self._queue: deque[Record] = deque()
        self._queued_text = 0
        self._retry_at = 0.0
        self._error = ""
        self.written = 0
        self.failures = 0
        self.lost = 0  # facts that were dropped and not told about yet
        self.dropped = 0  # all that were dropped

    @property
    def name(self) -> str:
        """The sink's."""
        return self._sink.name

    @property
    def waiting(self) -> int:
        """How many facts the sink has not taken yet."""
        return len(self._queue)

    def put(self, record: Record) -> None:
        """Give one fact to the sink, or let it wait. Total."""
        if self._queue:
            self._enqueue(record)
            if time.monotonic() >= self._retry_at:
                self._flush()
            return
        try:
            self._sink.write(record)
            self.written += 1
        except Exception as error:  # noqa: BLE001 - a sink is foreign code, and its failure is told
            self._enqueue(record)
            self._failed(error)

    def close(self) -> None:
        """Try once more to write what waits, close the sink, and say what was lost. Total."""
        self._flush()
        lost = self.lost + len(self._queue)
        try:
            self._sink.close()
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(error)
        if lost:
            self._say(f"{self.name}: {lost} facts were not written: {self._error}")

    def status(self) -> dict[str, object]:
        """How it went, as JSON-ready data."""
        return {
            "sink": self.name,
            "written": self.written,
            "waiting": self.waiting,
            "failures": self.failures,
            "dropped": self.dropped,
            "error": self._error or None,
        }

    def _flush(self) -> None:
        while self._queue:
            try:
                self._sink.write(self._queue[0])
            except Exception as error:  # noqa: BLE001 - as above
                self._failed(error)
                return
            self.written += 1
            self._forget_first()
        if self.lost:
            lost, self.lost = self.lost, 0
            self._dropped(self.name, lost, self._error)

    def _enqueue(self, record: Record) -> None:
        self._queue.append(record)
        self._queued_text += _size(record)
        while len(self._queue) > self._bound or (self._queued_text > WAITING_TEXT and len(self._queue) > 1):
            self._forget_first()
            self.lost += 1
            self.dropped += 1

    def _forget_first(self) -> None:
        self._queued_text -= _size(self._queue.popleft())

    def _failed(self, error: Exception) -> None:
        self.failures += 1
        self._retry_at = time.monotonic() + self._retry_s
        self._error = f"{type(error).__name__}: {error}"
        if self.failures == 1:
            self._say(f"{self.name}: {self._error}; the hooks go on, and up to {self._bound} facts wait for it")


def _size(record: Record) -> int:
    return sum(len(one.text) for one in record.evidence)
