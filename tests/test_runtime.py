"""`runtime`: one event, by any vendor's name for it, fired at the hooks of a project in real shells."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.events import Canonical
from dsh_compat_adapter.hooks.engine import Dispatched
from dsh_compat_adapter.loading import load, runtime
from dsh_compat_adapter.runtime import Request, Runtime
from tests.projects import CATALOG, SURFACE, command, grouped, project

DENY = """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"%s"}}'"""
ALLOW = """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'"""
ASK = """echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}'"""
SILENT = "true"


def ready(root: Path, files: Mapping[str, object], *, bridge: str = "native") -> Runtime:
    return runtime(load(scan(project(root, files), CATALOG), CATALOG, SURFACE, bridge=bridge), CATALOG)


async def fire(engine: Runtime, event: str, payload: dict[str, Any] | None = None, **more: Any) -> Dispatched:
    _, dispatched = await engine.dispatch(Request(event=event, payload=payload or {}, **more))
    return dispatched


def tool(name: str, **arguments: object) -> dict[str, Any]:
    return {"tool_name": name, "tool_input": arguments}


def real(path: Path) -> str:
    return str(path.resolve())


def written(root: Path, pattern: str) -> list[Any]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in root.glob(pattern)]


def reads(root: Path, name: str) -> Any:
    return json.loads((root / name).read_text(encoding="utf-8"))


FIVE = {
    ".claude/settings.json": grouped("PreToolUse", command("cat > claude.json"), matcher="Write"),
    ".codex/hooks.json": grouped("PreToolUse", command("cat > codex.json"), matcher="Write"),
    ".codebuddy/settings.json": grouped("PreToolUse", command("cat > workbuddy.json"), matcher="Write"),
    ".github/hooks/a.json": {
        "version": 1,
        "hooks": {"preToolUse": [{"bash": "cat > copilot.json", "matcher": "create"}]},
    },
    ".github/hooks/b.json": {
        "version": 1,
        "hooks": {"PreToolUse": [{"bash": "cat > pascal.json", "matcher": "Write"}]},
    },
    ".dsh-hooks.json": {
        "version": 1,
        "events": {"tool:before": [{"command": "cat > native.json", "matcher": "write"}]},
    },
    "compat.yaml": "version: 1\nhooks: [{vendor: opencode, event: tool.execute.before, handler: cat > opencode.json}]",
}
TOLD = {
    "claude.json": ("hook_event_name", "PreToolUse", ("tool_name",), "Write", ("tool_input", "file_path")),
    "codex.json": ("hook_event_name", "PreToolUse", ("tool_name",), "apply_patch", ("tool_input", "file_path")),
    "workbuddy.json": ("hook_event_name", "PreToolUse", ("tool_name",), "Write", ("tool_input", "file_path")),
    "copilot.json": (None, None, ("toolName",), "create", ("toolArgs", "path")),
    "pascal.json": ("hook_event_name", "PreToolUse", ("tool_name",), "Write", ("tool_input", "path")),
    "native.json": ("event", "tool:before", ("tool_name",), "write", ("tool_input", "file_path")),
    "opencode.json": ("event", "tool.execute.before", ("input", "tool"), "write", ("output", "args", "filePath")),
}


def within(data: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        data = json.loads(data)[key] if isinstance(data, str) else data[key]
    return data


@pytest.mark.parametrize("event", ["PreToolUse", "preToolUse", "tool.execute.before", "tool:before"])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("Write", {"file_path": "a.py"}), ("write", {"file_path": "a.py"}), ("create", {"path": "a.py"})],
    ids=["Claude's name", "the host's name", "Copilot's name"],
)
async def test_every_vendors_hook_is_told_its_own_names_whoevers_name_the_event_came_by(
    tmp_path: Path, event: str, name: str, arguments: dict[str, object]
) -> None:
    done = await fire(ready(tmp_path, FIVE), event, tool(name, **arguments))
    assert len(done.runs) == len(TOLD)
    for file, (event_key, event_name, tool_path, tool_name, argument_path) in TOLD.items():
        told = reads(tmp_path, file)
        assert (file, within(told, tool_path)) == (file, tool_name)
        assert (file, within(told, argument_path)) == (file, "a.py")
        assert event_key is None or told[event_key] == event_name


