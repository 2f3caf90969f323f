"""Tells code that is a part of some work from code outside of it, so that nothing waits for what waits for it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_ENTERED: ContextVar[frozenset[object]] = ContextVar("entered", default=frozenset())


class Works:
    """The works of one owner that last now. A task that is started in one is a part of it."""

    def __init__(self) -> None:
        self._lasting: set[object] = set()

    @property
    def is_inside(self) -> bool:
        """Whether the code that asks is a part of one of them: it may end it, and must not wait for it."""
        return not self._lasting.isdisjoint(_ENTERED.get())

    @contextmanager
    def lasting(self) -> Iterator[None]:
        """One more work, as long as the block."""
        work = object()
        self._lasting.add(work)
        outside = _ENTERED.set(_ENTERED.get() | {work})
        try:
            yield
        finally:
            _ENTERED.reset(outside)
            self._lasting.discard(work)
