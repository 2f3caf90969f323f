"""The embedded host's official bridges read a bridge's own configuration and honour what their rows honour."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.hosts.embedded import bridge
from dsh_compat_adapter.routes.point import Unmount
from tests.mounting import (
    CATALOG,
    RefusedError,
    WatchedHost,
    adapting,
    adds_context,
    decides,
    denies,
    mounting,
    prints,
)
from tests.recording import Kept

Group = dict[str, object]


def group(command: str, matcher: str | None = None) -> Group:
    handler = {"type": "command", "command": command, "timeout": 10}
    return {"hooks": [handler]} if matcher is None else {"matcher": matcher, "hooks": [handler]}


async def mount(
    host: WatchedHost, events: Mapping[str, list[Group]], vendor: str = "claude", kept: Kept | None = None
) -> Unmount:
    config = {"hooks": events}
    return await bridge.mount(CATALOG.vendors[vendor], config, CATALOG, mounting(host, kept))


@pytest.fixture
def host(tmp_path: Path) -> WatchedHost:
    return WatchedHost(tmp_path)


async def denied(host: WatchedHost, *tools: str) -> list[bool]:
    return [(await host.call(tool, {})).denied for tool in tools]


async def test_each_event_stands_once_and_goes_with_the_bridge(host: WatchedHost) -> None:
    unmount = await mount(
        host, {"PreToolUse": [group("true"), group("true", "Bash")], "Stop": [group("true")], "PostToolUse": []}
    )
    assert host.standing == ["tools/pre-execute", "agent/turn-stopping"]
    await unmount()
    assert host.standing == []


async def test_the_groups_of_an_event_run_in_their_order_and_are_folded(host: WatchedHost, tmp_path: Path) -> None:
    await mount(
        host,
        {"PreToolUse": [group("echo 1 >> log"), group(f"echo 2 >> log; {denies('no')}"), group("echo 3 >> log")]},
    )
    assert await denied(host, "read") == [True]
    assert (tmp_path / "log").read_text().split() == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("matcher", "expected"),
    [
        ("Write|^(?:write)$", [True, False, False]),
        ("^(?:todo_write)$", [False, True, False]),
        ("rite", [True, True, False]),
        ("bash", [False, False, True]),
        ("mcp__.*", [False, False, False]),
        (None, [True, True, True]),
    ],
)
async def test_a_matcher_is_an_unanchored_pattern_over_the_names_of_the_host(
    host: WatchedHost, matcher: str | None, expected: list[bool]
) -> None:
    await mount(host, {"PreToolUse": [group(denies("no"), matcher)]})
    assert await denied(host, "write", "todo_write", "bash") == expected


async def test_a_registered_matcher_selects_no_more_tools_than_it_names(host: WatchedHost) -> None:
    """Claude's `Write` is one tool, although its text occurs in TodoWrite."""
    async with adapting(host) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", matcher="Write", handler=denies("no"))
        assert await denied(host, "write", "todo_write", "edit", "mcp__Write") == [True, False, False, False]


async def test_an_aliased_tool_is_selected_by_either_of_its_names(host: WatchedHost) -> None:
    for name in ("Agent", "Task"):
        async with adapting(host) as adapter:
            await adapter.register_hook(vendor="claude", event="PreToolUse", matcher=name, handler=denies("no"))
            assert await denied(host, "subagent", "read") == [True, False]


async def test_what_the_row_does_not_honour_is_dropped_and_said(host: WatchedHost) -> None:
    kept = Kept()
    answer = {
        "continue": False,
        "systemMessage": "to the user",
        "hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "to the model", "updatedInput": {}},
    }
    await mount(host, {"PreToolUse": [group(prints(answer))]}, kept=kept)
    assert await denied(host, "read") == [False]
    assert host.messages == []
    assert set(kept.ended[0]["losses"]) == {
        "context-ignored",
        "stop-ignored",
        "system-message-ignored",
        "updated-input-ignored",
    }


async def test_context_at_the_start_of_a_session_arrives(host: WatchedHost) -> None:
    await mount(host, {"SessionStart": [group(adds_context("the goal", "SessionStart"))]})
    await host.start()
    assert [message.text for message in host.messages] == ["the goal"]


@pytest.mark.parametrize(("vendor", "asked"), [("claude", True), ("workbuddy", True), ("codex", False)])
async def test_an_ask_reaches_the_approver_only_where_the_bridge_passes_it_on(
    tmp_path: Path, vendor: str, *, asked: bool
) -> None:
    asks: list[str] = []

    async def approve(name: str, _: object, reason: str) -> bool:
        asks.append(f"{name}: {reason}")
        return True

    host = WatchedHost(tmp_path, approver=approve)
    await mount(host, {"PreToolUse": [group(decides("ask", "sure?"))]}, vendor)
    await host.call("read", {"file_path": "a"})
    assert asks == (["read: sure?"] if asked else [])


BROKEN: dict[str, tuple[str, Group, ErrorCode]] = {
    "unknown event": ("PreToolUs", group("true"), ErrorCode.UNKNOWN_EVENT),
    "broken pattern": ("PreToolUse", group("true", "(Write"), ErrorCode.INVALID_MATCHER),
    "no command": ("PreToolUse", group("  "), ErrorCode.INVALID_HANDLER),
    "another handler": ("PreToolUse", {"hooks": [{"type": "http", "url": "u"}]}, ErrorCode.INVALID_HANDLER),
}


@pytest.mark.parametrize(("event", "entry", "code"), BROKEN.values(), ids=BROKEN.keys())
async def test_a_broken_configuration_is_refused_whole(
    host: WatchedHost, event: str, entry: Group, code: ErrorCode
) -> None:
    with pytest.raises(CompatError) as raised:
        await mount(host, {"Stop": [group("true")], event: [entry]})
    assert raised.value.code is code
    assert host.standing == []


async def test_a_seam_that_refuses_leaves_nothing_of_the_bridge(host: WatchedHost) -> None:
    host.refused = frozenset({"agent/turn-stopping"})
    with pytest.raises(RefusedError):
        await mount(host, {"PreToolUse": [group("true")], "Stop": [group("true")]})
    assert host.standing == []


@pytest.mark.parametrize(
    ("matcher", "selected"),
    [
        ("(?i)^bash$", "bash"),
        ("^edit$", ""),
        ("^[^aW]", "bash read edit write"),
        ("^[^aWE]", "bash read"),
        ("Write", "edit write"),
        ("^apply", "edit write"),
        (r"\<ash", ""),
        ("^[A-Z&&[^B]]", "edit write"),
        ("(?i)MCP__|^Ba", "bash"),
    ],
)
async def test_a_matcher_of_codex_means_the_same_by_the_bridge_and_without_it(
    tmp_path: Path, matcher: str, selected: str
) -> None:
    """Reading the generated JavaScript as Rust refused some, and a name of a patch selected half of them."""
    tools = ("bash", "read", "edit", "write")
    for way in ("official", "native"):
        host = WatchedHost(tmp_path)
        async with adapting(host) as adapter:
            await adapter.register_hook(
                vendor="codex", event="PreToolUse", matcher=matcher, handler=denies("no"), bridge=way
            )
            found = await denied(host, *tools)
        assert " ".join(tool for tool, no in zip(tools, found, strict=True) if no) == selected, way
