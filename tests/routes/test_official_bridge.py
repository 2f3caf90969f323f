"""The official bridges: hooks become the bridge's own configuration, and the host mounts it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode, Route
from dsh_compat_adapter.catalog.surface import Surface
from dsh_compat_adapter.declare.declaration import HookDeclaration
from dsh_compat_adapter.grading import grade
from dsh_compat_adapter.hooks.engine import Engine
from dsh_compat_adapter.hooks.patterns import compile_pattern
from dsh_compat_adapter.hooks.policy import Policy
from dsh_compat_adapter.hooks.process import LocalShell, Shell
from dsh_compat_adapter.routes import official_bridge
from dsh_compat_adapter.routes.point import Mounting
from dsh_compat_adapter.seams.host import Dispose, Listener
from tests.mounting import BRIDGED, CATALOG, SURFACE, WatchedHost, adapting, denies, hook

PROJECT = Path("/")
TOOL_ROWS = [(vendor, event) for vendor, event in BRIDGED if CATALOG.vendors[vendor].rows[event].subject == "tool.name"]


def config(*hooks: Any) -> dict[str, Any]:
    return official_bridge.bridge_config(hooks)


async def test_a_claude_guard_denies_through_the_bridge(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path)
    async with adapting(host) as adapter:
        result = await adapter.register_hook(
            vendor="claude", event="PreToolUse", matcher="Write", handler=f"cat > seen.json; {denies('no writes')}"
        )
        call = await host.call("write", {"file_path": "a", "content": "x"})
    assert (result.route, call.text, call.denied) == (Route.OFFICIAL_BRIDGE, "Error: no writes", True)
    assert not (tmp_path / "a").exists()
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert (seen["hook_event_name"], seen["tool_input"]) == ("PreToolUse", {"file_path": "a", "content": "x"})


def test_one_bridge_serves_all_events_of_a_vendor() -> None:
    groups = [official_bridge.group(hook(vendor, event, "true", project=PROJECT)) for vendor, event in BRIDGED]
    assert groups == [vendor for vendor, _ in BRIDGED]


def test_the_configuration_is_that_of_the_bridge_in_the_order_of_the_hooks() -> None:
    hooks = [
        hook("claude", "PreToolUse", "sh guard.sh", matcher=".*", timeout=5, project=PROJECT),
        hook("claude", "Stop", {"type": "command", "command": "sh stop.sh", "timeout": 7.5}, project=PROJECT),
        hook("claude", "PreToolUse", "sh second.sh", project=PROJECT),
    ]
    assert config(*hooks) == {
        "hooks": {
            "PreToolUse": [
                {
                    "matcher": official_bridge.host_matcher(hooks[0]),
                    "hooks": [{"type": "command", "command": "sh guard.sh", "timeout": 5}],
                },
                {"hooks": [{"type": "command", "command": "sh second.sh", "timeout": 600}]},
            ],
            "Stop": [{"hooks": [{"type": "command", "command": "sh stop.sh", "timeout": 7.5}]}],
        }
    }


@pytest.mark.parametrize(("vendor", "event"), BRIDGED, ids=[f"{vendor}-{event}" for vendor, event in BRIDGED])
def test_every_bridged_event_has_a_configuration_that_is_json(vendor: str, event: str) -> None:
    command = 'printf \'"%s"\' "$x" && echo 你好'
    written = config(hook(vendor, event, command, project=PROJECT))
    ((group,),) = json.loads(json.dumps(written))["hooks"].values()
    assert group["hooks"][0]["command"] == command


# matchers


def selects(pattern: str | None, name: str) -> bool:
    """What the bridge does: an unanchored JavaScript pattern over the host's name."""
    return pattern is None or compile_pattern(pattern, "ecmascript", anchored=False)(name) is True


