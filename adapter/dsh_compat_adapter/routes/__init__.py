"""The routes by which events reach a host's seams: one module a way, listed in one table."""

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import NamedTuple

from ..events import Route
from ..hooks.hook import Hook
from . import native, official_bridge
from .point import Mounting, Unmount


class Way(NamedTuple):
    """How hooks of a route are grouped, and how a whole group is mounted (mounting again replaces, never adds)."""

    group: Callable[[Hook], Hashable]
    mount: Callable[[Sequence[Hook], Mounting], Awaitable[Unmount]]


ROUTES = {
    Route.OFFICIAL_BRIDGE: Way(official_bridge.group, official_bridge.mount),
    Route.NATIVE_TRANSLATE: Way(native.group, native.mount),
    Route.NATIVE_SEAM: Way(native.group, native.mount),
    Route.BUILTIN_BRIDGE: Way(native.group, native.mount),
}
