"""`hosts.stdio.lines`: a stream of bytes cut into lines, however the bytes come."""

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.hosts.stdio.lines import Lines

LIMIT = 8
TOO_LONG = "a line is longer than 8 bytes and was skipped"
streams = st.lists(st.sampled_from([b"a", b"\n", b"\r", b" ", b"abcdefgh", b"\xff", b"\x00"]), max_size=40).map(
    b"".join
)


def chunks(data: bytes, cuts: Iterable[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in pairwise(places)]


def taken(lines: Lines) -> list[bytes | str]:
    """Everything that can be taken now, without empty lines."""
    found: list[bytes | str] = []
    while True:
        try:
            line = lines.take()
        except ValueError as error:
            found.append(str(error))
            continue
        if line is None:
            return found
        if line:
            found.append(bytes(line))


def cut(parts: Iterable[bytes]) -> list[bytes | str]:
    lines, found = Lines(LIMIT), []
    for part in parts:
        lines.feed(part)
        found += taken(lines)
    lines.end()
    return found + taken(lines)


@given(data=streams, cuts=st.lists(st.integers(min_value=0), max_size=10))
def test_the_lines_of_a_stream_do_not_depend_on_how_its_bytes_come(data: bytes, cuts: list[int]) -> None:
    expected = [TOO_LONG if len(line) > LIMIT else line for line in data.split(b"\n") if line]
    assert cut(chunks(data, cuts)) == expected


@given(data=streams)
def test_nothing_is_left_of_a_stream_that_ended(data: bytes) -> None:
    lines = Lines(LIMIT)
    lines.feed(data)
    lines.end()
    taken(lines)
    assert not lines


@pytest.mark.parametrize(("size", "fits"), [(LIMIT - 1, True), (LIMIT, True), (LIMIT + 1, False)])
def test_the_limit_itself_is_not_over_the_limit(size: int, *, fits: bool) -> None:
    line = b"x" * size
    assert cut([line + b"\n"]) == [line if fits else TOO_LONG]


def test_a_line_without_an_end_is_refused_once_and_not_kept() -> None:
    lines = Lines(LIMIT)
    found: list[bytes | str] = []
    for _ in range(1000):
        lines.feed(b"xxxxx")
        found += taken(lines)
        assert not lines or found == []
    assert found == [TOO_LONG]


def test_the_line_after_one_that_was_too_long_is_taken() -> None:
    assert cut([b"x" * 9, b"x" * 9, b"y\nnext\n"]) == [TOO_LONG, b"next"]


def test_what_was_not_taken_can_be_forgotten() -> None:
    lines = Lines(LIMIT)
    lines.feed(b"one\ntwo\nthr")
    assert lines.take() == bytearray(b"one")
    lines.clear()
    lines.feed(b"four\n")
    assert taken(lines) == [b"four"]