async def test_a_payload_in_copilots_own_shape_is_understood(tmp_path: Path) -> None:
    payload = {"toolName": "create", "toolArgs": {"path": "a.py"}, "sessionId": "s1"}
    await fire(ready(tmp_path, FIVE), "preToolUse", payload)
    told = reads(tmp_path, "claude.json")
    assert (told["tool_name"], told["tool_input"], told["session_id"]) == ("Write", {"file_path": "a.py"}, "s1")


async def test_only_the_asked_vendors_hooks_run(tmp_path: Path) -> None:
    done = await fire(ready(tmp_path, FIVE), "PreToolUse", tool("Write", file_path="a"), vendor="codex")
    assert [run.hook.vendor.name for run in done.runs] == ["codex"]


async def test_an_alias_of_a_vendor_means_the_vendor(tmp_path: Path) -> None:
    done = await fire(ready(tmp_path, FIVE), "PreToolUse", tool("Write", file_path="a"), vendor="claude-code")
    assert [run.hook.vendor.name for run in done.runs] == ["claude"]


@pytest.mark.parametrize(
    ("event", "owner", "code", "hint"),
    [
        ("PreToolUsed", None, ErrorCode.UNKNOWN_EVENT, "Did you mean 'PreToolUse'?"),
        ("pretooluse", None, ErrorCode.UNKNOWN_EVENT, "Did you mean 'PreToolUse'?"),
        ("tool:befor", None, ErrorCode.UNKNOWN_EVENT, "Did you mean 'tool:before'?"),
        ("", None, ErrorCode.UNKNOWN_EVENT, "no vendor has an event ''"),
        ("tool.execute.before", "claude", ErrorCode.UNKNOWN_EVENT, "Claude Code has no event"),
        ("preToolUse", "claude", ErrorCode.UNKNOWN_EVENT, "Did you mean 'PreToolUse'?"),
        ("PreToolUse", "claud", ErrorCode.UNKNOWN_VENDOR, "Did you mean 'claude'?"),
        ("PreToolUse", "", ErrorCode.UNKNOWN_VENDOR, "unknown vendor ''"),
    ],
)
async def test_an_unknown_event_or_vendor_is_an_error_with_the_nearest_name(
    tmp_path: Path, event: str, owner: str | None, code: ErrorCode, hint: str
) -> None:
    with pytest.raises(CompatError) as caught:
        await fire(ready(tmp_path, {}), event, vendor=owner)
    assert caught.value.code is code
    assert hint in caught.value.message


@pytest.mark.parametrize(
    ("commands", "decision", "reason"),
    [
        ([SILENT], "none", None),
        ([ALLOW, SILENT], "allow", None),
        ([ASK, ALLOW], "ask", None),
        ([DENY % "one", ALLOW], "deny", "one"),
        ([ALLOW, DENY % "one"], "deny", "one"),
        ([DENY % "one", SILENT, DENY % "two"], "deny", "one\n\ntwo"),
        (["echo no >&2; exit 2"], "deny", "no"),
        (["exit 1"], "none", None),
        (["exit 2"], "deny", "Blocked by hook"),
    ],
    ids=[
        "silence",
        "an allow beside silence",
        "an ask beside an allow",
        "deny first",
        "deny last",
        "two denies",
        "exit 2",
        "exit 1",
        "no reason",
    ],
)
async def test_the_hooks_of_one_event_become_one_decision(
    tmp_path: Path, commands: list[str], decision: str, reason: str | None
) -> None:
    files: dict[str, object] = {".claude/settings.json": grouped("PreToolUse", *map(command, commands))}
    done = await fire(ready(tmp_path, files), "PreToolUse", tool("Write"))
    assert done.outcome.decision.word == decision
    assert decision == "deny" or done.outcome.reason == reason
    if reason not in (None, "Blocked by hook"):
        assert done.outcome.reason == reason
    assert decision != "deny" or done.outcome.reason


