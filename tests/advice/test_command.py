"""`advice.command`: which programs and scripts a command text starts, read and never run."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.advice.command import programs

FOLDERS = {"ROOT": "/project"}


def scripts(command: str) -> list[tuple[str, bool]]:
    """Each script with whether an interpreter is named before it."""
    found = list(programs(command, FOLDERS))
    return [(script, program.interpreted) for program in found if (script := program.script) is not None]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("./guard.sh", [("./guard.sh", False)]),
        ('sh "$ROOT"/a.sh; python3 -u ${ROOT}/b.py --x', [("/project/a.sh", True), ("/project/b.py", True)]),
        ("A=1 exec hooks/run", [("hooks/run", False)]),
        ("if [ -f x ]; then node hooks/a.mjs; fi", [("hooks/a.mjs", True)]),
        ("bash -c 'sh inner.sh && ./other'", [("inner.sh", True), ("./other", False)]),
        ("uv run hooks/a.py", [("hooks/a.py", True)]),
        ("/usr/bin/python3 hooks/a.py", [("hooks/a.py", True)]),
        ("cat < in.txt | jq .x > out/file.json", []),
        ("python3 -c 'import x' a.py", []),
        ("node -e 'x()'", []),
        ("echo './not-started.sh'", []),
        ("sh 'unclosed", []),
        ("bash -lc 'cd x && ./in-x.sh'", [("./in-x.sh", False)]),
        ("timeout -k 1 5s python3 hooks/a.py", [("hooks/a.py", True)]),
        ("env A=1 node hooks/a.js | xargs -n 1 sh b.sh", [("hooks/a.js", True), ("b.sh", True)]),
        ("pwsh -NoProfile -File hooks/a.ps1", [("hooks/a.ps1", True)]),
        ("powershell -Command ./b.ps1", []),
        ("command -v ./tool && echo", []),
        ("guard() { ./in-it.sh; }; guard ./none.sh", [("./in-it.sh", False)]),
        ("sh\nhooks/second.sh", [("hooks/second.sh", False)]),
    ],
)
def test_the_scripts_of_a_command(command: str, found: list[tuple[str, bool]]) -> None:
    assert scripts(command) == found


@given(st.text(st.sampled_from("ab ./-c'\"$\\;|&()<>\n{}=") | st.characters(), max_size=40))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for program in programs(f"sh -c {text}", FOLDERS):
        assert program.argv
        assert program.script is None or isinstance(program.script, str)


@pytest.mark.parametrize(
    ("command", "folders"),
    [
        ("cd a && sh -c 'cd b && ./c.sh'", ["a/b"]),
        ("cd a && sh -c ./c.sh", ["a"]),
        ("cd $X && sh -c 'cd b && ./c.sh'", [None]),
        ("cd $X && sh -c 'cd /b && ./c.sh'", ["/b"]),
    ],
)
def test_a_script_of_an_inner_shell_starts_where_that_shell_went(command: str, folders: list[str | None]) -> None:
    assert [program.folder for program in programs(command, FOLDERS) if program.argv[0] == "./c.sh"] == folders


@pytest.mark.parametrize("command", ["command -v jq", "which jq node", "type jq >/dev/null 2>&1 || exit 0", "hash jq"])
def test_a_program_that_is_only_looked_for_is_told(command: str) -> None:
    assert next(name for program in programs(command, FOLDERS) for name in program.asks) == "jq"