@pytest.mark.parametrize(
    ("vendor", "matcher", "expected"),
    [
        ("claude", "Write", "Write|^(?:write)$"),
        ("claude", "Edit|Write", "Edit|Write|^(?:write|edit)$"),
        ("claude", "Task", "Task|^(?:subagent)$"),
        ("claude", "mcp__memory__.*", "mcp__memory__.*"),
        ("claude", "*", None),
        ("claude", "", None),
        ("claude", None, None),
        ("workbuddy", "execute_command", "execute_command|^(?:bash)$"),
        ("codex", "apply_patch", "apply_patch|^(?:edit|write)$"),
        ("codex", "Write", "Write|^(?:edit|write)$"),
        ("codex", "(?i)^BASH$", "^(?:bash)$"),
        ("codex", "^[A-Z&&[^B]]", "^(?:edit|write)$"),
        ("codex", "^[^aE]", "^[^aE]|^(?:edit|write)$"),
        ("codex", "^edit$", "[^\\s\\S]"),
    ],
)
def test_the_matcher_gains_the_host_names_of_the_tools_that_it_selects(
    vendor: str, matcher: str | None, expected: str | None
) -> None:
    found = official_bridge.host_matcher(hook(vendor, "PreToolUse", "true", matcher=matcher, project=PROJECT))
    if found is None or expected is None:
        assert found == expected
        return
    for tool in SURFACE.tools:
        assert selects(found, tool) == selects(expected, tool)


@pytest.mark.parametrize(
    ("matcher", "selected"),
    [
        ("startup", ["startup"]),
        ("startup|resume", ["startup", "resume"]),
        ("startup, clear", ["startup", "clear"]),
        ("start", []),
        ("^(?!startup$)", ["resume", "clear", "compact"]),
        (None, ["startup", "resume", "clear", "compact"]),
    ],
)
def test_a_matcher_on_anything_but_a_tool_selects_the_same_at_the_bridge(
    matcher: str | None, selected: list[str]
) -> None:
    generated = official_bridge.host_matcher(hook("claude", "SessionStart", "true", matcher=matcher, project=PROJECT))
    values = ["startup", "resume", "clear", "compact"]
    assert [value for value in values if selects(generated, value)] == selected


TOOL_NAMES = sorted({name for v in CATALOG.vendors.values() for t in v.tools for name in (t.name, *t.aliases, t.host)})


@given(
    st.sampled_from(TOOL_ROWS),
    st.lists(st.sampled_from([*TOOL_NAMES, "mcp__a__b"]), min_size=1, max_size=3).map("|".join)
    | st.sampled_from([".*", "^Web", "(?:Read|Write)", "E.it", "sh$", "[A-Z].*", "^[a-z]+_file$"]),
)
def test_every_tool_that_the_original_selects_is_selected_at_the_bridge(row: tuple[str, str], matcher: str) -> None:
    one = hook(row[0], row[1], "true", matcher=matcher, project=PROJECT)
    generated = official_bridge.host_matcher(one)
    for tool in one.vendor.tools:
        if one.matcher.selects((tool.name, *tool.aliases)):
            assert selects(generated, tool.host)


@pytest.mark.parametrize(
    ("matcher", "left_out"),
    [("write", "write"), ("Write", "todo_write"), ("bash|Read", "bash"), ("^(?!Read$)", "read"), ("[^R]ead", "read")],
)
def test_a_tool_that_the_original_leaves_out_stays_out_at_the_bridge(matcher: str, left_out: str) -> None:
    generated = official_bridge.host_matcher(hook("claude", "PreToolUse", "true", matcher=matcher, project=PROJECT))
    assert not selects(generated, left_out)


@pytest.mark.parametrize(
    ("matcher", "selected"),
    [
        ("mcp__.*__delete", True),
        ("mcp__.*__read", False),
        ("mcp__files__delete", True),
        ("mcp__files__del", False),
        ("Write|mcp__files__delete", True),
        ("write, mcp__files__delete", True),
        ("^(?!Read$)", True),
        ("[^R]ead|delete", True),
    ],
)
def test_a_tool_that_the_vendor_does_not_know_is_compared_with_the_original(matcher: str, *, selected: bool) -> None:
    generated = official_bridge.host_matcher(hook("claude", "PreToolUse", "true", matcher=matcher, project=PROJECT))
    assert selects(generated, "mcp__files__delete") is selected