async def test_the_hooks_of_several_vendors_become_one_decision_and_a_deny_wins(tmp_path: Path) -> None:
    done = await fire(
        ready(
            tmp_path,
            {
                ".claude/settings.json": grouped("PreToolUse", command(DENY % "claude says no")),
                ".codex/hooks.json": grouped("PreToolUse", command("echo codex says no >&2; exit 2")),
                ".github/hooks/a.json": {"version": 1, "hooks": {"preToolUse": [{"bash": "echo '{}'"}]}},
            },
        ),
        "tool:before",
        tool("Write", file_path="a"),
    )
    assert done.outcome.decision.word == "deny"
    assert done.outcome.reason == "claude says no\n\ncodex says no"
    assert [run.hook.vendor.name for run in done.runs] == ["claude", "codex", "copilot"]


async def test_the_order_of_the_hooks_does_not_depend_on_the_name_that_the_event_came_by(tmp_path: Path) -> None:
    engine = ready(tmp_path, FIVE)
    orders = {
        event: [run.hook.vendor.name for run in (await fire(engine, event, tool("Write", file_path="a"))).runs]
        for event in ("tool:before", "PreToolUse", "preToolUse", "tool.execute.before")
    }
    assert len({tuple(order) for order in orders.values()}) == 1, orders


async def test_contexts_of_several_hooks_come_in_the_order_of_the_files(tmp_path: Path) -> None:
    files: dict[str, object] = {
        ".claude/settings.json": grouped("SessionStart", command("echo one"), command("echo two")),
        ".claude/settings.local.json": grouped("SessionStart", command("echo three")),
        ".codex/hooks.json": grouped("SessionStart", command("echo four")),
    }
    done = await fire(ready(tmp_path, files), "session:start", {"source": "startup"})
    assert [context.strip() for context in done.outcome.contexts] == ["one", "two", "three", "four"]


async def test_an_ask_where_nobody_can_be_asked_is_no_allow(tmp_path: Path) -> None:
    files: dict[str, object] = {".claude/settings.json": grouped("PreToolUse", command(ASK))}
    done = await fire(ready(tmp_path, files), "PreToolUse", tool("Write"))
    assert done.outcome.decision.word in ("ask", "deny")


async def test_a_matcher_selects_by_the_vendors_name_and_is_case_sensitive(tmp_path: Path) -> None:
    groups = [
        {"matcher": name, "hooks": [command(f"echo '{name}' >> ran")]} for name in ("Write", "write", "Edit", "rit.")
    ]
    engine = ready(tmp_path, {".claude/settings.json": {"hooks": {"PreToolUse": groups}}})
    done = await fire(engine, "PreToolUse", tool("Write"))
    assert [run.hook.matcher.text for run in done.runs] == ["Write", "rit."]


async def test_the_same_command_in_two_settings_files_runs_once_where_the_vendor_runs_it_once(tmp_path: Path) -> None:
    again = grouped("Stop", command("echo ran >> ran"))
    engine = ready(tmp_path, {".claude/settings.json": again, ".claude/settings.local.json": again})
    assert len((await fire(engine, "Stop")).runs) == 1
    assert (tmp_path / "ran").read_text() == "ran\n"


async def test_the_same_command_twice_runs_twice_where_the_vendor_runs_it_twice(tmp_path: Path) -> None:
    engine = ready(tmp_path, {".codex/hooks.json": grouped("Stop", command("true"), command("true"))})
    assert len((await fire(engine, "Stop")).runs) == 2


async def test_the_copy_of_a_plugin_is_another_hook_than_the_one_in_the_settings(tmp_path: Path) -> None:
    """The root of a plugin is part of what Claude Code compares, so the two run side by side."""
    again = grouped("Stop", command("true"))
    engine = ready(tmp_path, {".claude/settings.json": again, "hooks/hooks.json": again})
    assert len((await fire(engine, "Stop", vendor="claude")).runs) == 2


