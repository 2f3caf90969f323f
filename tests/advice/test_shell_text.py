"""`advice.shell_text`: the simple commands of a text for a shell, and the folder that each starts in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.advice.shell_text import MAX_CHARACTERS, ShellText, read_shell_text


def read(text: str) -> ShellText:
    return read_shell_text(text, {"ROOT": "/p"}, "/project")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("a b; c && d || e | f", ["a b", "c", "d", "e", "f"]),
        ("x=$(sed -n p); case $x in */y) echo 'z w';; esac", ["sed -n p", "echo z w"]),
        ("A=1 b c <in >out 2>&1", ["b c"]),
        ("cat <<EOF\nrm it\nEOF\nls", ["cat", "ls"]),
        ('a "b\\"c $ROOT/d" \'$ROOT\' e\\ f', ['a b"c /p/d $ROOT e f']),
        ('a "${ROOT:-.}/b" "${OTHER:-c}" ${ROOT%/*}', ["a /p/b ${OTHER:-c} ${ROOT%/*}"]),
        ('sh "$(git rev-parse --show-toplevel)/a.sh"', ["sh /project/a.sh", "git rev-parse --show-toplevel"]),
        ('sh "$(git rev-parse --show-toplevel 2>/dev/null || pwd)/a" "$PWD"/b', None),
        ("f() { g; }; f", ["g", "f"]),
        ("écho 好 '\U0010f72c'", ["écho 好 \U0010f72c"]),
        ("a # b", ["a"]),
    ],
)
def test_the_commands_of_a_text(text: str, commands: list[str] | None) -> None:
    found = [" ".join(command.words) for command in read(text).commands]
    if commands is None:
        assert found[0] == "sh /project/a /project/b"
    else:
        assert found == commands


@pytest.mark.parametrize(
    ("text", "folder"),
    [
        ("here", ""),
        ("cd sub && here", "sub"),
        ("cd sub; cd deep; here", "sub/deep"),
        ('cd "$ROOT/x" && here', "/p/x"),
        ('cd "$OTHER" && here', None),
        ("cd; here", None),
        ("(cd sub && there); here", ""),
        ("x=$(cd sub && there); here", ""),
    ],
)
def test_a_command_starts_in_the_folder_that_the_text_went_to(text: str, folder: str | None) -> None:
    [here] = [command for command in read(text).commands if command.words == ("here",)]
    assert here.folder == folder


@pytest.mark.parametrize(
    ("text", "redirected"),
    [
        ("echo", False),
        ("echo >out", True),
        ("echo >&2", True),
        ("echo 2>/dev/null", False),
        ("echo | cat", True),
        ("cat | echo", False),
        ("{ echo; } > out", True),
        ("x=$(echo)", True),
        ("(cat; echo) | cat", True),
    ],
)
def test_what_a_command_prints_goes_somewhere_else(text: str, *, redirected: bool) -> None:
    [echo] = [command for command in read(text).commands if command.words == ("echo",)]
    assert echo.redirected == redirected


def test_what_the_grammar_cannot_read_is_said() -> None:
    assert not read("sh 'unclosed").whole
    assert read("sh 'closed'").whole
    assert read("a " * MAX_CHARACTERS) == ShellText((), frozenset(), whole=False)


@given(st.text(st.sampled_from("ab ./-c'\"$\\;|&()<>\n{}=#`") | st.characters(), max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for command in read(text).commands:
        assert command.words
