"""`errors`: messages that show any value, and no value makes one long or raises."""

import collections
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.errors import LONGEST, CompatError, ErrorCode, Where, nearest, shown

DEPTH = 100_000


class Hostile:
    """Every way to look at it raises."""

    def __repr__(self) -> str:
        raise RuntimeError

    def __str__(self) -> str:
        raise RuntimeError


class HostileText(str):
    """A text that does not want to be shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        raise RuntimeError


class HostileList(list[object]):
    """A list that cannot be walked."""

    def __iter__(self) -> Iterator[object]:
        raise RuntimeError


def nested(depth: int) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


VALUES = {
    "an integer of 5,000 digits": 10**5000,
    "deep nesting": nested(DEPTH),
    "a long text": "x" * 10_000_000,
    "long bytes": b"x" * 10_000_000,
    "many members": {str(number): "x" * 1000 for number in range(10_000)},
    "a hostile object": Hostile(),
    "a hostile text": HostileText("x"),
    "a hostile list": HostileList([1]),
    "hostile members": [Hostile(), {"a": Hostile()}],
    "an integer in an object": {"a": [10**5000]},
    "a type with a long name": type("x" * 10_000, (Hostile,), {})(),
    "a named list": type("list", (collections.UserList,), {})([1]),
}


@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_any_value_is_shown_in_the_room_that_there_is(value: object) -> None:
    for limit in (20, 200):
        assert 0 < len(shown(value, limit)) <= limit + 3  # two quotes and the sign that something was cut


@given(value=st.recursive(st.none() | st.integers() | st.text() | st.binary(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)))  # fmt: skip
def test_what_is_shown_is_bounded_and_never_raises(value: object) -> None:
    assert len(shown(value)) <= 203


@pytest.mark.parametrize("value", ["claude", 5, -3, None, True, ["a", 1], {"a": {"b": None}}, b"x", 1.5, "é\n\ud800"])
def test_an_ordinary_value_is_shown_as_it_is_written(value: object) -> None:
    assert shown(value) == repr(value)


def test_a_message_and_its_place_are_bounded() -> None:
    error = CompatError(ErrorCode.INVALID_FILE, "x" * 10_000_000, where=Where("y" * 10_000_000, 3))
    assert len(error.message) == LONGEST
    assert len(str(error)) < 3 * LONGEST
    assert error.where is not None
    assert len(error.where.file) == 10_000_000


def test_a_long_name_has_no_nearest_one() -> None:
    assert nearest("x" * 1_000_000, ["claude"]) == ""
