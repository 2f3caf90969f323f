"""`declare.text_file`: a regular, bounded UTF-8 file as text, or an error with its place and a way out."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.declare.text_file import MAX_BYTES, read_regular, read_text, text_place
from tests.projects import BOM, fifo, on_disk, unreadable

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def folder(path: Path) -> None:
    path.mkdir()


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def missing(_: Path) -> None:
    pass


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (folder, "no text file"),
        (fifo, "no text file"),
        (device, "no text file"),
        (dangling, "No such file"),
        (missing, "No such file"),
        (loop, "symbolic links"),
        (unreadable, "Input/output error"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_what_is_no_readable_file_is_refused_with_its_name_and_a_way_out(
    tmp_path: Path, make: Callable[[Path], object], why: str
) -> None:
    path = tmp_path / "settings.json"
    make(path)
    with pytest.raises(CompatError) as caught:
        read_text(path)
    assert caught.value.code is ErrorCode.INVALID_FILE
    assert why in caught.value.message
    assert "put the text file in its place" in caught.value.message or "mend or remove it" in caught.value.message
    assert str(caught.value).count(str(path)) == 1
    assert caught.value.where is not None
    assert caught.value.where.file == str(path)


def test_a_name_with_a_nul_byte_is_refused_like_a_missing_file() -> None:
    with pytest.raises(CompatError, match="null byte") as caught:
        read_text(Path("a\0b"))
    assert caught.value.code is ErrorCode.INVALID_FILE


def test_a_byte_order_mark_is_not_part_of_the_text_and_stays_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(BOM + "{}\r\né".encode())
    assert read_text(path) == "{}\r\né"
    assert path.read_bytes().startswith(BOM)


def test_a_file_of_exactly_the_largest_size_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a" * 100)
    assert read_text(path, max_bytes=100) == "a" * 100
    with pytest.raises(CompatError, match=r"larger than 99 bytes.*split it") as caught:
        read_text(path, max_bytes=99)
    assert caught.value.code is ErrorCode.TOO_LARGE


def test_ten_megabytes_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b" " * 10_000_000)
    with pytest.raises(CompatError) as caught:
        read_text(path)
    assert caught.value.code is ErrorCode.TOO_LARGE
    assert str(MAX_BYTES) in caught.value.message


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"\xff", 1, 1),
        (b"ab\n\xc3\xa9 \xe9", 2, 3),
        (BOM + b"a\xff", 1, 2),
        (b"cut short \xe2\x82", 1, 11),
        ('{"a": 1}'.encode("utf-16"), 1, 1),
    ],
    ids=["first byte", "Latin-1 in the second line", "after a byte order mark", "cut in a character", "UTF-16"],
)
def test_what_is_not_utf_8_is_refused_at_its_line_and_column(
    tmp_path: Path, data: bytes, line: int, column: int
) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(CompatError, match="save it as UTF-8") as caught:
        read_text(path)
    where = caught.value.where
    assert caught.value.code is ErrorCode.NOT_TEXT
    assert where is not None
    assert (where.line, where.column) == (line, column)


@on_disk
@given(text=texts)
def test_every_text_comes_back_as_it_was_written(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8", newline="")
    assert read_text(path) == text.removeprefix("\ufeff")


@on_disk
@given(data=st.binary(max_size=40))
def test_any_bytes_are_text_or_a_coded_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(data)
    try:
        assert read_text(path).encode() == data.removeprefix(BOM)
    except CompatError as error:
        assert error.code is ErrorCode.NOT_TEXT  # noqa: PT017 - either of the two is right


@given(data=st.data(), text=texts)
def test_the_place_of_an_offset_leads_back_to_it(data: st.DataObject, text: str) -> None:
    offset = data.draw(st.integers(0, len(text)))
    where = text_place("x", text, offset)
    assert where.line is not None
    assert where.column is not None
    lines = text.split("\n")
    assert sum(len(line) + 1 for line in lines[: where.line - 1]) + where.column - 1 == offset


def test_a_file_outside_of_the_folder_it_must_stand_in_is_not_read(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(outside)
    (inside / "own").write_text("own")
    assert read_regular(inside / "link", 100, inside=str(inside.resolve())) is None
    assert read_regular(inside / "own", 100, inside=str(inside.resolve())) == b"own"


def test_a_pipe_that_takes_the_place_of_a_file_between_question_and_opening_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    path.write_text("x")
    regular = path.stat()
    path.unlink()
    fifo(path)
    monkeypatch.setattr(Path, "stat", lambda _self: regular)
    assert read_regular(path, 100) is None


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/self/status", "/proc/version"])
def test_what_the_kernel_makes_up_is_no_file(path: str) -> None:
    if not Path(path).exists():
        pytest.skip("this system has no /proc")
    with pytest.raises(CompatError, match="no file of a disk") as caught:
        read_text(Path(path))
    assert caught.value.code is ErrorCode.INVALID_FILE


def test_a_file_that_changes_while_it_is_read_is_not_taken_in_part(tmp_path: Path) -> None:
    """The reader has opened the file when it asks for its size: what is written from then on is seen."""
    path = tmp_path / "settings.json"
    path.write_text("{}")
    real = os.fstat

    def written_meanwhile(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        with path.open("a") as more:
            more.write(" ")
        return status

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fstat", written_meanwhile)
        with pytest.raises(OSError, match="changes while it is read"):
            read_regular(path, MAX_BYTES)
