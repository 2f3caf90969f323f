"""`hooks.matcher`: which occurrences a matcher selects, in the semantics of each vendor.

Ids such as B02 name the report in `cases.md` that a line stands for.
"""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dsh_compat_adapter.catalog.model import MatcherDialect
from dsh_compat_adapter.errors import CompatError, ErrorCode
from dsh_compat_adapter.hooks.matcher import EVERY, Matcher, compile_matcher
from dsh_compat_adapter.hooks.values import subjects
from tests.strategies import CATALOG, MATCHER_DIALECTS, json_values, matcher_dialects, names, patterns, texts, way

LITERAL = CATALOG.native.dialect.matchers["default"]._replace(match_all=())


def compiled(dialect: str, text: object) -> Matcher:
    return compile_matcher(text, MATCHER_DIALECTS[dialect])


def selected_of(dialect: str, text: object, candidates: str) -> str:
    """The candidates, separated by blanks, that the matcher selects."""
    matcher = compiled(dialect, text)
    return " ".join(name for name in candidates.split() if matcher.matches([name]))


@pytest.mark.parametrize(
    ("text", "candidates", "selected"),
    [
        pytest.param("Bash", "Bash bash BashOutput", "Bash", id="B01-case-counts"),
        pytest.param("bash", "Bash", "", id="B01-other-case"),
        pytest.param("Bash(git push*)", "Bash git push", "", id="B01-tool-argument"),
        pytest.param("Writ", "Write", "", id="B02-literal-fragment"),
        pytest.param("rit.", "Write", "Write", id="B02-pattern-fragment"),
        pytest.param("^rit", "Write", "", id="B02-anchored-fragment"),
        pytest.param("mcp__[^_]+__[^_]+", "mcp__my_server__list_all mcp__srv__list", "mcp__srv__list", id="B03-as-written"),
        pytest.param("mcp__.*", "mcp__my_server__list_all Bash", "mcp__my_server__list_all", id="B03-all-mcp"),
        pytest.param("Edit,Write", "Edit Write Edit,Write", "Edit Write", id="B04-comma"),
        pytest.param("Edit, Write | Bash", "Edit Write Bash", "Edit Write Bash", id="B04-blanks"),
        pytest.param("mcp__(a|b)__.*", "mcp__b__x mcp__(a", "mcp__b__x", id="B04-group"),
        pytest.param("mcp__s_.{1,3}", "mcp__s_ab mcp__s_", "mcp__s_ab", id="B04-counted"),
        pytest.param("mcp__srv__push", "mcp__srv__push srv_push mcp_srv_push", "mcp__srv__push", id="B57-mcp-name"),
        pytest.param("^write$", "Write write", "write", id="A04-other-harness"),
        pytest.param("Write|write_file|run_shell_command|Edit", "Write Edit Bash", "Write Edit", id="A08-foreign-names"),
        pytest.param("^mcp__kagayoi__", "mcp__kagayoi__a mcp__kagayoi__b__c mcp__other__a", "mcp__kagayoi__a mcp__kagayoi__b__c", id="A23-prefix"),
        pytest.param(r"agent|mcp__.*|notes\.md", "agent subagent notes.md notesXmd", "agent subagent notes.md", id="A26-unanchored"),
        pytest.param("mcp__brave-search__web", "mcp__brave-search__web", "mcp__brave-search__web", id="hyphen-is-a-name"),
        pytest.param("Bash|", "Bash", "Bash", id="empty-part"),
    ],
)  # fmt: skip
def test_claude_compares_a_list_of_plain_names_exactly_and_searches_anything_else(
    text: str, candidates: str, selected: str
) -> None:
    assert selected_of("claude-default", text, candidates) == selected


