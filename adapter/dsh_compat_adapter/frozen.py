"""Deep-frozen JSON values: what a policy has seen is what is executed."""

import json
from collections.abc import Mapping
from types import MappingProxyType

LEVELS = 200  # of values within values; Python itself breaks off at some hundreds, depending on who calls


def freeze(value: object, levels: int = LEVELS) -> object:
    """The same JSON value, immutable: objects as read-only mappings, arrays as tuples.

    Raises ValueError for one that is nested deeper than `levels`.
    """
    if levels < 0:
        raise ValueError(f"nested more than {LEVELS} deep")
    if isinstance(value, Mapping):
        return MappingProxyType({key: freeze(member, levels - 1) for key, member in value.items()})
    if isinstance(value, list | tuple):
        return tuple(freeze(member, levels - 1) for member in value)
    return value


def snapshot(value: object) -> object:
    """A frozen copy that shares nothing with the caller; raises ValueError for what is no JSON."""
    try:
        return freeze(json.loads(json.dumps(value, allow_nan=False, default=_thaw)))
    except Exception as error:  # noqa: BLE001 - a mapping of the caller can raise anything
        raise ValueError(f"not a JSON value: {error}") from None


def _thaw(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON type")
