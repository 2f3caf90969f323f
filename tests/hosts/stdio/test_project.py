"""`hosts.stdio.project`: one project's hooks, by requests as they come over the wire."""

import json
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.hooks.stop_guard import StopGuard
from dsh_compat_adapter.hosts.stdio.project import LoadedProject, read_request
from dsh_compat_adapter.loading import load
from tests.checkout import PACKAGE
from tests.mounting import denies
from tests.projects import CATALOG, SURFACE, command, grouped, project

REPLY = Draft202012Validator(json.loads((PACKAGE / "schemas/reply.json").read_text("utf-8")))


def served(root: Path, files: Mapping[str, object], guard: StopGuard | None = None) -> LoadedProject:
    loaded = load(scan(project(root, files), CATALOG), CATALOG, SURFACE)
    return LoadedProject(loaded, CATALOG, guard or StopGuard())


async def ask(one: LoadedProject, event: str, **request: object) -> Any:
    """The reply as it goes over the wire, which is one of the published schema."""
    answer = one.dispatch({"event": event, **request})
    reply = json.loads(json.dumps(await answer if isinstance(answer, Awaitable) else answer))
    REPLY.validate(reply)
    return reply


async def test_without_a_hook_the_reply_is_there_at_once(tmp_path: Path) -> None:
    answer = served(tmp_path, {}).dispatch({"event": "PreToolUse", "payload": {"tool_name": "Bash"}})
    assert answer == {
        "ok": True,
        "canonical": "tool:before",
        "outcome": {"decision": "none", "reason": None, "stop": False},
        "runs": [],
    }


async def test_the_reply_says_what_the_event_came_to_and_what_each_hook_said(tmp_path: Path) -> None:
    files = {".claude/settings.json": grouped("PreToolUse", command(denies("not here")), command("true"))}
    reply = await ask(served(tmp_path, files), "PreToolUse", payload={"tool_name": "Bash"})
    assert (reply["ok"], reply["canonical"]) == (True, "tool:before")
    assert (reply["outcome"]["decision"], reply["outcome"]["reason"]) == ("deny", "not here")
    first, second = reply["runs"]
    assert (first["outcome"]["decision"], second["outcome"]["decision"]) == ("deny", "none")
    assert first["hook"]["source"].startswith(str(tmp_path / ".claude/settings.json:1:"))
    assert first["durationMs"] > 0
    assert first["hook"]["id"] != second["hook"]["id"]


async def test_an_event_that_has_no_canonical_counterpart_says_so(tmp_path: Path) -> None:
    reply = await ask(served(tmp_path, {}), "MessageDisplay")
    assert reply["canonical"] is None


SUBJECTS: dict[str, dict[str, object]] = {
    "by tool_name": {"payload": {"tool_name": "Write"}},
    "by tool": {"payload": {"tool": "Write"}},
    "by name": {"payload": {"name": "Write"}},
    "by toolName": {"payload": {"toolName": "Write"}},
    "by the host's name": {"payload": {"tool_name": "write"}},
    "by subject": {"subject": "Write"},
    "by subject before the payload": {"subject": "Write", "payload": {"tool_name": "Read"}},
    "by tool_name before name": {"payload": {"name": "Read", "tool_name": "Write"}},
}


@pytest.mark.parametrize("request_", SUBJECTS.values(), ids=SUBJECTS)
async def test_the_tool_is_the_subject_or_else_what_the_payload_says(
    tmp_path: Path, request_: dict[str, object]
) -> None:
    files = {".claude/settings.json": grouped("PreToolUse", command("true"), matcher="Write")}
    assert len((await ask(served(tmp_path, files), "PreToolUse", **request_))["runs"]) == 1


@pytest.mark.parametrize(
    "request_",
    [{}, {"payload": {}}, {"payload": {"tool_name": 1}}, {"subject": "Read", "payload": {"tool_name": "Write"}}],
    ids=["no payload", "no tool", "a tool that is no name", "another subject"],
)
async def test_a_matcher_selects_nothing_by_a_tool_that_nobody_named(
    tmp_path: Path, request_: dict[str, object]
) -> None:
    files = {".claude/settings.json": grouped("PreToolUse", command("true"), matcher="Write")}
    assert (await ask(served(tmp_path, files), "PreToolUse", **request_))["runs"] == []


async def test_the_hook_is_told_where_the_agent_is(tmp_path: Path) -> None:
    files = {".claude/settings.json": grouped("Stop", command("cat > told"))}
    await ask(served(tmp_path, files), "Stop", cwd="/some/where")
    assert json.loads((tmp_path / "told").read_text())["cwd"] == "/some/where"


async def test_a_vendor_narrows_the_event_to_its_hooks(tmp_path: Path) -> None:
    files = {
        ".claude/settings.json": grouped("Stop", command("true")),
        ".codex/hooks.json": grouped("Stop", command("true")),
    }
    one = served(tmp_path, files)
    assert len((await ask(one, "Stop"))["runs"]) == 2
    assert [run["hook"]["vendor"] for run in (await ask(one, "Stop", vendor="codex"))["runs"]] == ["codex"]


