"""Deep-frozen JSON values: what a policy has seen is what is executed."""

import json
from collections.abc import Mapping
from types import MappingProxyType


def freeze(value: object) -> object:
    """The same JSON value, immutable: objects as read-only mappings, arrays as tuples."""
    if isinstance(value, Mapping):
        return MappingProxyType({key: freeze(member) for key, member in value.items()})
    if isinstance(value, list | tuple):
        return tuple(freeze(member) for member in value)
    return value


def snapshot(value: object) -> object:
    """A frozen copy that shares nothing with the caller; raises ValueError for what is no JSON."""
    try:
        return freeze(json.loads(json.dumps(value, allow_nan=False, default=_thaw)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"not a JSON value: {error}") from None


def _thaw(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON type")