# hosts


class BridgelessHost:
    """A host whose surface promises bridges that it cannot mount."""

    surface: Surface = SURFACE
    shell: Shell | None = LocalShell()
    project_dir = "/"
    can_ask = False

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        raise NotImplementedError((seam, listener))


async def test_a_host_that_promises_a_bridge_and_cannot_mount_one_is_told_so() -> None:
    host = BridgelessHost()
    engine = Engine(LocalShell(), policy=Policy.VENDOR, environment={})
    one = hook("claude", "PreToolUse", "true", project=PROJECT)
    with pytest.raises(CompatError, match="offers no way to mount one") as raised:
        await official_bridge.mount([one], Mounting(host=host, engine=engine, report=lambda _: None))
    assert raised.value.code is ErrorCode.INVALID_DECLARATION


async def test_an_adapter_on_such_a_host_registers_nothing() -> None:
    async with adapting(BridgelessHost()) as adapter:
        with pytest.raises(CompatError):
            await adapter.register_hook(vendor="claude", event="PreToolUse", handler="true")
        assert adapter.status().hooks == ()


@pytest.mark.parametrize(("vendor", "event"), BRIDGED, ids=[f"{vendor}-{event}" for vendor, event in BRIDGED])
def test_without_the_bridge_there_is_no_silent_substitute(vendor: str, event: str) -> None:
    without = SURFACE._replace(services=frozenset({"shell"}))
    declaration = HookDeclaration(vendor=vendor, event=event, handler="true")
    graded = grade(declaration, CATALOG, without, "/", has_shell=True)
    assert (graded.hook, graded.result.code) == (None, "no-official-bridge")
    bridge = CATALOG.vendors[vendor].bridge
    assert bridge is not None
    assert bridge.package in str(graded.result.reason)
    assert "bridge: native" in str(graded.result.remedy)


def repeated(*matchers: str | None, vendor: str = "claude", handler: object = "sh guard.sh") -> list[Any]:
    hooks = [hook(vendor, "PreToolUse", handler, matcher=matcher, project=PROJECT) for matcher in matchers]
    events: list[Any] = config(*hooks)["hooks"]["PreToolUse"]
    return events


def test_a_command_that_the_vendor_runs_once_stands_once() -> None:
    """B45: user and project settings name the same command."""
    assert len(repeated("Bash", "Bash")) == 1
    assert repeated("Bash", None) == [{"hooks": [{"type": "command", "command": "sh guard.sh", "timeout": 600.0}]}]


@pytest.mark.parametrize("name", ["bash", "write", "edit", "read"])
def test_the_one_group_of_a_repeated_command_selects_what_each_of_its_matchers_selects(name: str) -> None:
    (group,) = repeated("Bash", "^Wri", "Edit|Write")
    accepts = compile_pattern(group["matcher"], "ecmascript", anchored=False)
    assert accepts(name) is (name != "read")


def test_matchers_that_refer_to_their_own_groups_are_not_joined() -> None:
    assert len(repeated("(B)ash", r"(x)\1")) == 2


def test_commands_that_differ_in_what_the_vendor_compares_stand_apart() -> None:
    one, other = ({"type": "command", "command": "sh g.sh", "if": text} for text in ("Bash(a *)", "Bash(b *)"))
    hooks = [hook("claude", "PreToolUse", handler, project=PROJECT) for handler in (one, other)]
    assert len(config(*hooks)["hooks"]["PreToolUse"]) == 2


def test_a_vendor_that_runs_a_repeated_command_each_time_has_it_each_time() -> None:
    assert len(repeated("Bash", "Bash", vendor="codex")) == 2
