"""CompatAdapter on a real host: what registration answers, refuses, mounts, keeps and takes off again."""

import asyncio
import dataclasses
import hashlib
import inspect
import json
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import jsonschema
import psutil
import pytest

from dsh_compat_adapter import Capability, CapabilityResult, CompatAdapter, CompatError, ErrorCode, Route
from dsh_compat_adapter.catalog.model import Vendor
from dsh_compat_adapter.declare.declaration import hook_declaration, rules_declaration
from dsh_compat_adapter.routes.point import Mounting, Unmount
from dsh_compat_adapter.seams.decisions import Decision, Notify
from dsh_compat_adapter.seams.host import HostEvent
from tests.mounting import (
    BRIDGED,
    CATALOG,
    SURFACE,
    RefusedError,
    WatchedHost,
    adapting,
    adds_context,
    alive,
    decides,
    denies,
    heard,
)
from tests.recording import Kept

SCHEMAS = Path(__file__).parent.parent / "adapter/dsh_compat_adapter/schemas"
GUARD_ENTRY = {"type": "command", "command": "true"}
GUARD = {"vendor": "claude", "event": "PreToolUse", "matcher": "Write", "handler": denies("no writes")}


def fits(data: Mapping[str, object], schema: str) -> None:
    jsonschema.validate(json.loads(json.dumps(data)), json.loads((SCHEMAS / f"{schema}.json").read_text()))


async def write_is_denied(host: WatchedHost) -> bool:
    result = await host.call("write", {"file_path": "a", "content": "x"})
    return result.denied


@pytest.fixture
def host(tmp_path: Path) -> WatchedHost:
    return WatchedHost(tmp_path)


# registering


