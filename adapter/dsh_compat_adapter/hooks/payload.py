"""What a hook reads on stdin: the payload of its dialect, and the bytes of it."""

import json
import math
from collections.abc import Mapping, Sequence

from ..catalog.model import Payload, PayloadField, Plan, Row, Vendor
from ..errors import CompatError, ErrorCode
from .values import MISSING, Values, lookup, view

Fields = Sequence[tuple[Sequence[str], PayloadField]]  # the nested names of a member, and what fills it

LARGEST_BITS = 14_000  # Python itself refuses to write a number of more than 4,300 digits


def build(values: Values, vendor: Vendor, row: Row, plan: Plan, spelling: str) -> dict[str, object]:
    """The payload of one event as `spelling` of the event asks for it. Fields that the host lacks are left out.

    Raises INVALID_INPUT when a value that travels as a JSON string is nested too deep for that.
    """
    return fill(values, vendor, fields(vendor, row, plan, spelling), spelling)


def fields(vendor: Vendor, row: Row, plan: Plan, spelling: str) -> Fields:
    """What stands in the payload of one event, in order; worked out once a hook."""
    other = row.spellings.get(spelling)
    common = vendor.dialect.common[other.common if other else "default"]
    named: Payload = {
        **{name: field for name, field in common.items() if name not in row.omit},
        **(other.payload if other else plan.payload),
    }
    return tuple((name.split("."), field) for name, field in named.items())


def fill(values: Values, vendor: Vendor, wanted: Fields, spelling: str) -> dict[str, object]:
    """The payload with these fields; see `build`."""
    seen = {**view(values, vendor), "event.name": spelling}
    payload: dict[str, object] = {}
    for names, field in wanted:
        value = _value(seen, field)
        if value is MISSING:
            continue
        if len(names) == 1:
            payload[names[0]] = value
        else:
            _put(payload, names, value)
    return payload


def encode(payload: Mapping[str, object], *, newline: bool) -> bytes:
    """One JSON text, escaped to ASCII: a hook that decodes with its locale, or a lone surrogate, breaks nothing.

    Raises INVALID_INPUT when the payload is nested too deep for JSON.
    """
    return dumps(payload).encode("ascii") + (b"\n" if newline else b"")


def dumps(value: object) -> str:
    """The JSON text of a value, escaped to ASCII; raises INVALID_INPUT when it is nested too deep."""
    try:
        try:
            return _encode(value)
        except (ValueError, TypeError):  # numbers that JSON has not, or keys that are no text: rare, so only then
            return _encode(_plain(value))
    except RecursionError:
        raise CompatError(
            ErrorCode.INVALID_INPUT,
            "the event is nested too deep for JSON; send the part that the hook reads",
        ) from None


def _jsonable(value: object) -> object:
    """A frozen mapping as an object; anything else that JSON has no word for as its text."""
    return dict(value) if isinstance(value, Mapping) else str(value)


_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=_jsonable).encode


def _plain(value: object) -> object:
    """What JSON can hold of a value: numbers that it cannot write are null, as in JavaScript."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, int) and value.bit_length() > LARGEST_BITS:
        return None
    if isinstance(value, Mapping):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(member) for member in value]
    return value


def _value(values: Values, field: PayloadField) -> object:
    if field.path is None:
        return field.const
    value = values[field.path] if field.path in values else lookup(values, field.path)
    if value is MISSING:
        return MISSING
    if field.map and isinstance(value, str):
        value = field.map.get(value, value)
    return dumps(value) if field.encode == "json-string" else value


def _put(payload: dict[str, object], names: Sequence[str], value: object) -> None:
    for name in names[:-1]:
        inner = payload.setdefault(name, {})
        assert isinstance(inner, dict)  # the catalog linter keeps a field and an object apart
        payload = inner
    payload[names[-1]] = value
