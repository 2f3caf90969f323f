"""Runs hooks and rules of other agents in DeepSeek Harness or any host, and lists every loss.

The public names are below; everything else is internal. They are imported when first used, because the command line
prints a matrix in less time than importing asyncio takes.
"""

from importlib import import_module

TYPE_CHECKING = False  # type checkers take the name for true; importing typing takes as long as the matrix
if TYPE_CHECKING:
    from .capability import CapabilityResult, CarriedFile, Loss
    from .errors import CompatError, ErrorCode, Where
    from .events import Canonical, Capability, Effect, Route
    from .hosts.embedded.host import EmbeddedHost
    from .service import CompatAdapter, Status

_HOMES = {
    "Canonical": ".events",
    "Capability": ".events",
    "CapabilityResult": ".capability",
    "CarriedFile": ".capability",
    "CompatAdapter": ".service",
    "CompatError": ".errors",
    "Effect": ".events",
    "EmbeddedHost": ".hosts.embedded.host",
    "ErrorCode": ".errors",
    "Loss": ".capability",
    "Route": ".events",
    "Status": ".service",
    "Where": ".errors",
}

__all__ = [
    "Canonical",
    "Capability",
    "CapabilityResult",
    "CarriedFile",
    "CompatAdapter",
    "CompatError",
    "Effect",
    "EmbeddedHost",
    "ErrorCode",
    "Loss",
    "Route",
    "Status",
    "Where",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return [*__all__, *globals()]