@pytest.mark.parametrize(
    ("text", "candidates", "selected"),
    [
        ("a.json|b", "a.json b", "a.json b"),
        ("rate_limit|overloaded", "rate_limit overloaded", "rate_limit overloaded"),
        ("rate-limit", "rate-limit the-rate-limit-error", "rate-limit the-rate-limit-error"),
        ("a,b", "a b a,b", "a,b"),
    ],
)
def test_the_narrow_name_set_of_claude_takes_hyphen_and_comma_as_a_pattern(
    text: str, candidates: str, selected: str
) -> None:
    assert selected_of("claude-narrow", text, candidates) == selected


@pytest.mark.parametrize(
    ("text", "candidates", "selected"),
    [
        ("Bash", "Bash bash", "Bash"),
        ("Ba", "Bash", ""),
        ("^Ba", "Bash", "Bash"),
        ("as.", "Bash", "Bash"),
        ("Bash|apply_patch", "Bash apply_patch", "Bash apply_patch"),
        ("Bash,Edit", "Bash Edit", ""),
        ("Bash | Edit", "Bash Edit", ""),
        ("Bash-x|Bash", "Bash", "Bash"),
        ("^(apply_patch|Bash)$", "apply_patch Bash Bash2", "apply_patch Bash"),
        ("mcp__[^_]+__[^_]+", "mcp__my_server__list", ""),
    ],
)
def test_codex_splits_only_at_the_bar_and_takes_comma_blank_and_hyphen_as_a_pattern(
    text: str, candidates: str, selected: str
) -> None:
    assert selected_of("codex-default", text, candidates) == selected


@pytest.mark.parametrize(
    ("text", "candidates", "selected"),
    [
        ("bash", "bash Bash", "bash"),
        ("bas", "bash", ""),
        ("bash|edit", "bash edit editor", "bash edit"),
        (".*", "bash edit", "bash edit"),
        ("(?!bash$).*", "bash edit", "edit"),
        ("", "bash", ""),
    ],
)
def test_copilot_compares_the_whole_value_with_a_pattern(text: str, candidates: str, selected: str) -> None:
    assert selected_of("copilot-default", text, candidates) == selected


@pytest.mark.parametrize(
    ("text", "candidates", "selected"),
    [
        ("Bash|Edit", "Bash Edit bash", "Bash Edit"),
        ("*", "Bash Edit", "Bash Edit"),
        ("**", "Bash Edit", "Bash Edit"),
        ("Ba", "Bash", ""),
        ("Ba.h", "Bash xBash", "Bash"),
    ],
)
def test_the_claude_spelling_of_copilot_compares_names_or_a_whole_pattern(
    text: str, candidates: str, selected: str
) -> None:
    assert selected_of("copilot-claude-names", text, candidates) == selected


@pytest.mark.parametrize(
    ("text", "candidates", "selected"),
    [
        ("Write", "Write NotebookWrite write", "Write NotebookWrite"),
        ("^Write$", "Write NotebookWrite", "Write"),
        ("Edit|Write", "Edit Write MultiEdit", "Edit Write MultiEdit"),
        pytest.param("^(?!(Read|Glob)$).*", "Read Glob Edit", "Edit", id="B59-lookahead"),
    ],
)
def test_workbuddy_searches_a_plain_name_anywhere(text: str, candidates: str, selected: str) -> None:
    assert selected_of("workbuddy-default", text, candidates) == selected


@pytest.mark.parametrize("text", ["bash", ".*", "a|b", "(", ""])
def test_a_literal_matcher_selects_its_own_text_and_nothing_else(text: str) -> None:
    matcher = compile_matcher(text, LITERAL)
    assert matcher.matches([text])
    assert not matcher.matches([f"{text}x"])
    assert not matcher.matches(["bash", "a", "x"] if text != "bash" else ["Bash"])


@pytest.mark.parametrize("dialect", MATCHER_DIALECTS)
def test_an_absent_matcher_selects_every_occurrence(dialect: str) -> None:
    """A33: a JSON null is an absent matcher, not the text `null`."""
    assert compiled(dialect, None) is EVERY
    assert EVERY.matches(())
    assert EVERY.selects(())


