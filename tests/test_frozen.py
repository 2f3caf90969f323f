"""What a policy has seen is what is executed: nobody can change a frozen value, and it is the same JSON."""

import json
from collections.abc import Mapping
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.frozen import freeze, snapshot

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=15
)


def thawed(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: thawed(member) for key, member in value.items()}
    return [thawed(member) for member in value] if isinstance(value, tuple) else value


def is_frozen(value: object) -> bool:
    if isinstance(value, MappingProxyType):
        return all(is_frozen(member) for member in value.values())
    if isinstance(value, tuple):
        return all(is_frozen(member) for member in value)
    return value is None or isinstance(value, bool | int | float | str)


@given(JSON)
def test_a_snapshot_is_the_same_json_and_frozen_to_the_bottom(value: object) -> None:
    assert thawed(snapshot(value)) == value
    assert is_frozen(snapshot(value))


@given(JSON)
def test_a_snapshot_of_a_snapshot_is_equal(value: object) -> None:
    assert snapshot(snapshot(value)) == snapshot(value)


@given(JSON)
def test_freezing_keeps_the_value(value: object) -> None:
    assert thawed(freeze(value)) == value
    assert is_frozen(freeze(value))


def test_a_snapshot_shares_nothing_with_the_caller() -> None:
    inner = {"path": "a"}
    taken = snapshot({"edits": [inner]})
    inner["path"] = "b"
    assert taken == {"edits": ({"path": "a"},)}


def test_a_tuple_of_the_caller_becomes_an_array() -> None:
    assert snapshot((1, (2,))) == (1, (2,))


def test_the_mapping_of_a_snapshot_cannot_be_written() -> None:
    taken = snapshot({"path": "a"})
    with pytest.raises(TypeError):
        taken["path"] = "b"  # type: ignore[index] # the refusal is what is tested


def deep(levels: int) -> object:
    value: object = 0
    for _ in range(levels):
        value = [value]
    return value


def circular() -> object:
    value: list[object] = []
    value.append(value)
    return value


NO_JSON = {
    "nan": float("nan"),
    "infinity-inside": {"timeout": [float("inf")]},
    "bytes": b"a",
    "a-set": {"tags": {1}},
    "a-function": print,
    "a-key-that-is-no-text": {(1, 2): 3},
    "a-circle": circular(),
    "nested-beyond-every-reader": deep(100_000),
    "a-number-too-long-to-write": 10**5000,
}


@pytest.mark.parametrize("value", NO_JSON.values(), ids=NO_JSON.keys())
def test_what_is_no_json_is_refused_as_such(value: object) -> None:
    with pytest.raises(ValueError, match=r"^not a JSON value: "):
        snapshot(value)


@given(st.text(alphabet=st.characters()))
def test_a_snapshot_of_any_text_can_be_written_as_json(text: str) -> None:
    assert json.loads(json.dumps(snapshot(text))) == text
