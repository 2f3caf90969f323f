"""`hooks.placeholders`: text is replaced where no shell would read the value, and nowhere else."""

import shlex
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dsh_compat_adapter.hooks.placeholders import in_argument, in_command, inert, unset

ROOT = "${PLUGIN_ROOT}"
EXPECTED = r"(TOOL|PLUGIN|VENDOR)_\w+|workspace\w+"
ODD = ["/p/it's", '/p/a"b', "/p/$(touch pwned)", "/p/`touch pwned`", "/p/a\\b", "/p/a\nb", "/p/a;b", "/p/${x}", "/p/*"]
QUOTINGS = [ROOT, f"'{ROOT}'", f'"{ROOT}"', f"'{ROOT}/a b'", f"sh -c 'echo {ROOT}'", f"\\{ROOT}", f"X={ROOT} # don't"]


@pytest.mark.parametrize("command", QUOTINGS)
def test_a_plain_path_is_replaced_wherever_it_stands(command: str) -> None:
    assert in_command(f"cat {command}", {ROOT: "/p/plug-in_1"}) == f"cat {command}".replace(ROOT, "/p/plug-in_1")


@pytest.mark.parametrize("path", ODD)
@pytest.mark.parametrize("command", QUOTINGS)
def test_a_path_that_a_shell_would_read_leaves_the_command_as_it_is_written(command: str, path: str) -> None:
    assert in_command(command, {ROOT: path}) == command


def test_a_path_with_blanks_is_put_where_single_quotes_hold_a_path_and_left_to_the_shell_elsewhere() -> None:
    values = {ROOT: "/my plug"}
    assert in_command(f"sh '{ROOT}/h.sh' \"{ROOT}\" {ROOT}", values) == f"sh '/my plug/h.sh' \"{ROOT}\" {ROOT}"
    nested = f"sh -c 'A={ROOT}/x run'"
    assert in_command(nested, values) == nested
    assert in_command(f"echo \"it's {ROOT}\" '{ROOT}'", values) == f"echo \"it's {ROOT}\" '/my plug'"


@given(path=st.text(min_size=1).filter(lambda text: "\0" not in text and text.isprintable()), command=st.sampled_from(
    [f"printf %s '{ROOT}'", f'printf %s "{ROOT}"', f"sh -c 'printf %s \"{ROOT}\"'"]
))  # fmt: skip
@example(path="$(touch pwned)", command=f"sh -c 'printf %s \"{ROOT}\"'")
@example(path="'; touch pwned; '", command=f"printf %s '{ROOT}'")
def test_no_path_becomes_part_of_the_program(path: str, command: str) -> None:
    """The shell prints the path, or the placeholder as it is written, and runs nothing else."""
    filled = in_command(command, {ROOT: path})
    result = subprocess.run(
        ["/bin/sh", "-c", filled], env={"PLUGIN_ROOT": path, "PATH": ""}, capture_output=True, check=True
    ) if not filled.startswith("sh") else subprocess.run(
        ["/bin/sh", *shlex.split(filled)[1:]], env={"PLUGIN_ROOT": path, "PATH": ""}, capture_output=True, check=True
    )  # fmt: skip
    assert result.stdout in (path.encode("utf-8", "surrogateescape"), ROOT.encode())


def test_an_argument_holds_any_path_since_no_shell_reads_it() -> None:
    for path in ODD:
        assert in_argument(f"{ROOT}/x", {ROOT: path}) == f"{path}/x"


def test_a_value_is_not_searched_for_placeholders_again() -> None:
    assert in_argument("${A}${B}", {"${A}": "${B}", "${B}": "b"}) == "${B}b"


def test_without_values_a_command_is_byte_for_byte_the_same() -> None:
    text = "cat '${PLUGIN_ROOT}'\t\\\n\"x\" \ud800"
    assert in_command(text, {}) == text


def test_a_placeholder_at_the_start_of_a_quoted_text_is_inert_and_one_in_a_quoted_program_is_not() -> None:
    names = ["PLUGIN_ROOT", "OTHER"]
    assert inert(f"python3 '{ROOT}/x.py'", names) == ["PLUGIN_ROOT"]
    assert inert(f"bash -c 'cd {ROOT} && run' \"{ROOT}\" {ROOT} \"it's '{ROOT}'\"", names) == []


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("sh ${PLUGIN_ROOT}/h.sh $TOOL_INPUT ${workspaceFolder}", ["PLUGIN_ROOT", "TOOL_INPUT", "workspaceFolder"]),
        ("echo $TOOL_A ${TOOL_A}", ["TOOL_A"]),
        ("TOOL_A=1; echo $TOOL_A; for TOOL_B in a; do echo $TOOL_B; done", []),
        ("echo ${TOOL_A:-x} ${TOOL_B:?no} $HOME ${x} $1 $MY_TOOL_X", []),
        ("echo $TOOL_KNOWN", []),
    ],
)
def test_variables_that_nobody_sets_are_named_once(command: str, found: list[str]) -> None:
    assert list(unset(command, EXPECTED, ["TOOL_KNOWN"])) == found


@given(text=st.text(alphabet="'\"\\${}PLUGIN_ROOT ab\n", max_size=60), value=st.text(alphabet="/a '\"$;", max_size=8))
def test_any_text_is_taken(text: str, value: str) -> None:
    in_command(text, {ROOT: value})
    inert(text, ["PLUGIN_ROOT"])
    assert set(unset(text, EXPECTED, ())) <= {"PLUGIN_ROOT"} | set(unset(text, r"\w+", ()))


def test_the_scan_takes_linear_time() -> None:
    for text in (
        "'" * 500_001,
        '"' + "\\" * 500_001,
        "$" * 500_000,
        "${" * 500_000,
        " ".join(f"$TOOL_{n}" for n in range(50_000)),
    ):
        in_command(text, {ROOT: "/a b"})
        list(unset(text, EXPECTED, ()))
