"""What a host has to offer so that routes can mount on it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from ..catalog.surface import Surface
from ..hooks.process import Shell
from ..hooks.values import Values
from .decisions import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class HostEvent:
    """One event at one seam, its values by path (the fields of the host's surface)."""

    seam: str
    values: Values


Listener = Callable[[HostEvent], Awaitable[Decision]]
Dispose = Callable[[], None]


class Host(Protocol):
    """An agent host with seams. What the host lacks is None or False, never a stand-in that does nothing."""

    @property
    def surface(self) -> Surface:
        """What this host and version offer."""
        ...

    @property
    def shell(self) -> Shell | None:
        """Where command hooks run; without one there are none."""
        ...

    @property
    def project_dir(self) -> str:
        """The absolute path of the project that hooks are run from."""
        ...

    @property
    def can_ask(self) -> bool:
        """Whether somebody answers an ask."""
        ...

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        """Call the listener for every event of the seam until disposed."""
        ...
