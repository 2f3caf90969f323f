"""The project's own translation: three routes that differ in their rows alone, each with one event on a real host."""

from dataclasses import replace
from pathlib import Path

import pytest

from dsh_compat_adapter import Capability, Route
from dsh_compat_adapter.routes import ROUTES, native
from dsh_compat_adapter.seams.decisions import Notify
from tests.mounting import (
    CATALOG,
    RefusedError,
    WatchedHost,
    adapting,
    adds_context,
    hook,
    mounting,
    prints,
)
from tests.recording import Kept


@pytest.fixture
def host(tmp_path: Path) -> WatchedHost:
    return WatchedHost(tmp_path)


FLAT_DENY = prints({"permissionDecision": "deny", "permissionDecisionReason": "hands off"})


# one event of each route


async def test_native_translate_feeds_the_failure_of_a_tool_back(host: WatchedHost, tmp_path: Path) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook(
            vendor="claude",
            event="PostToolUseFailure",
            matcher="Read",
            handler=f"cat > seen.json; {adds_context('try another file', 'PostToolUseFailure')}",
        )
        await host.call("read", {"file_path": "missing"})
    assert result.route is Route.NATIVE_TRANSLATE
    assert [message.text for message in host.messages] == ["try another file"]
    seen = (tmp_path / "seen.json").read_text()
    assert '"tool_name":"Read"' in seen
    assert '"hook_event_name":"PostToolUseFailure"' in seen


async def test_native_seam_observes_a_compaction_and_cannot_stop_it(host: WatchedHost, tmp_path: Path) -> None:
    kept = Kept()
    async with adapting(host, facts=[kept]) as adapter:
        result = await adapter.register_hook(
            vendor="claude", event="PreCompact", handler="cat > seen.json; echo 'not now' >&2; exit 2"
        )
        values = {"event.type": "compaction/start", "event.seq": 1, "event.data": {"compaction_id": "c", "turn": "t"}}
        decision = await host.fire("session/event", values)
        assert (tmp_path / "seen.json").exists()
        (tmp_path / "seen.json").unlink()
        await host.fire("session/event", {**values, "event.type": "compaction/end"})
    assert (result.route, result.seams) == (Route.NATIVE_SEAM, ("session/event",))
    assert decision == Notify()
    (fact,) = kept.ended
    assert (fact["decision"], fact["honoured"]) == ("deny", False)
    assert kept.evidence[fact["reason_ref"]] == "not now"
    assert "cannot-block" in fact["losses"]
    assert not (tmp_path / "seen.json").exists()


async def test_builtin_bridge_reads_a_deny_at_the_top_level(host: WatchedHost, tmp_path: Path) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook(
            vendor="copilot", event="preToolUse", matcher="bash", handler=f"cat > seen.json; {FLAT_DENY}"
        )
        call = await host.call("bash", {"command": "touch made"})
    assert (result.capability, result.route) == (Capability.ADAPTED, Route.BUILTIN_BRIDGE)
    assert (call.text, call.denied) == ("Error: hands off", True)
    assert not (tmp_path / "made").exists()
    assert '"toolName":"bash"' in (tmp_path / "seen.json").read_text()


@pytest.mark.parametrize(
    ("matcher", "denied"),
    [
        ("bash", True),
        ("bas", False),
        ("ash", False),
        ("bas.", True),
        ("edit|bash", True),
        ("Bash", False),
        ("b", False),
        (None, True),
    ],
)
async def test_a_copilot_matcher_has_to_match_the_whole_name(
    host: WatchedHost, matcher: str | None, *, denied: bool
) -> None:
    async with adapting(host) as adapter:
        await adapter.register_hook(vendor="copilot", event="preToolUse", matcher=matcher, handler=FLAT_DENY)
        assert (await host.call("bash", {"command": "true"})).denied is denied


async def test_the_same_text_is_no_decision_in_the_nested_grammar_and_the_fact_says_so(host: WatchedHost) -> None:
    kept = Kept()
    async with adapting(host, facts=[kept]) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", handler=FLAT_DENY, bridge="native")
        assert not (await host.call("bash", {"command": "true"})).denied
    assert kept.ended[0]["problems"] == ["decision-misplaced"]


async def test_a_hook_that_observes_leaves_context_and_feedback_nowhere(host: WatchedHost) -> None:
    """A row without honours decides nothing, whatever its hook answers."""
    said = prints({"decision": "block", "reason": "no", "continue": False, "additionalContext": "text"})
    async with adapting(host) as adapter:
        for vendor in CATALOG.vendors.values():
            for row in vendor.rows.values():
                if row.plan is not None and row.plan.route is Route.NATIVE_SEAM:
                    await adapter.register_hook(vendor=vendor.name, event=row.event, handler=said)
        for seam in sorted(set(host.standing)):
            assert await host.fire(seam, {"event.type": "compaction/start", "agent.is_subagent": False}) == Notify()
    assert host.messages == []


# mounting


def test_hooks_are_grouped_by_vendor_and_event(tmp_path: Path) -> None:
    one = hook("claude", "PreToolUse", "true", project=tmp_path, bridge="native")
    same = hook("claude-code", "PreToolUse", "false", project=tmp_path, matcher="Bash", bridge="native")
    others = [
        hook("claude", "PostToolUse", "true", project=tmp_path, bridge="native"),
        hook("codex", "PreToolUse", "true", project=tmp_path, bridge="native"),
    ]
    assert native.group(one) == native.group(same)
    assert native.group(one) not in [native.group(other) for other in others]


@pytest.mark.parametrize("route", [Route.NATIVE_TRANSLATE, Route.NATIVE_SEAM, Route.BUILTIN_BRIDGE])
def test_three_routes_share_the_module(route: Route) -> None:
    assert (ROUTES[route].group, ROUTES[route].mount) == (native.group, native.mount)


async def test_a_group_stands_once_at_each_seam_of_its_plan_until_it_is_unmounted(
    host: WatchedHost, tmp_path: Path
) -> None:
    hooks = [hook("copilot", "preToolUse", command, project=tmp_path) for command in ("true", "false")]
    both = [replace(one, plan=one.plan._replace(seams=("tools/pre-execute", "tools/result"))) for one in hooks]
    unmount = await native.mount(both, mounting(host))
    assert host.standing == ["tools/pre-execute", "tools/result"]
    await unmount()
    assert host.standing == []


async def test_a_seam_that_refuses_leaves_no_subscription_at_the_others(host: WatchedHost, tmp_path: Path) -> None:
    one = hook("copilot", "preToolUse", "true", project=tmp_path)
    both = replace(one, plan=one.plan._replace(seams=("tools/pre-execute", "tools/result")))
    host.refused = frozenset({"tools/result"})
    with pytest.raises(RefusedError):
        await native.mount([both], mounting(host))
    assert host.standing == []
