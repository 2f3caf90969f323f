"""`reach`: a matcher that selects nothing on a host is warned about, and nothing is claimed where nobody knows."""

import pytest

from dsh_compat_adapter.catalog.surface import Surface
from dsh_compat_adapter.declare.declaration import HookDeclaration
from dsh_compat_adapter.grading import grade
from dsh_compat_adapter.hooks.matcher import PROBE_LIMIT_S, Matcher
from dsh_compat_adapter.hooks.patterns import TIME_LIMIT_S
from dsh_compat_adapter.reach import doubts
from tests.projects import CATALOG, SURFACE

DSH = CATALOG.surfaces["dsh-0.2.1-rc.2"]


def warned(
    owner: str, event: str, matcher: str, surface: Surface = SURFACE, bridge: str = "native"
) -> list[tuple[str, str]]:
    """The warnings about the reach of a matcher: code and text."""
    declaration = HookDeclaration(vendor=owner, event=event, matcher=matcher, handler="true", bridge=bridge)
    found = grade(declaration, CATALOG, surface, "/", has_shell=True)
    assert found.hook is not None
    return [(one.code, one.text) for one in found.result.warnings]


@pytest.mark.parametrize(
    ("owner", "event", "matcher", "says"),
    [
        pytest.param("claude", "PreToolUse", "Bash(git push*)", "write 'Bash'", id="B01-argument"),
        pytest.param("claude", "PreToolUse", "bash", "Did you mean 'Bash'?", id="B01-case"),
        pytest.param("claude", "PreToolUse", "^write$", "selects no known tool", id="A04"),
        ("claude", "PreToolUse", "Writ", "Did you mean 'Write'?"),
        ("claude", "PreToolUse", "^Nothing$", "selects no known tool"),
        pytest.param("codex", "PreToolUse", "^edit$", "selects no known tool", id="codex-host-name"),
        ("codex", "PermissionRequest", "Bash,Edit", "selects no known tool"),
        pytest.param("copilot", "PreToolUse", "ba.*", "selects no known tool", id="copilot-pattern-on-claude-names"),
        pytest.param("opencode", "tool.execute.before", "apply_patch", "names what no host calls", id="B57"),
        ("opencode", "tool.execute.after", "plan_exit", "names what no host calls"),
        ("opencode", "tool.execute.before", "Bash", "Did you mean 'bash'?"),
    ],
)
def test_a_matcher_that_selects_no_known_tool_is_told_why(owner: str, event: str, matcher: str, says: str) -> None:
    for surface in (SURFACE, DSH):
        [(code, text)] = warned(owner, event, matcher, surface)
        assert code == "matcher-never-fires"
        assert says in text


@pytest.mark.parametrize(
    ("owner", "event", "matcher"),
    [
        ("claude", "PreToolUse", "Bash"),
        pytest.param("claude", "PreToolUse", "rit.", id="B02"),
        pytest.param("claude", "PreToolUse", "mcp__[^_]+__x", id="B03"),
        ("claude", "PreToolUse", "mcp__my_server__list"),
        ("claude", "PreToolUse", "mcp.*"),
        ("claude", "PreToolUse", ".*__delete$"),
        ("claude", "PreToolUse", "Edit,Write"),
        pytest.param("claude", "PreToolUse", "write_file|Edit", id="A08"),
        pytest.param("claude", "PreToolUse", "^mcp__memory__", id="A23"),
        pytest.param("claude", "PreToolUse", r"agent|worker|a\.b|mcp__.*", id="A26"),
        pytest.param("codex", "PreToolUse", "^(apply_patch|Bash)$", id="A34"),
        ("codex", "PreToolUse", "Write"),
        ("copilot", "preToolUse", "powershell"),
        ("copilot", "preToolUse", "mcp__srv__push"),
        ("opencode", "tool.execute.before", "srv_push"),
        pytest.param("workbuddy", "PreToolUse", "^(?!(Read|Glob)$).*", id="B59"),
        ("workbuddy", "PreToolUse", "execute_command"),
    ],
)
def test_a_matcher_that_may_select_a_tool_is_not_doubted(owner: str, event: str, matcher: str) -> None:
    """What is said of a part of it, or of tools that it leaves out, is another matter."""
    said = {code for code, _ in warned(owner, event, matcher)}
    assert said <= {"matcher-misses-tools", "matcher-part-never-fires"}