WRONG: dict[str, tuple[dict[str, object], ErrorCode, str]] = {
    "no event": ({}, ErrorCode.INVALID_INPUT, "event must be a name, found None"),
    "event null": ({"event": None}, ErrorCode.INVALID_INPUT, "event must be a name, found None"),
    "an event that is no name": ({"event": ["Stop"]}, ErrorCode.INVALID_INPUT, "event must be a name, found ['Stop']"),
    "an unknown event": ({"event": "Stopp"}, ErrorCode.UNKNOWN_EVENT, "Did you mean 'Stop'?"),
    "an empty event": ({"event": ""}, ErrorCode.UNKNOWN_EVENT, "no vendor has an event ''"),
    "a payload that is an array": (
        {"event": "Stop", "payload": []},
        ErrorCode.INVALID_INPUT,
        "payload must be an object, found list",
    ),
    "a payload that is null": (
        {"event": "Stop", "payload": None},
        ErrorCode.INVALID_INPUT,
        "payload must be an object, found NoneType",
    ),
    "a payload that is a text": (
        {"event": "Stop", "payload": "{}"},
        ErrorCode.INVALID_INPUT,
        "payload must be an object, found str",
    ),
    "a subject that is no text": ({"event": "Stop", "subject": 1}, ErrorCode.INVALID_INPUT, "subject must be a string"),
    "a cwd that is no text": ({"event": "Stop", "cwd": {}}, ErrorCode.INVALID_INPUT, "cwd must be a string"),
    "a vendor that is no text": ({"event": "Stop", "vendor": []}, ErrorCode.INVALID_INPUT, "vendor must be a string"),
    "an unknown vendor": ({"event": "Stop", "vendor": "claud"}, ErrorCode.UNKNOWN_VENDOR, "Did you mean 'claude'?"),
}


@pytest.mark.parametrize(("request_", "code", "says"), WRONG.values(), ids=WRONG)
def test_a_request_that_cannot_be_read_is_refused(
    tmp_path: Path, request_: dict[str, object], code: ErrorCode, says: str
) -> None:
    with pytest.raises(CompatError) as caught:
        served(tmp_path, {}).dispatch(request_)
    assert caught.value.code is code
    assert says in caught.value.message
    assert len(caught.value.message) < 300


@given(
    request_=st.dictionaries(
        st.sampled_from(["event", "payload", "subject", "cwd", "vendor", "x"]),
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just([]) | st.just({}),
    )
)
def test_a_request_is_read_or_refused_and_members_that_nobody_knows_are_ignored(request_: dict[str, object]) -> None:
    refused = None
    try:
        assert read_request(request_) == read_request({**request_, "unknown": [1]})
    except CompatError as error:
        refused = error.code
    texts = [request_.get(key) for key in ("subject", "cwd", "vendor")]
    readable = (
        isinstance(request_.get("event"), str)
        and isinstance(request_.get("payload", {}), dict)
        and all(text is None or isinstance(text, str) for text in texts)
    )
    assert refused is (None if readable else ErrorCode.INVALID_INPUT)


async def test_diagnostics_name_the_findings_of_the_files_and_what_cannot_run(tmp_path: Path) -> None:
    one = served(
        tmp_path,
        {
            ".claude/settings.json": "{",
            ".codex/hooks.json": grouped("Stopp", command("true")),
            ".opencode/plugins/a.js": "export const A = async () => ({'tool.execute.before': async () => {}})",
        },
    )
    diagnostics = json.loads(json.dumps(one.diagnostics()))
    REPLY.validate({"ok": True, "diagnostics": diagnostics})
    assert {entry["code"] for entry in diagnostics} == {"invalid-file", "unknown-event", "handler-is-code"}
    assert {Path(entry["file"]).name for entry in diagnostics if "file" in entry} == {"settings.json", "hooks.json"}
    assert {entry["capability"] for entry in diagnostics if "capability" in entry} == {"UNSUPPORTED"}


async def test_a_project_without_files_has_no_diagnostics(tmp_path: Path) -> None:
    assert served(tmp_path, {}).diagnostics() == []


async def test_a_guard_that_is_handed_on_remembers_the_stops_that_were_blocked_before(tmp_path: Path) -> None:
    """What a reload does."""
    guard = StopGuard()
    files = {".dsh-hooks.json": {"version": 1, "events": {"turn:stop": [{"command": "cat > told; exit 2"}]}}}
    await ask(served(tmp_path, files, guard), "Stop", payload={"session_id": "s"})
    await ask(served(tmp_path, files, guard), "Stop", payload={"session_id": "s"})
    assert json.loads((tmp_path / "told").read_text())["stop_hook_active"] is True
