"""What one adapter has mounted changes all or nothing."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from dsh_compat_adapter.catalog.model import Vendor
from dsh_compat_adapter.declare.declaration import RulesDeclaration
from dsh_compat_adapter.routes import carry
from dsh_compat_adapter.routes.mounts import Mounts
from dsh_compat_adapter.routes.point import Mounting, Unmount
from dsh_compat_adapter.seams.decisions import DenyTool
from tests.mounting import CATALOG, RefusedError, WatchedHost, denies, hook, mounting


@pytest.fixture
def host(tmp_path: Path) -> WatchedHost:
    return WatchedHost(tmp_path)


@pytest.fixture
def rules(tmp_path: Path) -> tuple[carry.Rule, ...]:
    (tmp_path / "AGENTS.md").write_text("be brief")
    declaration = RulesDeclaration(vendor="codex", source="AGENTS.md", base_dir=tmp_path)
    return carry.read_rules(declaration, CATALOG.vendors["codex"]).rules


def nothing() -> None:
    """Nobody waits for the mounts to stand."""


CALL = {"tool.host_name": "bash", "tool.host_arguments": {}}


async def test_a_group_grows_in_the_order_of_its_hooks(host: WatchedHost, tmp_path: Path) -> None:
    mounts = Mounts(host, mounting(host))
    for reason in ("one", "two"):
        await mounts.add([hook("claude", "PreToolUse", denies(reason), project=tmp_path)], [], nothing)
    assert host.standing == ["tools/pre-execute"]
    assert await host.fire("tools/pre-execute", CALL) == DenyTool(reason="one\n\ntwo")


async def test_hooks_and_rules_come_together_or_not_at_all(
    host: WatchedHost, tmp_path: Path, rules: tuple[carry.Rule, ...]
) -> None:
    mounts = Mounts(host, mounting(host))
    hooks = [
        hook("claude", "PreToolUse", "true", project=tmp_path),
        hook("copilot", "preToolUse", "true", project=tmp_path),
    ]
    host.refused = frozenset({"agent/created"})
    with pytest.raises(RefusedError):
        await mounts.add(hooks, rules, nothing)
    assert host.standing == []
    host.refused = frozenset()
    await mounts.add(hooks, rules, nothing)
    assert host.standing == ["tools/pre-execute", "tools/pre-execute", "agent/created"]


async def test_rules_go_again_where_the_host_does_not_give_up_a_former_group(
    host: WatchedHost, tmp_path: Path, rules: tuple[carry.Rule, ...]
) -> None:
    mounts = Mounts(host, mounting(host))
    await mounts.add([hook("claude", "PreToolUse", "true", project=tmp_path)], [], nothing)
    host.keeps = frozenset({"tools/pre-execute"})
    with pytest.raises(RefusedError):
        await mounts.add([hook("claude", "PreToolUse", "false", project=tmp_path)], rules, nothing)
    assert "agent/created" not in host.standing


async def test_without_a_shell_rules_alone_are_added(host: WatchedHost, rules: tuple[carry.Rule, ...]) -> None:
    mounts = Mounts(host, None)
    await mounts.add([], rules, nothing)
    await mounts.add([], rules, nothing)
    assert host.standing == ["agent/created"]
    await host.start()
    assert host.messages[0].text.count("be brief") == 1  # one file is one text, however often it was registered


async def test_adding_nothing_changes_nothing(host: WatchedHost) -> None:
    await Mounts(host, mounting(host)).add([], [], nothing)
    assert host.standing == []


async def test_what_was_removed_does_not_come_back_with_the_next_hook(
    host: WatchedHost, tmp_path: Path, rules: tuple[carry.Rule, ...]
) -> None:
    mounts = Mounts(host, mounting(host))
    await mounts.add([hook("claude", "PreToolUse", denies("one"), project=tmp_path)], rules, nothing)
    await mounts.remove()
    await mounts.remove()
    assert host.standing == []
    await mounts.add([hook("claude", "PreToolUse", denies("two"), project=tmp_path)], [], nothing)
    assert await host.fire("tools/pre-execute", CALL) == DenyTool(reason="two")


class SlowHost(WatchedHost):
    """A host that gives a bridge back only when it is told to, so that a cancellation can come meanwhile."""

    def __init__(self, project: Path) -> None:
        super().__init__(project)
        self.taking_off = asyncio.Event()
        self.may_go_on = asyncio.Event()

    async def mount_bridge(self, vendor: Vendor, config: Mapping[str, object], mounting: Mounting) -> Unmount:
        unmount = await super().mount_bridge(vendor, config, mounting)

        async def slowly() -> None:
            self.taking_off.set()
            await self.may_go_on.wait()
            await unmount()

        return slowly


async def test_a_cancellation_while_a_former_group_goes_leaves_every_refusal_standing_and_recorded(
    tmp_path: Path,
) -> None:
    host = SlowHost(tmp_path)
    mounts, recorded = Mounts(host, mounting(host)), list[str]()
    await mounts.add([hook("claude", "PreToolUse", denies("one"), project=tmp_path)], [], nothing)
    growing = asyncio.ensure_future(
        mounts.add(
            [hook("claude", "PreToolUse", denies("two"), project=tmp_path)], [], lambda: recorded.append("stands")
        )
    )
    await host.taking_off.wait()
    growing.cancel()
    host.may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await growing
    assert recorded == ["stands"]
    assert await host.fire("tools/pre-execute", CALL) == DenyTool(reason="one\n\ntwo")


async def test_where_the_host_refuses_to_give_up_one_group_the_refusals_of_all_still_stand(
    host: WatchedHost, tmp_path: Path, rules: tuple[carry.Rule, ...]
) -> None:
    mounts = Mounts(host, mounting(host))
    await mounts.add([hook("claude", "PreToolUse", denies("guard"), project=tmp_path)], rules, nothing)
    host.keeps = frozenset({"agent/created"})  # the hooks' former mount is gone by then
    with pytest.raises(RefusedError):
        await mounts.add([hook("claude", "PreToolUse", denies("new"), project=tmp_path)], rules, nothing)
    assert await host.fire("tools/pre-execute", CALL) == DenyTool(reason="guard")
    host.keeps = frozenset()
    await mounts.remove()
    assert "tools/pre-execute" not in host.standing


async def test_what_the_host_did_not_give_up_in_a_refused_change_is_tried_again_at_the_end(
    host: WatchedHost, tmp_path: Path, rules: tuple[carry.Rule, ...]
) -> None:
    mounts = Mounts(host, mounting(host))
    await mounts.add([hook("claude", "PreToolUse", "true", project=tmp_path)], rules, nothing)
    for keeps in ("tools/pre-execute", "agent/created"):
        host.keeps = frozenset({keeps})
        with pytest.raises((RefusedError, ExceptionGroup)):
            await mounts.add([hook("claude", "PreToolUse", "false", project=tmp_path)], rules, nothing)
    host.keeps = frozenset()
    await mounts.remove()
    assert host.standing == []
