"""`cli.formats.frame`: the line of a finding, cut to the terminal, with a mark below its column."""

from unicodedata import combining

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.cli.formats.frame import frame
from dsh_compat_adapter.errors import Where
from tests.findings import harmless

LINES = ("{", '  "matcher": "bash"\r', "\tx", "日本x", "a" * 1000 + "b" + "c" * 1000, "", "   ")


def shown(line: int | None, column: int | None, width: int = 40) -> list[str]:
    return frame(LINES, Where("f", line, column), width)


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        (1, 1, ["    1 | {", "      | ^"]),
        (2, 14, ['    2 |   "matcher": "bash"', "      |              ^"]),
        (2, None, ['    2 |   "matcher": "bash"']),
        (3, 2, ["    3 |     x", "      |     ^"]),
        (4, 3, ["    4 | 日本x", "      |     ^"]),
        (2, 99, ['    2 |   "matcher": "bash"', "      |                    ^"]),
        (6, 1, ["    6 | "]),
        (7, 1, ["    7 |    "]),
    ],
)
def test_the_mark_stands_below_the_column(line: int, column: int | None, expected: list[str]) -> None:
    assert shown(line, column) == expected


@pytest.mark.parametrize("line", [None, 8, 10**9])
def test_a_place_that_is_not_there_any_more_has_no_frame(line: int | None) -> None:
    assert shown(line, 1) == []
    assert frame((), Where("f", 1, 1), 40) == []


@pytest.mark.parametrize("column", [1, 20, 500, 1001, 1500, 2001])
def test_a_long_line_is_cut_on_both_sides_around_the_column(column: int) -> None:
    line, mark = shown(5, column)
    assert len(line) <= 40
    assert line[mark.index("^")] in LINES[4][column - 1 : column] + "…"
    assert ("…" in line[:9], line.endswith("…")) == (column > 16, column < 1970)


def test_what_a_terminal_would_obey_is_escaped_and_the_mark_stands_behind_it() -> None:
    line, mark = frame(["\x1b[31mx"], Where("f", 1, 6), 40)
    assert line == "    1 | \\x1b[31mx"
    assert mark.index("^") == line.index("x", 12)


@given(text=st.text(st.characters(), max_size=300), column=st.integers(1, 400), width=st.integers(16, 110))
def test_no_frame_is_wider_than_the_terminal_or_holds_a_control_character(text: str, column: int, width: int) -> None:
    for line in frame(text.split("\n"), Where("f", 1, column), width):
        assert sum(not combining(character) for character in line) <= width
        assert harmless(line)