async def test_keywords_a_mapping_and_a_mapping_completed_by_keywords_register_the_same(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        by_keyword = await adapter.register_hook(**GUARD)
        by_mapping = await adapter.register_hook(GUARD)
        by_both = await adapter.register_hook({**GUARD, "matcher": "Read"}, matcher="Write")
    assert by_keyword == by_mapping == by_both
    assert by_keyword.capability is Capability.ADAPTED
    assert by_keyword.executable


async def test_a_registered_hook_really_decides(host: WatchedHost, tmp_path: Path) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook(**GUARD)
        call = await host.call("write", {"file_path": "a", "content": "x"})
    assert (call.text, call.denied) == ("Error: no writes", True)
    assert not (tmp_path / "a").exists()
    assert (result.route, result.seams) == (Route.OFFICIAL_BRIDGE, ("tools/pre-execute",))
    assert "updated-input-ignored" in {loss.code for loss in result.degradations}


async def test_a_manifest_registers_its_hooks_and_then_its_rules(host: WatchedHost, tmp_path: Path) -> None:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules/b.md").write_text("be brief")
    manifest = tmp_path / "compat.yaml"
    manifest.write_text(
        "version: 1\n"
        "rules:\n  - {vendor: claude, source: rules/*.md}\n"
        "hooks:\n"
        f"  - {{vendor: claude, event: PreToolUse, matcher: Write, handler: {json.dumps(GUARD['handler'])}}}\n"
        "  - {vendor: copilot, event: agentStop, handler: 'true'}\n"
    )
    async with adapting(host) as adapter:
        results = await adapter.register_manifest(manifest)
        await host.start()
        assert await write_is_denied(host)
    assert [(result.vendor, result.event) for result in results] == [
        ("claude", "PreToolUse"),
        ("copilot", "agentStop"),
        ("claude", None),
    ]
    assert "be brief" in host.messages[0].text


async def test_the_name_of_a_vendor_may_be_an_alias_and_the_result_says_the_vendor(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook({**GUARD, "vendor": "claude-code"})
    assert result.vendor == "claude"


async def test_a_result_is_frozen_and_fits_its_schema(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook(**GUARD)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.capability = Capability.CARRY  # type: ignore[misc] # the refusal is what is tested
    assert isinstance(result.degradations, tuple)
    fits(result.to_dict(), "result")


# declarations that cannot be processed

BROKEN: dict[str, tuple[dict[str, object], ErrorCode, str]] = {
    "misspelt vendor": ({"vendor": "claud"}, ErrorCode.UNKNOWN_VENDOR, "Did you mean 'claude'?"),
    "vendor that is no name": ({"vendor": 5}, ErrorCode.UNKNOWN_VENDOR, "5"),
    "misspelt event": ({"event": "PreTolUse"}, ErrorCode.UNKNOWN_EVENT, "Did you mean 'PreToolUse'?"),
    "event in other letter case": ({"event": "pretooluse"}, ErrorCode.UNKNOWN_EVENT, "Did you mean 'PreToolUse'?"),
    "event of another vendor": ({"event": "agentStop"}, ErrorCode.UNKNOWN_EVENT, "Claude Code has no event"),
    "event that is no name": ({"event": ["Stop"]}, ErrorCode.UNKNOWN_EVENT, "['Stop']"),
    "http handler": ({"handler": {"type": "http", "url": "https://x.invalid"}}, ErrorCode.INVALID_HANDLER, "'http'"),
    "prompt handler": ({"handler": {"type": "prompt", "prompt": "p"}}, ErrorCode.INVALID_HANDLER, "'prompt'"),
    "agent handler": ({"handler": {"type": "agent", "prompt": "p"}}, ErrorCode.INVALID_HANDLER, "'agent'"),
    "mcp_tool handler": ({"handler": {"type": "mcp_tool", "tool": "t"}}, ErrorCode.INVALID_HANDLER, "'mcp_tool'"),
    "handler without a type": ({"handler": {"command": "true"}}, ErrorCode.INVALID_HANDLER, "type: command"),
    "handler that is a list": ({"handler": ["sh", "x"]}, ErrorCode.INVALID_HANDLER, "list"),
    "empty command": ({"handler": "  "}, ErrorCode.INVALID_HANDLER, "empty"),
    "command that is no text": ({"handler": {"type": "command", "command": 5}}, ErrorCode.INVALID_HANDLER, "command"),
    "timeout below zero": ({"timeout": -1}, ErrorCode.INVALID_HANDLER, "timeout"),
    "timeout that is a text": ({"timeout": "10"}, ErrorCode.INVALID_HANDLER, "timeout"),
    "broken pattern": ({"matcher": "(Write"}, ErrorCode.INVALID_MATCHER, "(Write"),
    "matcher that is an object": ({"matcher": {"tool": "Write"}}, ErrorCode.INVALID_MATCHER, "an object"),
    "misspelt key": ({"mather": "Write"}, ErrorCode.INVALID_DECLARATION, "Did you mean 'matcher'?"),
    "no handler": ({"handler": None}, ErrorCode.INVALID_DECLARATION, "'handler'"),
    "unknown bridge": ({"bridge": "nativ"}, ErrorCode.INVALID_DECLARATION, "native"),
    "unknown on_error": ({"on_error": "stop"}, ErrorCode.INVALID_DECLARATION, "block"),
    "env that is no mapping": ({"env": ["A=1"]}, ErrorCode.INVALID_DECLARATION, "env"),
}


@pytest.mark.parametrize(("fields", "code", "said"), BROKEN.values(), ids=BROKEN.keys())
async def test_a_broken_declaration_raises_a_code_and_registers_nothing(
    host: WatchedHost, fields: dict[str, object], code: ErrorCode, said: str
) -> None:
    async with adapting(host) as adapter:
        await adapter.register_hook(**GUARD)
        standing, before = host.standing, adapter.status()
        with pytest.raises(CompatError) as raised:
            await adapter.register_hook({**GUARD, **fields})
        assert raised.value.code is code
        assert said in raised.value.message
        assert (host.standing, adapter.status()) == (standing, before)
        assert await write_is_denied(host)


async def test_a_declaration_that_is_no_mapping_is_refused_by_code(host: WatchedHost) -> None:
    adapter = adapting(host)
    with pytest.raises(CompatError) as raised:
        await adapter.register_hook("claude")  # type: ignore[arg-type] # what a caller without types may pass
    assert raised.value.code is ErrorCode.INVALID_DECLARATION
    assert host.standing == []


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"vendor": "codexx"}, ErrorCode.UNKNOWN_VENDOR),
        ({"source": "missing.md"}, ErrorCode.RULES_NOT_FOUND),
        ({"base_dir": None}, ErrorCode.INVALID_DECLARATION),
        ({"baseDir": "/"}, ErrorCode.INVALID_DECLARATION),
    ],
    ids=["misspelt vendor", "no such file", "relative without a base", "misspelt key"],
)
async def test_broken_rules_raise_a_code_and_what_was_carried_stays(
    host: WatchedHost, tmp_path: Path, fields: dict[str, object], code: ErrorCode
) -> None:
    (tmp_path / "AGENTS.md").write_text("kept")
    good = {"vendor": "codex", "source": "AGENTS.md", "base_dir": str(tmp_path)}
    async with adapting(host) as adapter:
        await adapter.register_rules(good)
        before = adapter.status()
        with pytest.raises(CompatError) as raised:
            await adapter.register_rules({**good, **fields})
        assert raised.value.code is code
        assert (host.standing, adapter.status()) == (["agent/created"], before)
        await host.start()
    assert ["kept" in message.text for message in host.messages] == [True]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("hooks:\n  - {vendor: claude, event: Stopp, handler: 'true'}\n", ErrorCode.UNKNOWN_EVENT),
        ("rules:\n  - {vendor: claude, source: gone.md}\n", ErrorCode.RULES_NOT_FOUND),
        ("rules:\n  - {vendor: claude, source: ../*.md}\n", ErrorCode.RULES_NOT_FOUND),
    ],
    ids=["event", "rules file", "glob"],
)
async def test_one_error_in_a_manifest_registers_nothing_of_it_and_names_the_line(
    host: WatchedHost, tmp_path: Path, bad: str, code: ErrorCode
) -> None:
    good = f"  - {{vendor: claude, event: PreToolUse, handler: {json.dumps(GUARD['handler'])}}}\n"
    head = "version: 1\n"
    text = head + (bad.replace("hooks:\n", f"hooks:\n{good}") if bad.startswith("hooks") else f"hooks:\n{good}{bad}")
    project = tmp_path / "project"
    project.mkdir()
    (project / "compat.yaml").write_text(text)
    async with adapting(host) as adapter:
        with pytest.raises(CompatError) as raised:
            await adapter.register_manifest(project / "compat.yaml")
        assert raised.value.code is code
        assert raised.value.where is not None
        assert raised.value.where.file.endswith("compat.yaml")
        assert raised.value.where.line == text[: text.index(bad.splitlines()[-1])].count("\n") + 1
        assert (host.standing, adapter.status().hooks) == ([], ())


async def test_a_manifest_that_wants_another_failure_policy_is_refused_and_not_weakened(
    host: WatchedHost, tmp_path: Path
) -> None:
    manifest = tmp_path / "compat.yaml"
    manifest.write_text("version: 1\npolicy: strict\nhooks:\n  - {vendor: claude, event: Stop, handler: 'true'}\n")
    async with adapting(host) as lenient, adapting(host, policy="strict") as strict:
        with pytest.raises(CompatError, match="strict") as raised:
            await lenient.register_manifest(manifest)
        assert raised.value.code is ErrorCode.INVALID_DECLARATION
        assert host.standing == []
        assert len(await strict.register_manifest(manifest)) == 1


