"""`cli.text`: text for people, of which a terminal obeys nothing that came from a file, a hook or a user."""

import contextlib
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.cli.text import coloured, paragraph, say
from dsh_compat_adapter.printable import printable

texts = st.text(st.characters(), max_size=60)  # lone surrogates included: names of files are not always UTF-8


def said(text: str, encoding: str) -> bytes:
    """What `say` writes to a stdout of this encoding."""
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, encoding=encoding, newline="")
    with contextlib.redirect_stdout(stdout):
        say(text)
    stdout.flush()
    return raw.getvalue()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("日本 é 😀", "日本 é 😀"),
        ("a\u3000b\u00a0c", "a\u3000b\u00a0c"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("over\rwritten\b\x7f", "over\\rwritten\\x08\\x7f"),
        ("two\nlines", "two\\nlines"),
        ("tab\there", "tab\\there"),
        ("abc\u202ecba", "abc\\u202ecba"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("line\u2028end", "line\\u2028end"),
        ("not UTF-8: \udcff", "not UTF-8: \\udcff"),
        ("nul\0", "nul\\x00"),
    ],
    ids=ascii,
)
def test_what_a_terminal_would_obey_is_shown_as_an_escape(text: str, shown: str) -> None:
    assert printable(text) == shown


@given(text=texts)
def test_nothing_printable_is_a_control_character_a_line_end_or_a_direction(text: str) -> None:
    shown = printable(text)
    assert not {unicodedata.category(character) for character in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert printable(shown) == shown


@given(text=texts, lead=st.sampled_from(["", "error"]), indent=st.integers(0, 6))
def test_a_paragraph_lets_no_control_character_through_and_loses_no_word(text: str, lead: str, indent: int) -> None:
    filled = paragraph(text, indent, lead=lead)
    assert not {unicodedata.category(character) for character in filled.replace("\n", "")} & {"Cc", "Cf", "Cs"}
    words = printable((f"{lead}: {text}" if lead else text).replace("\n", " ")).split(" ")
    assert "".join(filled.split()) == "".join("".join(words).split())


def test_a_paragraph_is_wrapped_and_indented(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    lines = paragraph("word " * 30, 2, lead="error").split("\n")
    assert all(len(line) <= 40 for line in lines)
    assert lines[0].startswith("  error: word")
    assert all(line.startswith("    word") for line in lines[1:])


@pytest.mark.parametrize(("columns", "width"), [("5", 20), ("500", 110)])
def test_a_paragraph_is_never_too_narrow_or_too_wide_to_read(
    monkeypatch: pytest.MonkeyPatch, columns: str, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = paragraph("word " * 100).split("\n")
    assert width - 5 < max(map(len, lines)) <= width


def test_a_long_word_is_not_broken_so_that_it_can_be_copied() -> None:
    path = "/" + "very-long-folder-name/" * 20
    assert path in paragraph(f"the file {path} is broken")


def test_a_text_for_a_file_or_a_pipe_has_no_colour(capsys: pytest.CaptureFixture[str]) -> None:
    assert coloured("red", "red") == "red"
    say(paragraph("text", lead="error", colour="red"))
    assert capsys.readouterr().out == "error: text\n"


@pytest.mark.parametrize(
    ("encoding", "written"),
    [("ascii", b"\\u65e5 \\xe9\n"), ("latin-1", b"\\u65e5 \xe9\n"), ("utf-8", "日 é\n".encode())],
)
def test_a_character_that_the_encoding_lacks_is_escaped(encoding: str, written: bytes) -> None:
    assert said("日 é", encoding) == written


@given(text=texts, encoding=st.sampled_from(["ascii", "latin-1", "utf-8", "cp1252", "gbk", "shift_jis"]))
def test_any_text_can_be_said_in_any_encoding(text: str, encoding: str) -> None:
    assert said(text, encoding).endswith(b"\n")
