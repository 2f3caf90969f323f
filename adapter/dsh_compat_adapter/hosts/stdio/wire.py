"""The lines of the protocol: what a request is, and how a reply is written. Pure."""

import json
import math
from collections.abc import Mapping

from ...errors import CompatError

Reply = dict[str, object]
Request = Mapping[str, object]


def read(line: bytes | bytearray) -> Request:
    """The request of one line; raises ValueError, with what is wrong, for anything else."""
    try:
        request = _READER.decode(line.decode("utf-8").strip())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON: {error}") from None
    if not isinstance(request, dict):
        raise ValueError(f"a request is an object, found {type(request).__name__}")  # noqa: TRY004 - as the rest
    if (found := request.get("id")) is not None and not is_id(found):
        raise ValueError(f"an id is a string or a finite number, found {type(found).__name__}")
    return request


def is_id(value: object) -> bool:
    """Whether a value can name a request: a string, or a number that JSON has."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def write(reply: Reply) -> bytes:
    """The line of a reply; of one that JSON cannot hold, the line of an error. Total."""
    try:
        return _WRITER.encode(reply).encode("ascii") + b"\n"
    except (ValueError, RecursionError) as problem:
        failure = error(f"the reply cannot be written as JSON: {problem}")
        return write({**failure, "id": reply["id"]} if "id" in reply else failure)


def error(message: str) -> Reply:
    """The reply to what could not be done."""
    return {"ok": False, "error": message}


def refused(refusal: CompatError) -> Reply:
    """The reply to a request that cannot be processed."""
    return {**error(str(refusal)), "code": refusal.code.value}


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


# made once: the functions of the json module make one a call
_READER = json.JSONDecoder(parse_constant=_no_constant)
_WRITER = json.JSONEncoder(separators=(",", ":"), allow_nan=False)
