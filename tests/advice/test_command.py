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
