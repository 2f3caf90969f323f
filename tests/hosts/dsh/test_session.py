"""`hosts.dsh.session`: what a connector may ask, in the order in which it asks."""

import asyncio
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter import CompatError
from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.hosts.dsh.bundle import collect, surface_of
from dsh_compat_adapter.hosts.dsh.directory import write
from dsh_compat_adapter.hosts.dsh.session import Session
from tests.hosts.dsh.connector import Connector
from tests.live.bundles import deny, hook, manifest, read

CATALOG = Catalog.load()
NEW, OLD = "0.2.1-rc.2", "0.1.5-rc.1"
HELLO = {"protocol": 1, "dsh": NEW}
CALL = {"tool.host_name": "bash", "tool.host_arguments": {"command": "ls"}, "session.id": "s", "agent.id": "a"}


class Client:
    """A session and a connector in front of it."""

    def __init__(self, directory: Path) -> None:
        self.connector = Connector()
        self.session = Session(directory, self.connector.send)
        self.connector.result = self.session.notices["result"]

    async def ask(self, op: str, request: Mapping[str, object] | None = None) -> Any:
        answer = self.session.operations[op](request or {})
        return await answer if isinstance(answer, Awaitable) else answer

    async def opened(self, services: list[str] | None = None) -> Any:
        await self.ask("hello", HELLO)
        return await self.ask("open", {"services": ["shell"] if services is None else services})

    async def call(self) -> Any:
        return (await self.ask("seam", {"seam": "tools/pre-execute", "values": CALL}))["decision"]

    async def notes(self) -> list[str]:
        found: list[str] = (await self.ask("status"))["status"]["notes"]
        return found


def client(tmp_path: Path, *hooks: Mapping[str, object], rules: bool = False, version: str = NEW) -> Client:
    """A session on a bundle of these hooks."""
    declared = [{"vendor": "codex", "source": "rules.md"}] if rules else []
    project = manifest(tmp_path / "project", hooks, declared)
    (project / "rules.md").write_text("be kind", encoding="utf-8")
    bundle = collect(scan(project, CATALOG), CATALOG, surface_of(CATALOG, version))
    write(bundle, tmp_path / "bundle", CATALOG)
    return Client(tmp_path / "bundle")


def denying(tmp_path: Path, event: str = "PreToolUse") -> dict[str, object]:
    handler = hook(tmp_path / "log", deny(event, "not this"))
    return {"vendor": "claude", "event": event, "handler": handler, "bridge": "native"}


async def test_a_hook_of_the_bundle_refuses_a_tool_on_the_shell_of_the_harness(tmp_path: Path) -> None:
    one = client(tmp_path, denying(tmp_path))
    opened = await one.opened()
    seam = {"seam": "tools/pre-execute", "name": "tools/pre-execute", "kind": "waterfall", "decision": "pre-tool"}
    step = {"seam": "agent/pre-step", "name": "agent/pre-step", "kind": "waterfall", "decision": "prompt"}
    assert opened["seams"] == [seam, step]
    assert await one.call() == {"type": "deny-tool", "reason": "not this"}
    assert one.connector.services() == ["shell"]


async def test_another_protocol_is_refused_with_the_way_out(tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="build the bundle again"):
        await client(tmp_path).ask("hello", {"protocol": 2})


@pytest.mark.parametrize("op", ["seam", "status", "matrix", "register_hook", "register_rules", "open"])
async def test_nothing_is_served_before_the_bundle_is_open(op: str, tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="open"):
        await client(tmp_path).ask(op)


async def test_another_version_than_the_bundle_is_for_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one = client(tmp_path)
    await one.ask("hello", {"protocol": 1, "dsh": OLD})
    await one.ask("open", {"services": []})
    (note,) = await one.notes()
    assert note == f"the bundle was built for DSH {NEW} and runs in {OLD}; build with --dsh {OLD}"
    assert note in capsys.readouterr().err


async def test_without_a_shell_no_hook_runs_and_it_is_told_and_rules_are_carried(tmp_path: Path) -> None:
    one = client(tmp_path, denying(tmp_path), rules=True)
    opened = await one.opened([])
    assert [seam["seam"] for seam in opened["seams"]] == ["agent/created"]
    assert "PreToolUse does not run: " in (await one.notes())[0]
    started = await one.ask("seam", {"seam": "agent/created", "values": {"session.source": "startup"}})
    (message,) = started["messages"]
    assert (message["source"], "be kind" in message["text"]) == ("compat-adapter-rules", True)