async def test_a_project_registers_what_its_files_declare_and_drops_only_what_is_broken(
    host: WatchedHost, tmp_path: Path
) -> None:
    (tmp_path / ".claude").mkdir()
    groups = [{"hooks": [{"type": "command", "command": denies("no")}]}, {"matcher": "(", "hooks": [GUARD_ENTRY]}]
    (tmp_path / ".claude/settings.json").write_text(json.dumps({"hooks": {"PreToolUse": groups}}))
    (tmp_path / "CLAUDE.md").write_text("be brief")
    (tmp_path / ".opencode/plugins").mkdir(parents=True)
    (tmp_path / ".opencode/plugins/guard.js").write_text(
        'export const Guard = async () => ({"tool.execute.before": f})'
    )
    async with adapting(host) as adapter:
        project = await adapter.register_project()
        assert [one.vendor for one in project.results if one.executable] == ["claude"]
        assert {one.vendor for one in project.results if one.capability == "CARRY"} >= {"claude"}
        assert [one.vendor for one in project.results if one.capability == "UNSUPPORTED"] == ["opencode"]
        assert [finding.code for finding in project.findings] == ["invalid-matcher"]
        assert (await host.call("read", {})).denied
        json.dumps(project.to_dict())


async def test_a_project_can_be_registered_without_the_official_bridge(host: WatchedHost, tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    hooks = {"Stop": [{"hooks": [GUARD_ENTRY]}]}
    (tmp_path / ".claude/settings.json").write_text(json.dumps({"hooks": hooks}))
    async with adapting(host) as adapter:
        (result,) = (await adapter.register_project(bridge="native")).results
        assert result.route == "native-translate"


async def test_a_misspelt_policy_is_the_authors_error(host: WatchedHost) -> None:
    with pytest.raises(CompatError, match="Did you mean 'strict'") as raised:
        adapting(host, policy="strikt")
    assert raised.value.code is ErrorCode.UNKNOWN_NAME


# what is not portable

LACKING: dict[str, tuple[tuple[str, ...], dict[str, object], str]] = {
    "python callable": ((), {"handler": print}, "handler-is-code"),
    "no shell": (("shell",), {}, "no-shell"),
    "no bridge": (("bridge:@deepseek-ai/dsh-hooks-claude-code",), {}, "no-official-bridge"),
    "no approval": (("approval",), {"event": "PermissionRequest"}, "seam-missing"),
    "no subagents": (("subagents",), {"event": "SubagentStop", "matcher": None}, "seam-missing"),
}


@pytest.mark.parametrize(("without", "fields", "code"), LACKING.values(), ids=LACKING.keys())
async def test_what_a_host_lacks_is_an_unsupported_result_and_nothing_is_mounted(
    tmp_path: Path, without: tuple[str, ...], fields: dict[str, object], code: str
) -> None:
    host = WatchedHost(tmp_path, without=without)
    async with adapting(host) as adapter:
        result = await adapter.register_hook({**GUARD, **fields})
        assert host.standing == []
        assert adapter.status().hooks == (result,)
        assert not await write_is_denied(host)
    assert (result.capability, result.executable) == (Capability.UNSUPPORTED, False)
    assert (result.route, result.seams, result.id) == (None, (), None)
    assert result.code == code
    assert result.reason
    assert result.remedy
    fits(result.to_dict(), "result")


async def test_the_other_vendors_of_a_host_without_one_bridge_still_run(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, without=("bridge:@deepseek-ai/dsh-hooks-claude-code",))
    async with adapting(host) as adapter:
        codex = await adapter.register_hook({**GUARD, "vendor": "codex"})
        assert (codex.route, await write_is_denied(host)) == (Route.OFFICIAL_BRIDGE, True)


async def test_without_a_shell_rules_are_still_carried(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("be brief")
    host = WatchedHost(tmp_path, without=("shell",))
    async with adapting(host) as adapter:
        result = await adapter.register_rules(vendor="codex", source="AGENTS.md", base_dir=tmp_path)
        await host.start()
    assert result.capability is Capability.CARRY
    assert "be brief" in host.messages[0].text


async def test_an_ask_without_an_approver_is_listed_and_denies(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook({**GUARD, "handler": decides("ask", "sure?")})
        assert await write_is_denied(host)
    assert "ask-without-approval" in {loss.code for loss in result.degradations}


@pytest.mark.parametrize(("vendor", "event"), BRIDGED, ids=[f"{vendor}-{event}" for vendor, event in BRIDGED])
async def test_bridge_native_says_so_and_lists_the_losses_of_that_route(
    host: WatchedHost, vendor: str, event: str
) -> None:
    row = CATALOG.vendors[vendor].rows[event]
    assert row.plan is not None
    assert row.native_plan is not None
    async with adapting(host) as adapter:
        official = await adapter.register_hook(vendor=vendor, event=event, handler="true")
        native = await adapter.register_hook(vendor=vendor, event=event, handler="true", bridge="native")
    assert (official.route, native.route) == (Route.OFFICIAL_BRIDGE, Route.NATIVE_TRANSLATE)
    assert [loss.loss for loss in official.degradations] == [loss.loss for loss in row.plan.degradations]
    assert [loss.loss for loss in native.degradations] == [loss.loss for loss in row.native_plan.degradations]
    assert native.degradations != official.degradations


async def test_bridge_native_runs_without_the_official_bridge(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, without=("bridge:@deepseek-ai/dsh-hooks-claude-code",))
    async with adapting(host) as adapter:
        result = await adapter.register_hook({**GUARD, "bridge": "native"})
        assert (result.route, await write_is_denied(host)) == (Route.NATIVE_TRANSLATE, True)


@pytest.mark.parametrize("vendor", CATALOG.vendors)
async def test_every_row_registers_with_the_invariants_of_its_grade(tmp_path: Path, vendor: str) -> None:
    async def approve(*_: object) -> bool:
        return True

    host = WatchedHost(tmp_path, approver=approve)
    async with adapting(host) as adapter:
        for row in CATALOG.vendors[vendor].rows.values():
            result = await adapter.register_hook(vendor=vendor, event=row.event, handler="true")
            assert result.capability is row.capability
            assert result.capability is not Capability.DIRECT
            assert bool(result.degradations) is result.executable
            assert set(result.seams) <= set(SURFACE.seams)


# all or nothing

MOUNTED = {
    "official-bridge": ("claude", "PreToolUse", "tools/pre-execute"),
    "native-translate": ("claude", "PostToolBatch", "agent/pre-step"),
    "native-seam": ("claude", "PreCompact", "session/event"),
    "builtin-bridge": ("copilot", "preToolUse", "tools/pre-execute"),
}


@pytest.mark.parametrize(("vendor", "event", "seam"), MOUNTED.values(), ids=MOUNTED.keys())
async def test_a_host_that_refuses_a_remount_keeps_what_stood_before(
    host: WatchedHost, vendor: str, event: str, seam: str
) -> None:
    async with adapting(host) as adapter:
        await adapter.register_hook(vendor=vendor, event=event, handler="true")
        before = adapter.status()
        host.refused = frozenset({seam})
        with pytest.raises(RefusedError):
            await adapter.register_hook(vendor=vendor, event=event, handler="echo more")
        assert (host.standing, adapter.status()) == ([seam], before)
        host.refused = frozenset()
        await adapter.register_hook(vendor=vendor, event=event, handler="echo more")
        assert host.standing == [seam]
    assert host.standing == []


async def test_the_guard_still_denies_after_a_refused_remount(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        await adapter.register_hook(**GUARD)
        host.refused = frozenset({"tools/pre-execute"})
        with pytest.raises(RefusedError):
            await adapter.register_hook({**GUARD, "matcher": "Read"})
        assert await write_is_denied(host)


async def test_a_host_that_does_not_give_up_the_former_mount_gets_no_second_one(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        await adapter.register_hook(**GUARD)
        host.keeps = frozenset({"tools/pre-execute"})
        with pytest.raises(RefusedError):
            await adapter.register_hook({**GUARD, "matcher": "Read"})
        assert len(adapter.status().hooks) == 1
        host.keeps = frozenset()
        assert await write_is_denied(host)


async def test_a_host_that_refuses_rules_keeps_the_former_ones(host: WatchedHost, tmp_path: Path) -> None:
    for name in ("AGENTS.md", "more.md"):
        (tmp_path / name).write_text(name)
    async with adapting(host) as adapter:
        await adapter.register_rules(vendor="codex", source="AGENTS.md", base_dir=tmp_path)
        host.refused = frozenset({"agent/created"})
        with pytest.raises(RefusedError):
            await adapter.register_rules(vendor="codex", source="more.md", base_dir=tmp_path)
        assert (host.standing, len(adapter.status().rules)) == (["agent/created"], 1)
        await host.start()
    assert ["AGENTS.md" in message.text for message in host.messages] == [True]
    assert "more.md" not in host.messages[0].text


@pytest.mark.parametrize("refused", ["tools/pre-execute", "session/event", "agent/created"])
async def test_a_host_that_refuses_one_part_of_a_manifest_gets_none_of_it(
    host: WatchedHost, tmp_path: Path, refused: str
) -> None:
    (tmp_path / "AGENTS.md").write_text("be brief")
    (tmp_path / "compat.yaml").write_text(
        "version: 1\n"
        "hooks:\n"
        "  - {vendor: claude, event: PreToolUse, handler: 'true'}\n"
        "  - {vendor: claude, event: PreCompact, handler: 'true'}\n"
        "rules:\n  - {vendor: codex, source: AGENTS.md}\n"
    )
    async with adapting(host) as adapter:
        host.refused = frozenset({refused})
        with pytest.raises(RefusedError):
            await adapter.register_manifest(tmp_path / "compat.yaml")
        assert (host.standing, adapter.status().hooks, adapter.status().rules) == ([], (), ())
        host.refused = frozenset()
        assert len(await adapter.register_manifest(tmp_path / "compat.yaml")) == 3


async def test_hooks_of_one_event_share_one_subscription_and_all_run(host: WatchedHost, tmp_path: Path) -> None:
    async with adapting(host) as adapter:
        for number in range(3):
            await adapter.register_hook(
                vendor="claude", event="PreToolUse", handler=f"echo {number} >> log", bridge="native"
            )
        assert host.standing == ["tools/pre-execute", "agent/pre-step"]
        await host.call("read", {"file_path": "a"})
    assert (tmp_path / "log").read_text().split() == ["0", "1", "2"]


async def test_fifty_concurrent_registrations_all_stand_in_the_order_of_their_calls(
    host: WatchedHost, tmp_path: Path
) -> None:
    async with adapting(host) as adapter:
        results = await asyncio.gather(
            *[adapter.register_hook({**GUARD, "handler": f"echo {number} >> log"}) for number in range(50)]
        )
        assert adapter.status().hooks == tuple(results)
        assert len({result.id for result in results}) == 50
        assert host.standing == ["tools/pre-execute"]
        await host.call("write", {"file_path": "a", "content": "x"})
    assert (tmp_path / "log").read_text().split() == [str(number) for number in range(50)]


async def test_a_broken_registration_among_concurrent_ones_disturbs_none_of_them(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        declarations = [{**GUARD, "handler": f"true {number}"} for number in range(20)]
        declarations[7]["event"] = "Nothing"
        results = await asyncio.gather(
            *[adapter.register_hook(declaration) for declaration in declarations], return_exceptions=True
        )
        assert [index for index, result in enumerate(results) if isinstance(result, CompatError)] == [7]
        assert len(adapter.status().hooks) == 19


# status


async def test_the_status_counts_what_was_registered_and_names_the_bytes(host: WatchedHost, tmp_path: Path) -> None:
    content = b"\xef\xbb\xbfbe brief\r\n"
    (tmp_path / "AGENTS.md").write_bytes(content)
    async with adapting(host, policy="strict") as adapter:
        await adapter.register_hook(**GUARD)
        await adapter.register_hook({**GUARD, "handler": print})
        await adapter.register_rules(vendor="codex", source="*.md", base_dir=tmp_path)
        await host.call("write", {"file_path": "a", "content": "x"})
        await host.call("read", {"file_path": "a"})
        status = adapter.status()
    data: Any = status.to_dict()
    assert data["counts"] == {"hooks": 2, "executable": 1, "unsupported": 1, "rules": 1, "carried_files": 1}
    assert (data["policy"], data["host"], data["disposed"]) == ("strict", SURFACE.title, False)
    assert data["dispatches"] == 2
    assert data["rules"][0]["files"] == [
        {
            "path": str(tmp_path / "AGENTS.md"),
            "sha256": hashlib.sha256(content).hexdigest(),
            "bytes": len(content),
            "scope": [],
            "imported_by": None,
        }
    ]
    fits(data, "status")
    with pytest.raises(dataclasses.FrozenInstanceError):
        status.dispatches = 0  # type: ignore[misc] # the refusal is what is tested


async def test_a_status_is_of_its_moment(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        empty = adapter.status()
        await adapter.register_hook(**GUARD)
        assert (len(empty.hooks), len(adapter.status().hooks)) == (0, 1)


async def test_each_run_is_a_pair_of_facts_in_the_sinks_that_were_given_and_in_the_status(host: WatchedHost) -> None:
    kept = Kept()
    async with adapting(host, facts=[kept]) as adapter:
        await adapter.register_hook({**GUARD, "bridge": "native"})
        await write_is_denied(host)
        facts = adapter.status().to_dict()["facts"]
    assert [fact["type"] for fact in kept.facts] == ["hook.started", "hook.completed"]
    assert kept.evidence[kept.facts[1]["reason_ref"]] == "no writes"
    assert kept.facts[0]["preview"].startswith("Write file_path=")
    assert isinstance(facts, dict)
    assert facts["recent"] == kept.facts


async def test_a_change_of_the_policy_is_a_fact_and_counts_from_the_next_event_on(host: WatchedHost) -> None:
    kept = Kept()
    async with adapting(host, facts=[kept]) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", handler="kill -9 $$", bridge="native")
        assert not (await host.call("bash", {"command": "true"})).denied
        adapter.set_policy("strict")
        assert (await host.call("bash", {"command": "true"})).denied
        assert adapter.status().policy == "strict"
        with pytest.raises(CompatError, match="unknown policy"):
            adapter.set_policy("loose")
    assert [fact["failed"] for fact in kept.ended] == ["open", "closed"]
    (changed,) = [fact for fact in kept.facts if fact["type"] == "policy.changed"]
    assert (changed["before"], changed["after"], changed["source"]) == ("vendor", "strict", "code")


async def test_a_hook_inherits_the_given_environment_without_its_credentials(host: WatchedHost, tmp_path: Path) -> None:
    environment = {"PATH": os.environ["PATH"], "GREETING": "hi", "SERVICE_TOKEN": "s3cret"}
    async with adapting(host, environment=environment) as adapter:
        environment["GREETING"] = "changed"
        await adapter.register_hook({**GUARD, "handler": "env > seen"})
        await write_is_denied(host)
    seen = (tmp_path / "seen").read_text().splitlines()
    assert "GREETING=hi" in seen
    assert f"CLAUDE_PROJECT_DIR={host.project_dir}" in seen
    assert not [line for line in seen if "s3cret" in line]


async def test_matrix_and_describe_read_the_catalog(host: WatchedHost) -> None:
    adapter = adapting(host)
    assert len(adapter.matrix().rows) == sum(len(vendor.rows) for vendor in CATALOG.vendors.values())
    fits(adapter.describe("claude", "PreToolUse").to_dict(), "described")
    with pytest.raises(CompatError, match="Did you mean 'PreToolUse'") as raised:
        adapter.describe("claude", "PreToolUs")
    assert raised.value.code is ErrorCode.UNKNOWN_EVENT


# taking off


async def test_dispose_takes_everything_off_and_registration_is_refused_afterwards(
    host: WatchedHost, tmp_path: Path
) -> None:
    (tmp_path / "AGENTS.md").write_text("be brief")
    (tmp_path / "compat.yaml").write_text("version: 1\n")
    adapter = adapting(host)
    for vendor, event, _ in MOUNTED.values():
        await adapter.register_hook(vendor=vendor, event=event, handler=denies("no"))
    await adapter.register_rules(vendor="codex", source="AGENTS.md", base_dir=tmp_path)
    assert len(host.standing) == len(MOUNTED) + 1
    await adapter.dispose()
    await adapter.dispose()
    assert host.standing == []
    assert adapter.status().disposed
    await host.start()
    assert host.messages == []
    assert not await write_is_denied(host)
    refused: list[Callable[[], Awaitable[object]]] = [
        lambda: adapter.register_hook(**GUARD),
        lambda: adapter.register_rules(vendor="codex", source="AGENTS.md", base_dir=tmp_path),
        lambda: adapter.register_manifest(tmp_path / "compat.yaml"),
    ]
    for register in refused:
        with pytest.raises(CompatError) as raised:
            await register()
        assert raised.value.code is ErrorCode.DISPOSED
    assert host.standing == []


async def test_dispose_goes_on_where_the_host_does_not_let_go(host: WatchedHost, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("be brief")
    adapter = adapting(host)
    for vendor, event, _ in MOUNTED.values():
        await adapter.register_hook(vendor=vendor, event=event, handler="true")
    await adapter.register_rules(vendor="codex", source="AGENTS.md", base_dir=tmp_path)
    host.keeps = frozenset({"agent/created", "session/event"})
    with pytest.raises(ExceptionGroup) as raised:
        await adapter.dispose()
    assert [type(error) for error in raised.value.exceptions] == [RefusedError, RefusedError]
    assert sorted(host.standing) == ["agent/created", "session/event"]


async def test_a_second_dispose_tries_again_what_the_host_did_not_let_go_of(host: WatchedHost, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("be brief")
    adapter = adapting(host)
    for vendor, event, _ in MOUNTED.values():
        await adapter.register_hook(vendor=vendor, event=event, handler="true")
    await adapter.register_rules(vendor="codex", source="AGENTS.md", base_dir=tmp_path)
    host.keeps = frozenset({"agent/created", "session/event", "tools/pre-execute"})
    for _ in range(2):
        with pytest.raises(ExceptionGroup):
            await adapter.dispose()
        assert sorted(set(host.standing)) == sorted(host.keeps)
    host.keeps = frozenset()
    await adapter.dispose()
    assert host.standing == []
    await adapter.dispose()


async def test_an_adapter_leaves_no_process_task_or_descriptor(host: WatchedHost) -> None:
    this = psutil.Process()

    async def one_life() -> None:
        async with adapting(host) as adapter:
            await adapter.register_hook({**GUARD, "handler": f"cat > seen; {denies('no')}"})
            await adapter.register_hook(vendor="copilot", event="preToolUse", handler="true")
            assert await write_is_denied(host)

    await one_life()  # what the process opens once and keeps
    before = this.num_fds(), len(asyncio.all_tasks()), this.children(recursive=True)
    await one_life()
    assert (this.num_fds(), len(asyncio.all_tasks()), this.children(recursive=True)) == before


async def test_two_adapters_on_one_host_know_nothing_of_each_other(host: WatchedHost) -> None:
    async with adapting(host) as first:
        second = adapting(host)
        await first.register_hook(**GUARD)
        await second.register_hook({**GUARD, "matcher": "Read", "handler": denies("no reads")})
        assert [len(adapter.status().hooks) for adapter in (first, second)] == [1, 1]
        await write_is_denied(host)
        assert [adapter.status().dispatches for adapter in (first, second)] == [1, 1]
        await second.dispose()
        assert (first.status().disposed, await write_is_denied(host)) == (False, True)
        assert not (await host.call("read", {"file_path": "a"})).denied


async def test_two_hosts_in_one_process_keep_their_hooks_apart(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    guarded, free = WatchedHost(tmp_path), WatchedHost(tmp_path / "other")
    async with CompatAdapter(guarded) as first, CompatAdapter(free) as second:
        await first.register_hook(**GUARD)
        assert (await write_is_denied(guarded), await write_is_denied(free)) == (True, False)
        assert second.status().hooks == ()


# while hooks run

WAITING = {
    "a waiting shell": "echo $$ > started; sleep 30; true",
    "a program in its place": "echo $$ > started; exec sleep 30",
    "a child in another session": "setsid sh -c 'echo $$ > started; exec sleep 30'; true",
    "one that ignores TERM": "trap '' TERM; echo $$ > started; while :; do sleep 1; done",
}


@pytest.fixture
def started(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "started")
    return tmp_path / "started"


@pytest.mark.parametrize("handler", WAITING.values(), ids=WAITING.keys())
@pytest.mark.parametrize("bridge", ["official", "native"])
async def test_dispose_kills_the_hook_that_runs_and_the_call_goes_on(
    host: WatchedHost, started: Path, bridge: str, handler: str
) -> None:
    adapter = adapting(host)
    await adapter.register_hook({**GUARD, "handler": handler, "bridge": bridge})
    call = asyncio.ensure_future(host.call("write", {"file_path": "a", "content": "x"}))
    pid = await heard(started)
    assert alive(pid)
    await adapter.dispose()
    assert not alive(pid)
    assert not (await call).is_error


async def test_under_the_strict_policy_a_guard_killed_by_dispose_refuses(host: WatchedHost, started: Path) -> None:
    adapter = adapting(host, policy="strict")
    await adapter.register_hook({**GUARD, "handler": WAITING["a waiting shell"]})
    call = asyncio.ensure_future(host.call("write", {"file_path": "a", "content": "x"}))
    await heard(started)
    await adapter.dispose()
    assert (await call).denied


async def test_after_dispose_no_further_hook_of_a_running_event_is_started(
    host: WatchedHost, tmp_path: Path, started: Path
) -> None:
    adapter = adapting(host)
    await adapter.register_hook({**GUARD, "handler": WAITING["a waiting shell"]})
    await adapter.register_hook({**GUARD, "handler": "touch second"})
    call = asyncio.ensure_future(host.call("write", {"file_path": "a", "content": "x"}))
    await heard(started)
    await adapter.dispose()
    await call
    assert not (tmp_path / "second").exists()


async def test_dispose_of_one_adapter_leaves_the_running_hook_of_another_alone(
    host: WatchedHost, tmp_path: Path, started: Path
) -> None:
    os.mkfifo(tmp_path / "go")
    async with adapting(host) as staying:
        leaving = adapting(host)
        await staying.register_hook({**GUARD, "handler": f"echo $$ > started; cat go; {denies('still here')}"})
        await leaving.register_hook({**GUARD, "matcher": "Read", "handler": "true"})
        call = asyncio.ensure_future(host.call("write", {"file_path": "a", "content": "x"}))
        await heard(started)
        await leaving.dispose()
        await asyncio.to_thread((tmp_path / "go").write_text, "")
        assert (await call).text == "Error: still here"


@pytest.mark.parametrize("handler", WAITING.values(), ids=WAITING.keys())
async def test_a_cancelled_call_leaves_no_process_of_its_hook(host: WatchedHost, started: Path, handler: str) -> None:
    async with adapting(host) as adapter:
        await adapter.register_hook({**GUARD, "handler": handler})
        call = asyncio.ensure_future(host.call("write", {"file_path": "a", "content": "x"}))
        pid = await heard(started)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert not alive(pid)


async def test_a_call_cancelled_while_dispose_kills_its_hook_stays_cancelled(host: WatchedHost, started: Path) -> None:
    adapter = adapting(host)
    await adapter.register_hook({**GUARD, "handler": WAITING["one that ignores TERM"]})
    call = asyncio.ensure_future(host.call("write", {"file_path": "a", "content": "x"}))
    pid = await heard(started)
    disposing = asyncio.ensure_future(adapter.dispose())
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await disposing
    assert not alive(pid)


class SlowHost(WatchedHost):
    """A host whose bridge takes its time to mount."""

    def __init__(self, project: Path) -> None:
        super().__init__(project)
        self.mounting, self.go = asyncio.Event(), asyncio.Event()

    async def mount_bridge(self, vendor: Vendor, config: Mapping[str, object], mounting: Mounting) -> Unmount:
        self.mounting.set()
        await self.go.wait()
        return await super().mount_bridge(vendor, config, mounting)


async def test_a_cancelled_dispose_is_complete_all_the_same(tmp_path: Path) -> None:
    host = SlowHost(tmp_path)
    adapter = adapting(host)
    registering = asyncio.ensure_future(adapter.register_hook(**GUARD))
    await host.mounting.wait()
    disposing = asyncio.ensure_future(adapter.dispose())
    await asyncio.sleep(0)
    disposing.cancel()
    host.go.set()
    with pytest.raises(asyncio.CancelledError):
        await disposing
    assert (await registering).executable
    assert (adapter.status().disposed, host.standing) == (True, [])


async def test_a_cancelled_registration_leaves_nothing_half_mounted(tmp_path: Path) -> None:
    host = SlowHost(tmp_path)
    async with adapting(host) as adapter:
        registering = asyncio.ensure_future(adapter.register_hook(**GUARD))
        await host.mounting.wait()
        registering.cancel()
        with pytest.raises(asyncio.CancelledError):
            await registering
        assert (host.standing, adapter.status().hooks) == ([], ())
        host.go.set()
        assert (await adapter.register_hook(**GUARD)).executable


# nothing is lost silently on the way to the bridge


def listed(result: CapabilityResult, word: str) -> bool:
    """Whether a result says something about this word, in a loss or a warning."""
    said = " ".join([*(loss.loss for loss in result.degradations), *(warned.text for warned in result.warnings)])
    return word in said.replace(",", " ").replace("`", " ").replace("'", " ").split()


@pytest.mark.parametrize("bridge", ["official", "native"])
async def test_the_env_of_a_declaration_arrives_or_is_listed(host: WatchedHost, tmp_path: Path, bridge: str) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook(
            {**GUARD, "handler": 'echo "$GREETING" > seen', "env": {"GREETING": "hi"}, "bridge": bridge}
        )
        await write_is_denied(host)
    assert (tmp_path / "seen").read_text() == "hi\n" or listed(result, "env")


@pytest.mark.parametrize("bridge", ["official", "native"])
async def test_on_error_block_refuses_or_is_listed(host: WatchedHost, bridge: str) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook({**GUARD, "handler": "exit 1", "on_error": "block", "bridge": bridge})
        assert await write_is_denied(host) or listed(result, "on_error")


@pytest.mark.parametrize("bridge", ["official", "native"])
async def test_the_working_directory_of_a_handler_arrives_or_is_listed(
    host: WatchedHost, tmp_path: Path, bridge: str
) -> None:
    (tmp_path / "sub").mkdir()
    handler = {"type": "command", "command": 'pwd > "$CLAUDE_PROJECT_DIR/seen"', "cwd": "sub"}
    async with adapting(host) as adapter:
        result = await adapter.register_hook({**GUARD, "handler": handler, "bridge": bridge})
        await write_is_denied(host)
    assert (tmp_path / "seen").read_text().strip() == str(tmp_path / "sub") or listed(result, "cwd")


@pytest.mark.parametrize("bridge", ["official", "native"])
async def test_a_matcher_that_is_said_never_to_fire_never_fires(host: WatchedHost, bridge: str) -> None:
    async with adapting(host) as adapter:
        result = await adapter.register_hook({**GUARD, "matcher": "write", "bridge": bridge})
        assert "matcher-never-fires" in {warned.code for warned in result.warnings}
        assert not await write_is_denied(host)


async def test_contexts_of_an_event_that_carries_them_become_messages(host: WatchedHost) -> None:
    async with adapting(host) as adapter:
        await adapter.register_hook(
            vendor="claude", event="SessionStart", handler=adds_context("the goal", "SessionStart")
        )
        await host.start()
    assert [(message.text, message.source) for message in host.messages] == [("the goal", "compat-adapter")]


class BytesPath:
    """A path whose text is no text."""

    def __fspath__(self) -> bytes:
        return b"/nowhere"


class RaisingPath:
    """A path that has none."""

    def __fspath__(self) -> str:
        raise RuntimeError


class RaisingText(str):
    """A text that nobody can look up."""

    __slots__ = ()

    def __hash__(self) -> int:
        raise RuntimeError

    def __repr__(self) -> str:
        raise RuntimeError


class RaisingMapping(Mapping[str, object]):
    """A mapping that cannot be read."""

    def __getitem__(self, key: str) -> object:
        raise RuntimeError

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError

    def __len__(self) -> int:
        return 1


def deep(depth: int = 100_000) -> list[object]:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value


ANYTHING: dict[str, object] = {
    "none": None,
    "a number": 3,
    "an integer of 5,000 digits": 10**5000,
    "a long text": "x" * 10_000_000,
    "a NUL": "a\0b",
    "a lone surrogate": "\ud800",
    "bytes": b"\xff",
    "deep nesting": deep(),
    "a path of bytes": BytesPath(),
    "a path that raises": RaisingPath(),
    "a text that raises": RaisingText("x"),
    "a mapping that raises": RaisingMapping(),
    "a handler with a huge time limit": {"type": "command", "command": "true", "timeout": 10**5000},
    "a handler with a huge key": {"type": "command", "command": "true", 10**5000: 1},
    "a handler with a deep option": {"type": "command", "command": "true", "if": deep()},
    "a handler with huge arguments": {"type": "command", "command": "true", "args": [10**5000]},
}


async def refused_or_done(call: Callable[[], object]) -> None:
    """The call ends, or raises the one exception with a message that fits on a screen."""
    try:
        result = call()
        if inspect.isawaitable(result):
            await result
    except CompatError as error:
        assert len(str(error)) <= 5000  # noqa: PT017 - either is right


@pytest.mark.parametrize("value", ANYTHING.values(), ids=ANYTHING)
async def test_no_value_makes_a_call_raise_anything_but_the_one_exception(
    host: WatchedHost, tmp_path: Path, value: Any
) -> None:
    async with adapting(host) as adapter:
        hook_fields = {"vendor": "claude", "event": "PreToolUse", "handler": "true", "bridge": "native"}
        for key in ("vendor", "event", "handler", "matcher", "timeout", "on_error", "env", "bridge", "plugin_root"):
            await refused_or_done(partial(adapter.register_hook, {**hook_fields, key: value}))
        rules_fields = {"vendor": "claude", "source": "/nowhere", "base_dir": str(tmp_path)}
        for key in rules_fields:
            await refused_or_done(partial(adapter.register_rules, {**rules_fields, key: value}))
        for call in (adapter.register_hook, adapter.register_rules, adapter.register_manifest):
            await refused_or_done(partial(call, value))
        await refused_or_done(partial(adapter.describe, value, "PreToolUse"))
        await refused_or_done(partial(adapter.describe, "claude", value))
        for key in ("bridge", "home"):
            await refused_or_done(partial(adapter.register_project, **{key: value}))
        declared: list[Any] = [hook_declaration(hook_fields), rules_declaration(rules_fields), value]
        for hooks, rules in product([value, [], declared[:1], [value]], [value, [], [value], declared[1:2], declared]):
            await refused_or_done(partial(adapter.register, hooks, rules))
        await refused_or_done(partial(adapter.set_policy, value))
        assert adapter.status().to_dict()
    make: Any = CompatAdapter
    for key in ("policy", "environment", "report", "facts", "redact", "catalog"):
        await refused_or_done(partial(make, host, **{"facts": False, key: value}))
    await refused_or_done(partial(make, value, facts=False))


async def test_a_wrong_value_is_named_with_what_is_expected(host: WatchedHost) -> None:
    async with adapting(host) as adapting_one:
        adapter: Any = adapting_one  # wrong on purpose
        calls: dict[Callable[[], Any], str] = {
            partial(adapter.register, None, []): "hooks is a list of HookDeclaration, found None",
            partial(adapter.register, [], ["x"]): "rules is a list of RulesDeclaration, found ['x']",
            partial(adapter.register_project, home="a\0b"): "home is a path without a NUL, found 'a\\x00b'",
            partial(adapter.register_project, home=3): "home is a path without a NUL, found 3",
            partial(adapter.register_project, bridge="x"): "bridge is official or native, found 'x'",
            partial(adapter.register_manifest, "a\0b"): "the manifest is a path without a NUL, found 'a\\x00b'",
        }
        for call, message in calls.items():
            with pytest.raises(CompatError) as raised:
                await call()
            assert raised.value.message == message
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"facts": 3}, "facts is a path without a NUL, found 3"),
        ({"facts": "a\0b"}, "facts is a path without a NUL, found 'a\\x00b'"),
        ({"facts": [3]}, "facts is true, false, a path or a list of sinks, found [3]"),
        ({"redact": "TOKEN"}, "redact is a list of str, found 'TOKEN'"),
        ({"report": 3}, "report is a function, found 3"),
        ({"catalog": 3}, "catalog is a Catalog, found 3"),
    ]
    for options, message in wrong:
        with pytest.raises(CompatError) as raised:
            CompatAdapter(host, **{"facts": False, **options})
        assert raised.value.message == message


@pytest.mark.parametrize("act", ["register_hook", "dispose"])
async def test_a_listener_that_changes_the_adapter_while_it_registers_is_told_that_it_cannot_wait(
    host: WatchedHost, act: str
) -> None:
    async def listen(_: HostEvent) -> Decision:
        fields = {"vendor": "claude", "event": "Stop", "handler": "true"} if act == "register_hook" else {}
        await getattr(adapter, act)(**fields)
        return Notify()

    adapter = CompatAdapter(host)
    async with adapter:
        unsubscribe = host.subscribe("plugin-manager/changed", listen)
        result = await adapter.register_hook(vendor="claude", event="PreToolUse", handler="true")
        unsubscribe()
        assert result.executable
        assert ["cannot wait for its own end" in str(error) for error in host.observer_errors] == [True]
