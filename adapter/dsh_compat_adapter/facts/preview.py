"""What an event is about, in a line for people. Made from what is kept of it, so without credentials."""

import json
from collections.abc import Mapping, Sequence
from itertools import islice

Members = tuple[tuple[str, ...], ...]  # those of a JSON object that are shown, each by its nested names

LONGEST = 120  # characters
SHORT = 60  # of one value
SOME = 3  # members of an object


def preview(text: str, members: Members) -> str:
    """The line for an event whose JSON text this is; empty when it is no JSON object. Total."""
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    told = [_short(value) for names in members if (value := _at(event, names))]
    return " ".join(told)[:LONGEST].replace("\n", " ")


def _at(value: object, names: Sequence[str]) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _short(value: object) -> str:
    if isinstance(value, str):
        return value[:SHORT]
    if isinstance(value, Mapping):
        return " ".join(f"{key}={_short(value[key])}" for key in islice(value, SOME))
    return f"[{len(value)}]" if isinstance(value, Sequence) else str(value)[:SHORT]