async def test_a_hook_runs_in_the_project_and_is_told_where_the_agent_is(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    engine = ready(tmp_path, {".claude/settings.json": grouped("Stop", command("pwd > where; cat > told"))})
    await fire(engine, "Stop", cwd=str(tmp_path / "sub"))
    assert (tmp_path / "where").read_text().strip() == real(tmp_path)
    assert reads(tmp_path, "told")["cwd"] == str(tmp_path / "sub")


async def test_without_a_folder_the_agent_is_in_the_project(tmp_path: Path) -> None:
    engine = ready(tmp_path, {".claude/settings.json": grouped("Stop", command("cat > told"))})
    await fire(engine, "Stop")
    assert reads(tmp_path, "told")["cwd"] == real(tmp_path)


async def test_a_stop_is_active_only_after_a_block_and_not_after_a_new_prompt(tmp_path: Path) -> None:
    engine = ready(tmp_path, {".claude/settings.json": grouped("Stop", command("cat >> told; echo again >&2; exit 2"))})
    for event in ("Stop", "Stop", "UserPromptSubmit", "Stop"):
        await fire(engine, event, {"session_id": "s", "prompt": "go"})
    decoder, text, flags = json.JSONDecoder(), (tmp_path / "told").read_text(), []
    while text.strip():
        told, end = decoder.raw_decode(text.lstrip())
        flags.append(told["stop_hook_active"])
        text = text.lstrip()[end:]
    assert flags == [False, True, False]


async def test_a_hook_that_always_blocks_cannot_hold_a_session_for_ever(tmp_path: Path) -> None:
    engine = ready(tmp_path, {".claude/settings.json": grouped("Stop", command("echo again >&2; exit 2"))})
    outcomes = [(await fire(engine, "Stop", {"session_id": "s"})).outcome for _ in range(20)]
    assert {outcome.decision.word for outcome in outcomes} == {"deny", "none"}
    forced = next(outcome for outcome in outcomes if outcome.decision.word == "none")
    assert (forced.downgraded, forced.raw_reason) == (True, "again")
    assert [problem.code for problem in forced.problems] == ["stop-cap"]


async def test_one_sessions_blocks_do_not_count_for_another(tmp_path: Path) -> None:
    engine = ready(tmp_path, {".claude/settings.json": grouped("Stop", command("cat > told; exit 2"))})
    await fire(engine, "Stop", {"session_id": "one"})
    await fire(engine, "Stop", {"session_id": "two"})
    assert reads(tmp_path, "told")["stop_hook_active"] is False


async def test_events_fired_at_once_do_not_mix(tmp_path: Path) -> None:
    text = "cat > $(date +%s%N)-$$.json"
    engine = ready(tmp_path, {".claude/settings.json": grouped("PreToolUse", command(text), matcher="Write")})
    names = [f"{number}.py" for number in range(8)]
    await asyncio.gather(*[fire(engine, "PreToolUse", tool("Write", file_path=name)) for name in names])
    assert sorted(told["tool_input"]["file_path"] for told in written(tmp_path, "*-*.json")) == names


@pytest.mark.parametrize("canonical", list(Canonical))
async def test_every_canonical_event_can_be_fired_without_hooks(tmp_path: Path, canonical: Canonical) -> None:
    point, dispatched = await ready(tmp_path, {}).dispatch(Request(event=canonical.value, payload={}))
    assert point.canonical is canonical
    assert (dispatched.outcome.decision.word, dispatched.runs) == ("none", ())


EVENTS = sorted(
    {
        name
        for one in (*CATALOG.vendors.values(), CATALOG.native)
        for row in one.rows.values()
        for name in (row.event, *row.spellings)
    }
)
json_like: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = [
    "tool_name",
    "toolName",
    "tool",
    "name",
    "tool_input",
    "toolArgs",
    "session_id",
    "agent_id",
    "source",
    "input",
]
payloads = st.dictionaries(
    st.sampled_from(MEMBERS) | st.text(max_size=4), json_like | st.sampled_from(["Write"]), max_size=5
)


@pytest.fixture(scope="module")
def every_event(tmp_path_factory: pytest.TempPathFactory) -> Runtime:
    """One hook on each event of each vendor, none of which is run."""
    lines = [
        f"  - {{vendor: {one.name}, event: '{row.event}', handler: 'false'}}"
        for one in CATALOG.vendors.values()
        for row in one.rows.values()
    ]
    text = "version: 1\nhooks:\n" + "\n".join(lines)
    return ready(tmp_path_factory.mktemp("every"), {"compat.yaml": text})


@given(event=st.sampled_from(EVENTS), payload=payloads, subject=st.none() | st.text(max_size=5))
def test_any_payload_selects_the_same_hooks_each_time_and_raises_nothing(
    every_event: Runtime, event: str, payload: dict[str, Any], subject: str | None
) -> None:
    request = Request(event=event, payload=payload, subject=subject)
    first, again = every_event.select(request), every_event.select(request)
    assert first.groups == again.groups
    assert repr(first.values) == repr(again.values)