@pytest.mark.parametrize(
    ("dialect", "text"),
    [(name, text) for name, dialect in MATCHER_DIALECTS.items() for text in dialect.match_all],
)
def test_the_words_for_all_of_a_dialect_select_every_occurrence(dialect: str, text: str) -> None:
    """A01, A08: in most dialects the empty text and `*` mean all."""
    assert compiled(dialect, text) is EVERY


def test_an_event_that_takes_no_matcher_runs_the_hook_whatever_it_says() -> None:
    assert compiled("opencode-default", "never") is EVERY


@pytest.mark.parametrize("dialect", [name for name, d in MATCHER_DIALECTS.items() if d.kind != "none"])
@pytest.mark.parametrize(
    ("value", "kind"),
    [({"toolName": "bash"}, "an object"), (["Bash"], "a list"), (5, "a number"), (True, "a boolean")],
    ids=str,
)
def test_a_matcher_that_is_no_text_is_a_named_type_error(dialect: str, value: object, kind: str) -> None:
    """B54, A54: neither match-all nor match-none."""
    with pytest.raises(CompatError) as caught:
        compiled(dialect, value)
    assert caught.value.code is ErrorCode.INVALID_MATCHER
    assert f"found {kind}: {value}" in caught.value.message


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        pytest.param("claude-default", "*x*", id="A60-glob"),
        ("claude-default", "Bash("),
        ("codex-default", "^(?!Read)"),
        ("copilot-default", "*"),
        ("copilot-default", "("),
        ("copilot-claude-names", "*Bash"),
        ("workbuddy-default", "[z-a]"),
    ],
)
def test_a_pattern_that_the_vendor_refuses_is_an_error_that_shows_it_and_the_way_out(dialect: str, text: str) -> None:
    with pytest.raises(CompatError) as caught:
        compiled(dialect, text)
    assert caught.value.code is ErrorCode.INVALID_MATCHER
    assert repr(text) in caught.value.message
    assert "never matches" in caught.value.message
    assert "A plain tool name" in caught.value.message


