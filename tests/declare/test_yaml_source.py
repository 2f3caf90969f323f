"""`declare.yaml_source`: YAML without its surprises, and the line and column of every value in it."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.declare.text_file import read_text
from dsh_compat_adapter.declare.yaml_source import MAX_DEPTH, Loader, YamlDocument, parse_yaml, write_flow
from tests.projects import BOM, on_disk, project

# the three line breaks that PyYAML does not write so that it could read them again
# and a number by YAML 1.2 that it writes as the text that it is by 1.1
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x85\u2028\u2029"), max_size=8).filter(
    lambda text: not re.fullmatch(r"[-+]?[0-9.]+[eE][-+]?[0-9]+|0o[0-7]+", text)
)
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


def read(folder: Path, content: str | bytes) -> YamlDocument:
    path = project(folder, {"x.yaml": content}) / "x.yaml"
    return parse_yaml(read_text(path), str(path))


def refused(folder: Path, content: str | bytes) -> CompatError:
    with pytest.raises(CompatError) as caught:
        read(folder, content)
    return caught.value


def paths(value: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    if isinstance(value, dict):
        for key, member in value.items():
            yield from paths(member, (*path, key))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from paths(member, (*path, index))


def test_every_value_has_its_line_and_column(tmp_path: Path) -> None:
    document = read(tmp_path, "version: 1\nhooks:\n  - {vendor: claude, event: Stop}\n  - vendor: codex\n")
    assert document.value == {"version": 1, "hooks": [{"vendor": "claude", "event": "Stop"}, {"vendor": "codex"}]}
    assert str(document.where("hooks", 0, "event")).endswith(":3:29")
    assert str(document.where("hooks", 1, "vendor")).endswith(":4:13")


def test_a_place_that_is_not_there_is_that_of_the_nearest_value_around_it(tmp_path: Path) -> None:
    document = read(tmp_path, "a:\n  b: [1]\n")
    assert str(document.where("a", "b", 7, "c")).endswith(":2:6")
    assert str(document.where("nothing")).endswith(":1:1")


def test_a_byte_order_mark_is_no_error_and_moves_no_column(tmp_path: Path) -> None:
    document = read(tmp_path, BOM + b"a: 1")
    assert document.value == {"a": 1}
    assert document.where("a").column == 4


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n"])
def test_an_empty_file_is_no_value(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).value is None


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a: 1\nb: 2\na: 3", 3, 1, "the key 'a' stands twice"),
        ("a: 1\nb: {c: 1,\n  'c': 2}", 3, 3, "the key 'c' stands twice"),
        ("~: 1\nnull: 2", 2, 1, "the key None stands twice"),
        ("0x10: 1\n16: 2", 2, 1, "the key 16 stands twice"),
        ("a: &x [1]\nb: *x", 2, 4, "write the value out"),
        ("a: *nowhere", 1, 4, "write the value out"),
        ("a: 1\n<<: {b: 2}", 2, 1, "write the keys out"),
        ("a: !!python/object/apply:os.system ['true']", 1, 4, "write the value plain"),
        ('a: !!int ""', 1, 4, "write the value plain"),
        ("a: !!bool x", 1, 4, "write the value plain"),
        ("a: !!timestamp x", 1, 4, "write the value plain"),
        ("a: !!binary x", 1, 4, "write the value plain"),
        ("!own {}", 1, 1, "write the value plain"),
        ("a: 1\n? [a, b]\n: 1", 2, 3, "a key must be a plain text"),
        ("a: " + "9" * 5000, 1, 4, "limit"),
        ("a: 1\n---\nb: 2", 2, 1, "another document"),
        ("a: ]", 1, 4, "no valid YAML"),
        ("a:\n\tb: 1", 2, 1, "cannot start any token"),
        ("a: b\n\x07: c", 2, 1, "control characters"),
        ('é: "\x01"', 1, 5, "control characters"),
        ("%YAML 9.9\n---\na: 1", 1, 1, "no valid YAML"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_what_would_surprise_somebody_is_refused_at_its_line_and_column(
    tmp_path: Path, text: str, line: int, column: int, message: str
) -> None:
    error = refused(tmp_path, text)
    assert error.code is ErrorCode.INVALID_FILE
    assert message in error.message
    assert error.where is not None
    assert (error.where.line, error.where.column) == (line, column)


@pytest.mark.parametrize(
    "text",
    ["a: '*.rules'\nb: \"!x\"\nc: a*b!\n", "a: '&x'\n", "a: '<<'\n", "a: '2020-13-45'\n"],
)
def test_quoted_text_may_look_like_anything(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).value == yaml.load(text, Loader=Loader)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "[" * 900 + "]" * 900, "- " * 3000 + "a", "{a: " * 900 + "1" + "}" * 900],
    ids=["open lists", "lists", "dashes", "mappings"],
)
def test_deep_nesting_is_refused_with_a_place(tmp_path: Path, text: str) -> None:
    error = refused(tmp_path, text)
    assert error.code is ErrorCode.INVALID_FILE
    assert "nest" in error.message
    assert error.where is not None
    assert error.where.column is not None


def test_the_deepest_nesting_that_is_read_has_its_places(tmp_path: Path) -> None:
    document = read(tmp_path, "[" * MAX_DEPTH + "1" + "]" * MAX_DEPTH)
    assert document.where(*[0] * MAX_DEPTH).column == MAX_DEPTH + 1


def test_a_small_file_of_nested_aliases_is_refused_before_it_grows(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    error = refused(tmp_path, "\n".join(lines))
    assert error.where is not None
    assert (error.where.line, error.where.column) == (2, 10)


def test_plain_values_are_read_by_yaml_1_2_as_the_vendors_read_them(tmp_path: Path) -> None:
    """YAML 1.1 would make 8 of `010`, 90 of `1:30`, truth values of `yes` and `on`, and a date."""
    assert read(
        tmp_path, "a: [yes, on, true, null, ~, 1.5, .inf, 010, 0o10, 0x1f, 1:30, 1_0, 2020-13-45, =]"
    ).value == {"a": ["yes", "on", True, None, None, 1.5, float("inf"), 10, 8, 31, "1:30", "1_0", "2020-13-45", "="]}


@pytest.mark.parametrize("data", [b"a: \xff", "a: 1".encode("utf-16")], ids=["Latin-1", "UTF-16"])
def test_a_file_that_is_not_utf_8_is_no_text(tmp_path: Path, data: bytes) -> None:
    assert refused(tmp_path, data).code is ErrorCode.NOT_TEXT


def test_ten_megabytes_are_too_large(tmp_path: Path) -> None:
    assert refused(tmp_path, "a: " + "x" * 10_000_000).code is ErrorCode.TOO_LARGE


def test_nothing_that_a_tag_names_is_imported_or_called(tmp_path: Path) -> None:
    trap = tmp_path / "sprung"
    project(tmp_path, {"trap_module.py": f"open({str(trap)!r}, 'w')"})
    sys.path.insert(0, str(tmp_path))
    try:
        refused(tmp_path, "a: !!python/module:trap_module\nb: !!python/name:trap_module.x")
        refused(tmp_path, f"a: !!python/object/apply:os.system ['touch {trap}']")
    finally:
        sys.path.remove(str(tmp_path))
    assert not trap.exists()


@on_disk
@given(value=values, flow=st.sampled_from([None, True, False]), width=st.sampled_from([20, 1000]))
def test_every_value_is_read_back_and_has_a_place(
    tmp_path: Path,
    value: Any,
    flow: bool | None,  # noqa: FBT001
    width: int,
) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, width=width, allow_unicode=True, sort_keys=False)
    document = read(tmp_path, text)
    assert document.value == value
    assert {path for path in paths(value) if path not in document.lines} == set()
    places = [document.where(*path) for path in paths(value)]
    assert [(where.line, where.column) for where in places] == sorted((where.line, where.column) for where in places)


@on_disk
@given(text=st.text(st.sampled_from("ab:-?[]{}#&*!|>'\"%@ \n\t,0.é~<="), max_size=25) | texts)
def test_any_text_is_a_document_or_an_error_with_a_place(tmp_path: Path, text: str) -> None:
    try:
        document = read(tmp_path, text)
    except CompatError as error:
        refusal = error
    else:
        assert document.value == yaml.load(text.removeprefix("\ufeff"), Loader=Loader)
        return
    assert refusal.code is ErrorCode.INVALID_FILE
    assert refusal.where is not None
    assert refusal.where.line is not None
    assert refusal.where.column is not None


@given(value=values)
@on_disk
def test_what_is_written_on_one_line_is_read_back(tmp_path: Path, value: object) -> None:
    line = write_flow({"a": value})
    assert line is not None
    assert "\n" not in line
    assert read(tmp_path, line).value == {"a": value}


@pytest.mark.parametrize(
    "text", ["1e3", "0o17", "on", "null", "~", "1:30", "2026-11-30", "010", "<<", "- a", "a: b", "#"]
)
def test_a_text_stays_a_text(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, str(write_flow([text]))).value == [text]


def test_a_value_that_stands_twice_is_written_out_twice() -> None:
    twice = ["x"]
    assert write_flow([twice, twice]) == "[[x], [x]]"


def test_yaml_has_no_words_for_an_object_or_for_endless_nesting() -> None:
    endless: list[object] = []
    endless.append(endless)
    assert write_flow(object()) is None
    assert write_flow(endless) is None
