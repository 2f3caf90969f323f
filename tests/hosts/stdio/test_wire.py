"""`hosts.stdio.wire`: one line of the protocol, read and written."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.hosts.stdio.wire import is_id, read, refused, write

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8)
anything: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def no_constant(name: str) -> object:
    raise AssertionError(f"{name} is no JSON")


@given(line=st.binary(max_size=60) | anything.map(lambda value: json.dumps(value).encode()))
def test_a_line_is_an_object_or_is_refused_with_a_reason(line: bytes) -> None:
    request: object = None
    reason = ""
    try:
        request = read(line)
    except ValueError as error:
        reason = str(error)
    assert bool(reason) != isinstance(request, dict)
    assert not isinstance(request, dict) or request.get("id") is None or is_id(request["id"])


BAD = {
    "no JSON": (b"hello", "no JSON: "),
    "half a JSON": (b'{"op":', "no JSON: "),
    "two JSONs": (b"{} {}", "no JSON: "),
    "not UTF-8": (b'{"op":"\xff"}', "no JSON: "),
    "UTF-16": ('{"op":"ping"}'.encode("utf-16"), "no JSON: "),
    "NUL": (b"\0", "no JSON: "),
    "NaN": (b'{"op":"ping","x":NaN}', "NaN is no JSON"),
    "Infinity": (b'{"op":"ping","x":-Infinity}', "-Infinity is no JSON"),
    "too deep": (b'{"a":' + b"[" * 100_000, "no JSON: "),
    "a number of 5,000 digits": (b'{"a":' + b"9" * 5000 + b"}", "no JSON: "),
    "an array": (b"[]", "a request is an object, found list"),
    "a text": (b'"ping"', "a request is an object, found str"),
    "a number": (b"1", "a request is an object, found int"),
    "null": (b"null", "a request is an object, found NoneType"),
    "an id that is an array": (b'{"op":"ping","id":[1]}', "an id is a string or a finite number, found list"),
    "an id that is an object": (b'{"op":"ping","id":{}}', "an id is a string or a finite number, found dict"),
    "an id that is too large": (b'{"op":"ping","id":1e999}', "an id is a string or a finite number, found float"),
}


@pytest.mark.parametrize(("line", "says"), BAD.values(), ids=BAD)
def test_what_is_wrong_with_a_line_is_said(line: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        read(line)


@pytest.mark.parametrize("name", ["", "a", "\ud800", 0, -1, 2**70, 1.5, True, None], ids=repr)
def test_a_text_or_a_number_can_be_an_id(name: object) -> None:
    assert read(json.dumps({"id": name}).encode()) == {"id": name}


@given(reply=st.dictionaries(st.text(max_size=6), anything, max_size=4))
def test_every_reply_becomes_one_line_of_strict_ascii_json(reply: dict[str, object]) -> None:
    line = write(reply)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert line.isascii()
    assert isinstance(json.loads(line, parse_constant=no_constant), dict)


@given(reply=st.dictionaries(st.text(max_size=6), anything.filter(lambda v: "inf" not in repr(v) and "nan" not in repr(v)), max_size=4))  # fmt: skip
def test_a_reply_that_json_can_hold_comes_out_as_it_went_in(reply: dict[str, object]) -> None:
    assert json.loads(write(reply)) == reply


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), nested(100_000), 10**5000], ids=["nan", "inf", "deep", "long"])  # fmt: skip
def test_a_reply_that_json_cannot_hold_becomes_an_error_with_the_same_id(value: object) -> None:
    reply = json.loads(write({"ok": True, "id": 7, "value": value}))
    assert (reply["ok"], reply["id"]) == (False, 7)
    assert reply["error"].startswith("the reply cannot be written as JSON: ")


def test_a_refusal_has_its_code_beside_its_message() -> None:
    reply = refused(CompatError(ErrorCode.UNKNOWN_EVENT, "no such event"))
    assert reply == {"ok": False, "error": "no such event [UNKNOWN_EVENT]", "code": "UNKNOWN_EVENT"}