@pytest.mark.parametrize(
    ("vendor", "event", "text", "host_tool", "selected"),
    [
        pytest.param("claude", "PreToolUse", "Bash", "bash", True, id="vendor-name"),
        pytest.param("claude", "PreToolUse", "bash", "bash", False, id="B01-host-name"),
        pytest.param("claude", "PreToolUse", "^write$", "write", False, id="A04-host-name"),
        pytest.param("claude", "PreToolUse", "Task", "subagent", True, id="legacy-name"),
        pytest.param("claude", "PreToolUse", "mcp__srv__push", "mcp__srv__push", True, id="B57-unknown-tool"),
        pytest.param("claude", "PreToolUse", "mcp__srv__push", "srv_push", False, id="B57-other-form"),
        pytest.param("codex", "PreToolUse", "Edit", "edit", True, id="codex-alias"),
        pytest.param("codex", "PreToolUse", "Write", "edit", True, id="codex-alias-of-each-patch"),
        pytest.param("codex", "PreToolUse", "Edit", "write", True, id="codex-other-alias-of-each-patch"),
        pytest.param("codex", "PreToolUse", "apply_patch", "write", True, id="codex-name-of-each-patch"),
        pytest.param("codex", "PreToolUse", "^[^aW]", "edit", True, id="codex-any-alias"),
        pytest.param("codex", "PreToolUse", "^[^aWE]", "edit", False, id="codex-no-alias"),
        pytest.param("copilot", "preToolUse", "apply_patch", "edit", True, id="copilot-other-runtime-name"),
        pytest.param("copilot", "preToolUse", "powershell", "bash", True, id="copilot-powershell"),
        pytest.param("copilot", "preToolUse", "(?!Bash$).*", "bash", True, id="copilot-native-name-is-not-excluded"),
        pytest.param("copilot", "PreToolUse", "(?!Bash$).*", "bash", False, id="copilot-claude-name-is-excluded"),
        pytest.param("copilot", "PreToolUse", "(?!Bash$).*", "edit", True, id="copilot-claude-name-is-not-excluded"),
        pytest.param("copilot", "PreToolUse", "(?!Bash$).*", "deploy", True, id="copilot-tool-without-claude-name"),
        pytest.param("copilot", "PreToolUse", "ba.*", "bash", False, id="copilot-pattern-on-claude-names-only"),
        pytest.param("copilot", "PreToolUse", "bash", "bash", True, id="copilot-list-on-both-names"),
        pytest.param("workbuddy", "PreToolUse", "z|read_file", "read", True, id="B59-a-letter-of-no-name"),
        pytest.param("workbuddy", "PreToolUse", r"^(?:\W|(?<!x)[A-Z]).*", "read", True, id="B59-not-negated"),
        pytest.param("codex", "PreToolUse", "exec_command", "bash", False, id="codex-inner-name"),
        pytest.param("copilot", "preToolUse", "view", "read", True, id="copilot-name"),
        pytest.param(
            "copilot", "preToolUse", "Read", "read", False, id="copilot-claude-name-under-the-native-spelling"
        ),
        pytest.param("workbuddy", "PreToolUse", "Bash", "bash", True, id="B59-cli-name"),
        pytest.param("workbuddy", "PreToolUse", "execute_command", "bash", True, id="B59-ide-name"),
        pytest.param("workbuddy", "PreToolUse", "^(?!(Read|Glob)$).*", "read", False, id="B59-excluded"),
        pytest.param("workbuddy", "PreToolUse", "^(?!(Read|Glob)$).*", "edit", True, id="B59-not-excluded"),
        pytest.param("workbuddy", "PreToolUse", "[A-Z]", "bash", True, id="any-capital"),
    ],
)
def test_a_tool_is_selected_by_the_vendors_names_for_it(
    *, vendor: str, event: str, text: str, host_tool: str, selected: bool
) -> None:
    found = way(vendor, event)
    spelling = found.row.spellings.get(event)
    matcher = compile_matcher(text, found.vendor.dialect.matchers[spelling.matcher if spelling else found.row.matcher])
    known = subjects({"tool.host_name": host_tool, "tool.host_arguments": {}}, found.row, found.vendor)
    assert matcher.selects(known) is selected


@pytest.mark.parametrize(("text", "selected"), [("reviewer", True), ("coder", False)])
def test_a_matcher_on_the_end_of_a_subagent_is_compared_with_its_type(text: str, *, selected: bool) -> None:
    """B51."""
    found = way("claude", "SubagentStop", native=True)
    matcher = compile_matcher(text, found.vendor.dialect.matchers[found.row.matcher])
    assert matcher.selects(subjects({"agent.type": "reviewer"}, found.row, found.vendor)) is selected


@given(text=json_values | texts | patterns, dialect=matcher_dialects, subject=st.lists(names | texts, max_size=3))
@settings(max_examples=300, deadline=None)
@example(text="(?!a)", dialect=MATCHER_DIALECTS["claude-default"], subject=["\ud800", ""])
def test_a_matcher_is_refused_as_invalid_or_is_a_total_predicate(
    *, text: object, dialect: MatcherDialect, subject: list[str]
) -> None:
    try:
        matcher = compile_matcher(text, dialect)
    except CompatError as error:
        assert error.code is ErrorCode.INVALID_MATCHER  # noqa: PT017 - either of two ends is right
    else:
        matched, selected = matcher.matches(subject), matcher.selects(subject)
        assert matched in (True, False)
        assert matched or not selected


@given(
    wanted=st.lists(st.text("abcXYZ019_-", min_size=1, max_size=4), min_size=1, max_size=4),
    separator=st.sampled_from([",", "|", ", ", " | "]),
    name=st.text("abcXYZ019_-", min_size=1, max_size=4),
)
def test_a_list_of_plain_names_selects_exactly_these_names(*, wanted: list[str], separator: str, name: str) -> None:
    matcher = compiled("claude-default", separator.join(wanted))
    assert matcher.matches([name]) is (name in wanted)
