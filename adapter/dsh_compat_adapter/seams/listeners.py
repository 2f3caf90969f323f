"""Who listens at which seam of a host; every host keeps its listeners in the same way."""

from ..catalog.surface import Surface
from ..errors import CompatError, ErrorCode, nearest
from .host import Dispose, Listener


class Listeners:
    """The listeners of one host, in the order of their subscription."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._by_seam: dict[str, dict[object, Listener]] = {}

    @property
    def seams(self) -> tuple[str, ...]:
        """The seams that somebody listens at."""
        return tuple(seam for seam, listeners in self._by_seam.items() if listeners)

    def at(self, seam: str) -> tuple[Listener, ...]:
        """Who listens at a seam now; raises UNKNOWN_NAME for one that the host does not have."""
        self._check(seam)
        return tuple(self._by_seam.get(seam, {}).values())

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        """See `Host.subscribe`."""
        self._check(seam)
        listeners = self._by_seam.setdefault(seam, {})
        token = object()  # the same listener may be subscribed twice
        listeners[token] = listener

        def dispose() -> None:
            listeners.pop(token, None)

        return dispose

    def _check(self, seam: str) -> None:
        if seam not in self._surface.seams:
            hint = nearest(seam, self._surface.seams)
            raise CompatError(ErrorCode.UNKNOWN_NAME, f"{self._surface.title} has no seam {seam!r:.80}.{hint}")
