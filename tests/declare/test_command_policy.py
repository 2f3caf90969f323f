"""Command policies are read without running them; what is invalid was tried with `codex execpolicy check` 0.171.0."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.command_policy import Computed, Invalid, PolicyRule, read_policy
from dsh_compat_adapter.declare.policy_findings import policy_findings


def rules(text: str) -> list[tuple[str, str, str | None]]:
    found = list(read_policy(text, "a.rules"))
    assert [one for one in found if not isinstance(one, PolicyRule)] == []
    return [(one.subject, one.decision, one.justification) for one in found if isinstance(one, PolicyRule)]


VALID = {
    "by name": (
        """prefix_rule(pattern=["git",["push","fetch"]], decision="forbidden", justification="no",
            match=[["git","push"],"git fetch x"], not_match=["git status"])""",
        [("git push|fetch", "forbidden", "no")],
    ),
    "by place": ('prefix_rule(["git"], "allow", ["git x"], ["ls"], "why")', [("git", "allow", "why")]),
    "allow is the default": ('prefix_rule(pattern=["git"])', [("git", "allow", None)]),
    "put together from literals": ('prefix_rule(pattern=["g" + "it"] + ["push"])', [("git push", "allow", None)]),
    "an example with a path": ('prefix_rule(["git"], match=["/usr/bin/git x"])', [("git", "allow", None)]),
    "a computed example": ('prefix_rule(["git"], match=["git " + x for x in ["a"]])', [("git", "allow", None)]),
    "in a condition": ('if True:\n  prefix_rule(["git"])', [("git", "allow", None)]),
    "two on a line": (
        'prefix_rule(["a"]); prefix_rule(["b"], "prompt")',
        [("a", "allow", None), ("b", "prompt", None)],
    ),
    "of the network": ('network_rule("a.com", "https", "deny")', [("a.com (https)", "forbidden", None)]),
    "an executable": ('host_executable(name="git", paths=["/usr/bin/git"])', []),
    "an escape that Python warns of": (r'prefix_rule(["a\d"])', [(r"a\d", "allow", None)]),
    "nothing": ("# only a comment\n", []),
}


@pytest.mark.parametrize(("text", "found"), VALID.values(), ids=VALID)
def test_each_rule_is_found_with_its_words_and_its_decision(
    text: str, found: list[tuple[str, str, str | None]]
) -> None:
    assert rules(text) == found


INVALID = {
    'prefix_rule(pattern=["git"]': (1, 12),
    '\n prefix_rule(["git"])': (2, 1),
    'x = "é"; prefix_rule(pattern="git push")': (1, 10),
    'prefix_rule(pattern=["git"], decision="deny")': (1, 1),
    'prefix_rule(pattern=["git"], decision=None)': (1, 1),
    'prefix_rule(pattern=["git"], match=["ls"])': (1, 1),
    'prefix_rule(pattern=["git"], match="git")': (1, 1),
    'prefix_rule(pattern=["git"], match=[[]])': (1, 1),
    "prefix_rule(pattern=['git'], match=['git \\''])": (1, 1),
    'prefix_rule(pattern=["git"], not_match=["git x"])': (1, 1),
    "prefix_rule(pattern=[])": (1, 1),
    "prefix_rule(pattern=[[]])": (1, 1),
    'prefix_rule(pattern=["git", 1])': (1, 1),
    'prefix_rule(pattern=["git", ["a", ["b"]]])': (1, 1),
    'prefix_rule(pattern=("git", "x"))': (1, 1),
    'prefix_rule(pattern=["git"], colour="x")': (1, 1),
    'prefix_rule(pattern=["git"], justification="")': (1, 1),
    "prefix_rule()": (1, 1),
    'prefix_rule(["a"], "allow", [], [], "b", "c")': (1, 1),
    'network_rule(host="a.com")': (1, 1),
    'network_rule("a.com", "ftp")': (1, 1),
    "\nprefix_rules(pattern=['git'])": (2, 1),
    'x = print("y")': (1, 5),
    'load("x.rules", "y")': (1, 1),
    "while True: pass": (1, 1),
    "x = 2 ** 3": (1, 5),
    "x = 1 is 1": (1, 5),
    "x = {1, 2}": (1, 5),
    "assert True": (1, 1),
    "a\0b": (1, 1),
}


@pytest.mark.parametrize(("text", "place"), INVALID.items(), ids=range(len(INVALID)))
def test_what_the_vendor_refuses_is_invalid_at_its_place(text: str, place: tuple[int, int]) -> None:
    found = list(read_policy(text, "a.rules"))
    assert [type(one) for one in found] == [Invalid]
    assert (found[0].where.line, found[0].where.column) == place


@pytest.mark.parametrize(
    "text",
    [
        '[prefix_rule(pattern=["git", x]) for x in ["push"]]',
        'def f(x):\n  prefix_rule(pattern=[x])\nf("git")',
        'G = "git"\nprefix_rule([G])',
        "prefix_rule(*A)\nA = []",
        'prefix_rule(pattern=["%s" % "git"])',
    ],
)
def test_a_computed_rule_is_said_to_be_there_and_is_never_computed(text: str) -> None:
    assert [type(one) for one in read_policy(text, "a.rules")] == [Computed]


@given(st.text(st.sampled_from("prefix_rule([\"',])=\n ") | st.characters(), max_size=60))
def test_any_text_is_read_without_an_error(text: str) -> None:
    for source in (text, f"prefix_rule({text})", f"prefix_rule([{text}], match={text})"):
        for one in read_policy(source, "a.rules"):
            assert one.where.line


@pytest.mark.parametrize(
    "text", ["(" * 10_000, "-" * 100_000 + "1", "a" + ".b" * 100_000, "[" * 90 + "]" * 90, "\ufeff"]
)
def test_a_text_that_is_nested_too_deeply_is_no_defect(text: str) -> None:
    assert len(list(read_policy(text, "a.rules"))) <= 1


def test_ten_thousand_rules_are_ten_thousand_findings() -> None:
    text = "".join(f'prefix_rule(pattern=["tool{number}"], decision="forbidden")\n' for number in range(10_000))
    found = list(policy_findings(text, "a.rules", "Codex"))
    assert [one.where.line for one in found] == list(range(1, 10_001))
    assert {one.code for one in found} == {"policy-forbids"}


def test_a_finding_says_which_command_was_forbidden_and_that_nobody_refuses_it_here() -> None:
    text = 'prefix_rule(["rm", ["-r", "-rf"]], "forbidden", justification="ask first")'
    (found,) = policy_findings(text, "a.rules", "Codex")
    assert (
        found.message == "Codex refuses `rm -r|-rf` (ask first); here this rule does not, and the model only reads it"
    )
    assert "hook" in str(found.remedy)
