"""`hooks.condition`: what surely leaves a call out, and everything else runs the hook."""

import pytest
from hypothesis import given

from dsh_compat_adapter.hooks.condition import read_condition
from tests.strategies import CATALOG, texts

CLAUDE = CATALOG.vendor("claude")
BASH = ("Bash",)


def excludes(rule: str, command: object, names: tuple[str, ...] = BASH) -> bool:
    condition = read_condition(rule, CLAUDE.dialect.handlers)
    values = {"tool.host_name": "bash", "tool.host_arguments": {"command": command}}
    return condition.excludes(names, values, CLAUDE)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Bash(rm *)", "touch a && printf b"),
        ("Bash(rm:*)", "touch a"),
        ("Bash(git push*)", "git status; ls"),
        ("Bash(touch)", "touch a"),
        ("Bash(touch)", "touch a && printf 'b'"),
        ("Bash(touch other*)", "touch a"),
        ("Bash(git push *)", "git commit -m 'git push it'"),
    ],
)
def test_a_command_of_which_no_part_begins_as_the_rule_wants_is_left_out(rule: str, command: str) -> None:
    assert excludes(rule, command)


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        ("Bash", "touch a"),
        ("Bash(*)", "touch a"),
        ("Bash()", "touch a"),
        ("Bash(touch a)", "touch  a"),
        ("Bash(tou*)", "touch a"),
        ("Bash(rm *)", "rm"),
        ("Bash(printf *)", "touch a && printf b"),
        ("Bash(*touch*)", "ls; touch a"),
        ("Bash(git push *)", "git status\ngit push --force"),
        ("Bash(git status && *)", "git status && git push"),
        ("Bash(npm test; npm run lint)", "npm test; npm run lint"),
        ("Bash(&*)", "&0"),
    ],
)
def test_a_command_that_fits_is_not_left_out(rule: str, command: str) -> None:
    assert not excludes(rule, command)


@pytest.mark.parametrize(
    "command",
    [
        "sudo rm a",
        "FORCE=1 rm a",
        "! rm a",
        "if rm a; then ls; fi",
        "timeout 5 rm a",
        "ls $(rm a)",
        "ls `rm a`",
        "{ rm a; }",
        "(rm a)",
        "'rm' a",
        ">log rm a",
        "r\\m a",
        "$RM a",
        "rm'' a",
    ],
)
def test_a_command_that_may_hide_another_one_is_not_left_out(command: str) -> None:
    assert not excludes("Bash(rm *)", command)


def test_a_quoted_or_redirected_command_is_compared_as_far_as_it_is_plain() -> None:
    assert not excludes("Bash(npm test)", "npm test 2>&1")
    assert not excludes("Bash(npm test)", "npm test &>log")
    assert excludes("Bash(npm)", "npm test && echo 'done'")
    assert not excludes("Bash(git commit -m fix*)", 'git commit -m "fix it"')
    assert excludes("Bash(npm test)", 'npm run "test"')


@pytest.mark.parametrize(
    ("rule", "names", "left_out"),
    [
        ("Write", BASH, True),
        ("Write(*)", BASH, True),
        ("Edit(src/*)", ("Write",), True),
        ("Write(src/*)", ("Write",), False),
        ("Task", ("Agent", "Task"), False),
        ("mcp__notes", ("mcp__notes__save",), False),
        ("mcp__notes__*", ("mcp__notes__save",), False),
        ("mcp__other", ("mcp__notes__save",), True),
    ],
)
def test_the_name_of_another_tool_leaves_out_and_a_server_stands_for_its_tools(
    rule: str,
    names: tuple[str, ...],
    left_out: bool,  # noqa: FBT001 - a parameter of the table
) -> None:
    assert excludes(rule, "touch a", names) is left_out


@pytest.mark.parametrize("rule", ["Bash(rm *", "rm)", "Bash (rm *)", "", "()"])
def test_what_is_no_rule_holds_for_nothing(rule: str) -> None:
    assert excludes(rule, "rm a")


def test_what_is_no_rule_counts_for_nothing_in_codebuddy() -> None:
    vendor = CATALOG.vendor("workbuddy")
    assert not read_condition("Bash(rm *", vendor.dialect.handlers).excludes(BASH, {}, vendor)


@pytest.mark.parametrize("command", [None, 5, ["rm"], ""])
def test_a_call_without_a_command_is_not_left_out(command: object) -> None:
    assert not excludes("Bash(rm *)", command)


@given(rule=texts, command=texts)
def test_any_text_is_a_rule_or_none_and_any_command_is_judged(rule: str, command: str) -> None:
    assert excludes(rule, command) in (True, False)


@given(command=texts)
def test_a_command_is_never_left_out_by_a_rule_with_its_own_beginning(command: str) -> None:
    beginning = " ".join(command.split())
    for length in range(len(beginning)):
        assert not excludes(f"Bash({beginning[:length]}*)", command)