def test_a_tool_of_the_host_that_the_vendor_does_not_know_is_a_tool() -> None:
    assert warned("claude", "PreToolUse", "read_image", DSH) == []
    assert [code for code, _ in warned("claude", "PreToolUse", "read_image")] == ["matcher-never-fires"]
    assert warned("claude", "PreToolUse", "deploy", SURFACE._replace(tools=(*SURFACE.tools, "deploy"))) == []


def test_no_more_is_claimed_than_that_the_host_may_have_a_further_tool() -> None:
    [(_, text)] = warned("claude", "PreToolUse", "Deploy")
    assert "runs only where the host has a further tool by such a name" in text


@pytest.mark.parametrize(
    ("owner", "event", "matcher"),
    [
        ("claude", "SessionStart", "clear"),
        ("claude", "SessionStart", "compact|fork"),
        ("codex", "SessionStart", "^clear"),
        ("workbuddy", "SessionStart", "compact"),
        ("claude", "SubagentStop", "reviewer"),
        ("claude", "SubagentStart", "Explore|Plan"),
        ("codex", "SubagentStop", "default"),
        ("copilot", "subagentStart", "reviewer"),
        ("copilot", "notification", "agent_idle"),
        ("claude", "SessionEnd", "logout"),
        ("native", "session:start", "clear"),
    ],
)
def test_a_value_that_the_host_never_sends_is_warned_about(owner: str, event: str, matcher: str) -> None:
    """Where whoever fires the event can send another, that is said instead."""
    [(code, text)] = warned(owner, event, matcher, DSH)
    assert (code, text.endswith("so the hook never runs.")) == ("matcher-never-fires", True)
    [(code, text)] = warned(owner, event, matcher)
    assert (code, "whoever fires the event" in text) == ("matcher-value-not-sent", True)


@pytest.mark.parametrize("surface", [SURFACE, DSH], ids=lambda one: one.title)
@pytest.mark.parametrize(
    ("owner", "event", "matcher"),
    [
        pytest.param("claude", "SessionStart", "startup|clear|compact", id="A20"),
        ("claude", "SessionStart", "resume"),
        ("claude", "SubagentStop", "general-purpose"),
        ("codex", "SubagentStart", "general"),
        ("copilot", "notification", "permission_prompt"),
        ("claude", "PreModelSwitch", "opus"),
        ("claude", "FileChanged", "Makefile"),
        ("claude", "UserPromptExpansion", "deploy"),
        ("claude", "StopFailure", "rate_limit"),
    ],
)
def test_a_value_that_is_sent_or_of_which_nobody_knows_is_not_doubted(
    owner: str, event: str, matcher: str, surface: Surface
) -> None:
    if event == "SubagentStart" and owner == "codex":
        matcher = f"^{matcher}"  # a plain name is compared as a whole
    assert warned(owner, event, matcher, surface) == []


def test_what_is_compared_with_a_constant_never_fires_for_another_value_whoever_fires_the_event() -> None:
    assert [code for code, _ in warned("claude", "PreCompact", "manual", SURFACE)] == ["matcher-never-fires"]
    assert warned("claude", "PreCompact", "auto", SURFACE) == []


def test_a_value_that_the_vendor_does_not_have_never_fires_anywhere() -> None:
    [(code, text)] = warned("claude", "SessionStart", "Bash")
    assert code == "matcher-never-fires"
    assert "no known value of SessionStart" in text


def test_a_pattern_that_cannot_be_judged_at_once_is_probed_once_and_not_doubted() -> None:
    probes: list[float] = []

    def accepts(subject: str, limit_s: float = TIME_LIMIT_S) -> bool | None:
        probes.append(limit_s)
        return None if subject == "Read" else False

    owner = CATALOG.vendor("claude")
    row = CATALOG.row(owner, "PreToolUse")
    assert row.plan is not None
    assert doubts(Matcher("x", accepts), row, row.plan, owner, SURFACE) == []
    assert probes == [PROBE_LIMIT_S, PROBE_LIMIT_S]  # Bash, Read and no more


def test_a_pattern_of_exponential_time_is_graded() -> None:
    assert warned("claude", "PreToolUse", r"^(?!x)(([A-Za-z0-9_]+)+)+!$") == []


def test_a_matcher_that_javascript_cannot_say_is_narrowed_on_the_bridge_and_this_is_said() -> None:
    [(code, text)] = warned("codex", "PreToolUse", "(?i)^bash$", bridge="official")
    assert code == "bridge-narrows-matcher"
    assert "bridge: native" in text
    assert warned("codex", "PreToolUse", "(?i)^bash$") == []
    assert warned("codex", "PreToolUse", "^Ba|mcp__.*", bridge="official") == []