async def test_rules_that_are_gone_do_not_take_the_hooks_with_them(tmp_path: Path) -> None:
    one = client(tmp_path, denying(tmp_path), rules=True)
    (tmp_path / "project/rules.md").unlink()
    await one.opened()
    assert (await one.call())["type"] == "deny-tool"
    assert any("rules are not carried" in note for note in await one.notes())


async def test_a_hook_that_a_preset_registers_joins_in(tmp_path: Path) -> None:
    one = client(tmp_path)
    await one.opened()
    assert await one.call() == {"type": "notify"}
    answered = await one.ask("register_hook", {"declaration": {**denying(tmp_path), "onError": "block"}})
    assert answered["result"]["capability"] == "ADAPTED"
    assert [seam["seam"] for seam in answered["seams"]] == ["tools/pre-execute", "agent/pre-step"]
    assert (await one.call())["type"] == "deny-tool"


async def test_a_function_of_a_preset_is_unsupported(tmp_path: Path) -> None:
    one = client(tmp_path)
    await one.opened()
    declaration = {"vendor": "claude", "event": "Stop", "handler": None}
    result = (await one.ask("register_hook", {"declaration": declaration, "code": True}))["result"]
    assert (result["capability"], result["code"]) == ("UNSUPPORTED", "handler-is-code")


async def test_a_hook_that_fails_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = client(tmp_path, {**denying(tmp_path), "handler": "exit 7"})
    await one.opened()
    assert await one.call() == {"type": "allow-tool"}
    assert "claude PreToolUse at " in (await one.notes())[0]
    assert "claude PreToolUse at " in capsys.readouterr().err


async def test_the_reason_of_a_blocked_prompt_is_told(tmp_path: Path) -> None:
    handler = hook(tmp_path / "log", {"decision": "block", "reason": "no secrets"})
    one = client(tmp_path, {"vendor": "claude", "event": "UserPromptSubmit", "handler": handler, "bridge": "native"})
    await one.opened()
    values = {"prompt.text": "a secret", "prompt.source": "user", "session.id": "s"}
    answered = await one.ask("seam", {"seam": "agent/pre-step", "values": values})
    assert answered["decision"] == {"type": "block-prompt", "reason": "no secrets"}
    assert await one.notes() == ["a prompt of session s is blocked: no secrets"]


async def test_a_stop_is_blocked_eight_times_in_a_turn_and_then_ends(tmp_path: Path) -> None:
    handler = hook(tmp_path / "log", {"decision": "block", "reason": "go on"})
    one = client(tmp_path, {"vendor": "claude", "event": "Stop", "handler": handler, "bridge": "native"})
    await one.opened()
    values = {"session.id": "s", "agent.id": "a", "turn.id": "1", "agent.is_subagent": False}
    stops = [await one.ask("seam", {"seam": "agent/turn-stopping", "values": values}) for _ in range(9)]
    assert [stop["decision"]["type"] for stop in stops] == ["continue-turn"] * 8 + ["stop-turn"]
    assert [payload["stop_hook_active"] for payload in read(tmp_path / "log")] == [False, *[True] * 8]


async def test_a_bridge_of_the_bundle_stands_and_one_more_hook_mounts_another_and_takes_the_first_away(
    tmp_path: Path,
) -> None:
    bridged = {"vendor": "claude", "event": "PreToolUse", "handler": "true"}
    one = client(tmp_path, bridged, version=OLD)
    await one.ask("hello", {"protocol": 1, "dsh": OLD})
    assert (await one.ask("open", {"services": ["shell"]}))["seams"] == []
    assert one.connector.services() == []
    await one.ask("register_hook", {"declaration": {**bridged, "handler": "false"}})
    assert one.connector.services() == ["mount_bridge", "unmount_bridge"]
    mounted, gone = (message["args"] for message in one.connector.asked)
    assert isinstance(mounted, dict)
    file = Path(mounted["config"]["configPath"])
    assert '"false"' in await asyncio.to_thread(file.read_text, "utf-8")
    assert gone == {"id": "compat-bridge-claude"}
    await one.session.aclose()
    assert not file.parent.exists()


async def test_a_bridge_that_the_harness_refuses_leaves_what_stood(tmp_path: Path) -> None:
    bridged = {"vendor": "claude", "event": "PreToolUse", "handler": "true"}
    one = client(tmp_path, bridged, version=OLD)
    await one.ask("hello", {"protocol": 1, "dsh": OLD})
    await one.ask("open", {"services": ["shell"]})
    one.connector.refuses["mount_bridge"] = "it did not become active"
    with pytest.raises(CompatError, match="it did not become active"):
        await one.ask("register_hook", {"declaration": {**bridged, "handler": "false"}})
    assert one.connector.services() == ["mount_bridge"]
    assert len((await one.ask("status"))["status"]["hooks"]) == 1
