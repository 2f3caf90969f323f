"""`declare.json_source`: JSON as people write it, and the line and column of every value in it."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.declare.json_source import MAX_DEPTH, JsonDocument, read_json
from tests.projects import BOM, fifo, on_disk, project

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=15,
)
# what may stand between two tokens of JSON with comments
gaps = st.lists(
    st.sampled_from([" ", "\n", "\t", "\r\n", "// \"'{[,\n", '/* ", } */', "/**/", "// é\n"]), max_size=2
).map("".join)


def read(folder: Path, content: object) -> JsonDocument:
    return read_json(project(folder, {"x.json": content}) / "x.json")


def refused(folder: Path, content: object) -> CompatError:
    with pytest.raises(CompatError) as caught:
        read(folder, content)
    return caught.value


def place(error: CompatError) -> tuple[int | None, int | None]:
    assert error.where is not None
    return error.where.line, error.where.column


def paths(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], object]]:
    yield path, value
    if isinstance(value, dict):
        for key, member in value.items():
            yield from paths(member, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from paths(member, (*path, index))


def at(text: str, line: int | None, column: int | None) -> str:
    """The text from a place on."""
    assert line is not None
    assert column is not None
    lines = text.split("\n")
    return "\n".join([lines[line - 1][column - 1 :], *lines[line:]])


def test_a_byte_order_mark_is_no_error_and_moves_no_column(tmp_path: Path) -> None:
    document = read(tmp_path, BOM + b'{"a": 1}')
    assert document.value == {"a": 1}
    assert document.where("a").column == 7


@pytest.mark.parametrize(
    ("text", "value", "extra"),
    [
        ('// first\n{"a": 1}', {"a": 1}, (1, 1)),
        ('{"a": 1 // one\n}', {"a": 1}, (1, 9)),
        ('{"a": /* , } */ [1, 2]}', {"a": [1, 2]}, (1, 7)),
        ('{"a": [1, 2,],\n}', {"a": [1, 2]}, (1, 12)),
        ('{"a": 1, // last\n}', {"a": 1}, (1, 8)),
        ('{"a": "http://x", "b": ["/* no */", ",]"],}', {"a": "http://x", "b": ["/* no */", ",]"]}, (1, 42)),
        ('{"a": "\\"//",}', {"a": '"//'}, (1, 13)),
        ("[1]// at the end", [1], (1, 4)),
    ],
)
def test_comments_and_trailing_commas_are_read_over_and_the_first_is_named(
    tmp_path: Path, text: str, value: object, extra: tuple[int, int]
) -> None:
    document = read(tmp_path, text)
    assert document.value == value
    where = document.extras()
    assert where is not None
    assert (where.line, where.column) == extra


def test_slashes_and_commas_inside_a_text_are_no_comments(tmp_path: Path) -> None:
    document = read(tmp_path, {"jq": ".a // .b", "url": "http://x", "list": "[1,]"})
    assert document.value == {"jq": ".a // .b", "url": "http://x", "list": "[1,]"}
    assert document.extras() is None


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("", 1, 1),
        ("  \n", 2, 1),
        ('{\n  "a": 1,\n  "b" 2\n}', 3, 7),
        ('{"é": "日本", "b": [}', 1, 19),
        ("{} {}", 1, 4),
        ("{'a': 1}", 1, 2),
        ('{"a": 1} # no comment', 1, 10),
        ('{"a": 1} /* without an end', 1, 10),
        ('{"a": "without an end\n}', 1, 22),
        ("{,}", 1, 2),
        ("[,]", 1, 2),
        ("[1,,]", 1, 5),
        ('{"a": "\t"}', 1, 8),
        ("[1 2]", 1, 4),
        ('{"hooks": {"Stop": []', 1, 22),
    ],
    ids=repr,
)
def test_broken_json_is_refused_at_its_line_and_column(tmp_path: Path, text: str, line: int, column: int) -> None:
    error = refused(tmp_path, text)
    assert error.code is ErrorCode.INVALID_FILE
    assert error.message.startswith("no valid JSON: ")
    assert place(error) == (line, column)


def test_a_missing_brace_is_never_repaired(tmp_path: Path) -> None:
    """A file that looks as if a brace were missing and is valid is read as it stands; one that misses it is refused."""
    looks_wrong = '{\n"hooks": {\n"Stop": [\n{"type": "command"}\n]\n}\n}'
    assert read(tmp_path, looks_wrong).value == {"hooks": {"Stop": [{"type": "command"}]}}
    assert refused(tmp_path, looks_wrong[:-1]).code is ErrorCode.INVALID_FILE


@pytest.mark.parametrize("opening", ["[", '{"a":'])
@pytest.mark.parametrize("closed", [True, False])
def test_deep_nesting_is_refused_where_it_becomes_too_deep(tmp_path: Path, opening: str, closed: bool) -> None:  # noqa: FBT001
    closing = {"[": "]", '{"a":': "}"}[opening]
    error = refused(tmp_path, opening * 100_000 + "1" + (closing * 100_000 if closed else ""))
    assert error.code is ErrorCode.INVALID_FILE
    assert f"deeper than {MAX_DEPTH} levels" in error.message
    assert place(error) == (1, len(opening) * MAX_DEPTH + 1)


def test_the_deepest_nesting_that_is_read_can_be_printed(tmp_path: Path) -> None:
    document = read(tmp_path, "[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert repr(document.value) == "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert document.where(*[0] * (MAX_DEPTH - 1)).column == MAX_DEPTH


def test_many_brackets_side_by_side_or_in_texts_and_comments_are_not_deep(tmp_path: Path) -> None:
    text = "[" + ",".join(["[]"] * 500) + f', "{"[" * 500}"] // {"[" * 500}'
    value = read(tmp_path, text).value
    assert isinstance(value, list)
    assert len(value) == 501


@pytest.mark.parametrize(
    ("text", "number"),
    [("1e400", math.inf), ("-1e400", -math.inf), ("9" * 5000, math.inf), ("-" + "9" * 5000, -math.inf), ("0.5", 0.5)],
    ids=["1e400", "-1e400", "5000 digits", "minus 5000 digits", "0.5"],
)
def test_a_number_of_any_size_is_read_as_a_double(tmp_path: Path, text: str, number: float) -> None:
    assert read(tmp_path, f'{{"timeout": {text}}}').value == {"timeout": number}


def test_nan_is_a_value_that_its_place_refuses(tmp_path: Path) -> None:
    """No JSON has it; but one bad entry drops itself, not the guards beside it."""
    assert repr(read(tmp_path, '{"timeout": NaN}').value) == "{'timeout': nan}"


def test_an_integer_keeps_its_digits(tmp_path: Path) -> None:
    assert read(tmp_path, {"id": 2**70}).value == {"id": 2**70}


def test_each_repeated_key_is_named_where_it_comes_again(tmp_path: Path) -> None:
    document = read(tmp_path, '{"a": 1, "b": {"c": 1,\n "c": 2, "\\u0063": 3},\n"a": {"a": 4}}')
    assert document.value == {"a": {"a": 4}, "b": {"c": 3}}
    assert [(name, where.line, where.column) for name, where in document.duplicates()] == [
        ("c", 2, 2),
        ("c", 2, 10),
        ("a", 3, 1),
    ]
    assert document.where("a", "a").line == 3


def test_the_same_key_in_different_objects_is_no_repetition(tmp_path: Path) -> None:
    assert not list(read(tmp_path, [{"a": {"a": 1}}, {"a": 1}]).duplicates())


def test_a_file_with_very_many_keys_and_entries_is_read_and_searched(tmp_path: Path) -> None:
    """Anything quadratic in here would run into the time limit of the test."""
    keys = ",".join(f'"{number}": 1' for number in range(100_000))
    entries = ",".join(['{"type": "command"}'] * 60_000)
    document = read(tmp_path, f'{{{keys}, "7": 2, "list": [{entries},]}}')
    assert [name for name, _ in document.duplicates()] == ["7"]
    columns = [document.where("list", index).column or 0 for index in range(60_000)]
    assert columns == sorted(set(columns))


def test_a_place_that_is_not_there_is_that_of_the_nearest_value_around_it(tmp_path: Path) -> None:
    document = read(tmp_path, '{\n "hooks": {\n  "Stop": [1]}}')
    assert str(document.where("hooks", "Stop", 5, "x")).endswith(":3:11")
    assert str(document.where("nothing")).endswith(":1:1")
    assert str(document.where("hooks", 0)).endswith(":2:11")


def test_a_column_counts_characters_and_not_bytes(tmp_path: Path) -> None:
    assert read(tmp_path, '{"日本語": "😀", "b": 1}').where("b").column == 19


def test_windows_line_ends_do_not_move_a_place(tmp_path: Path) -> None:
    document = read(tmp_path, '{\r\n  "a": 1,\r\n  "b": 2\r\n}')
    assert str(document.where("b")).endswith(":3:8")


def test_a_file_that_is_no_text_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    with pytest.raises(CompatError) as caught:
        read_json(fifo(tmp_path / "x.json"))
    assert caught.value.code is ErrorCode.INVALID_FILE


@on_disk
@given(value=values, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans())
def test_every_value_is_read_back_and_found_at_its_place(
    tmp_path: Path,
    value: Any,
    indent: int | None,
    ascii_only: bool,  # noqa: FBT001
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    document = read(tmp_path, text)
    assert document.value == value
    assert document.extras() is None
    assert not list(document.duplicates())
    for path, member in paths(value):
        where = document.where(*path)
        found, _ = json.JSONDecoder().raw_decode(at(text, where.line, where.column))
        assert found == member


@st.composite
def with_extras(draw: st.DrawFn) -> tuple[str, object]:
    """A value, and a text of it with comments and trailing commas between its tokens."""

    def write(value: object) -> str:
        match value:
            case dict():
                pairs = [f"{json.dumps(key)}{draw(gaps)}:{write(member)}" for key, member in value.items()]
                inner = ",".join(f"{draw(gaps)}{pair}" for pair in pairs)
                text = f"{{{inner}{trailing(value)}}}"
            case list():
                text = f"[{','.join(write(member) for member in value)}{trailing(value)}]"
            case _:
                text = json.dumps(value, ensure_ascii=False)
        return f"{draw(gaps)}{text}{draw(gaps)}"

    def trailing(members: object) -> str:
        return draw(gaps) + ("," + draw(gaps) if members and draw(st.booleans()) else "")

    value = draw(values)
    return write(value), value


@on_disk
@given(written=with_extras())
@example(written=('{"a":1,/**/}', {"a": 1}))
def test_comments_and_trailing_commas_change_no_value_and_no_place(tmp_path: Path, written: tuple[str, object]) -> None:
    text, value = written
    document = read(tmp_path, text)
    assert document.value == value
    for path, member in paths(value):
        where = document.where(*path)
        if isinstance(member, dict | list):
            assert at(text, where.line, where.column)[0] in "{["
        else:
            assert json.JSONDecoder().raw_decode(at(text, where.line, where.column))[0] == member


@on_disk
@given(text=st.text(st.sampled_from('{}[]:,"\\/* \n1aé'), max_size=30) | texts)
def test_any_text_is_a_document_or_an_error_with_a_place(tmp_path: Path, text: str) -> None:
    try:
        document = read(tmp_path, text)
    except CompatError as error:
        assert error.code is ErrorCode.INVALID_FILE  # noqa: PT017 - either of the two is right
        line, column = place(error)
        assert line is not None
        assert column is not None
        with pytest.raises(json.JSONDecodeError):
            json.loads(text.removeprefix("\ufeff"))
        return
    for path, _ in paths(document.value):
        assert document.where(*path).line is not None
    if document.extras() is None:
        assert repr(document.value) == repr(json.loads(text.removeprefix("\ufeff")))  # NaN is not equal to itself
