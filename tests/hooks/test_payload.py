"""`hooks.payload`: what a hook reads on stdin, in the shape of each dialect, as bytes that nothing can break."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_compat_adapter.errors import CompatError, ErrorCode
from dsh_compat_adapter.hooks.payload import build, encode
from dsh_compat_adapter.hooks.values import Values
from tests.strategies import WAYS, Way, host_values, json_objects, json_values, texts, way, ways

SESSION: dict[str, object] = {
    "session.id": "s-1",
    "session.transcript": "/t.jsonl",
    "session.cwd": "/w",
    "session.project_dir": "/w",
    "session.permission_mode": "default",
    "session.model": "m-1",
    "turn.id": "turn-1",
    "time.iso": "2026-11-29T00:00:00+00:00",
    "time.ms": 1790000000000,
}
WRITE: dict[str, object] = {
    "tool.host_name": "write",
    "tool.host_arguments": {"file_path": "a.txt", "content": "x"},
    "tool.call_id": "c-1",
    "result.text": "done",
}
CLAUDE_BASE: dict[str, object] = {
    "session_id": "s-1",
    "transcript_path": "/t.jsonl",
    "cwd": "/w",
    "permission_mode": "default",
}
CLAUDE_TOOL: dict[str, object] = {"tool_name": "Write", "tool_input": {"file_path": "a.txt", "content": "x"}, "tool_use_id": "c-1"}  # fmt: skip


def payload(found: Way, values: Values) -> dict[str, object]:
    return build(values, found.vendor, found.row, found.plan, found.spelling)


@pytest.mark.parametrize(
    ("found", "values", "expected"),
    [
        pytest.param(
            way("claude", "PreToolUse", native=True),
            WRITE,
            CLAUDE_BASE | {"hook_event_name": "PreToolUse"} | CLAUDE_TOOL,
            id="claude-tool-before",
        ),
        pytest.param(
            way("claude", "PostToolUse", native=True),
            WRITE | {"result.duration_ms": 7},
            CLAUDE_BASE
            | {"hook_event_name": "PostToolUse"}
            | CLAUDE_TOOL
            | {"tool_response": "done", "duration_ms": 7},
            id="claude-tool-after",
        ),
        pytest.param(
            way("claude", "UserPromptSubmit", native=True),
            {"prompt.text": "hi"},
            CLAUDE_BASE | {"hook_event_name": "UserPromptSubmit", "prompt": "hi"},
            id="claude-prompt-submit",
        ),
        pytest.param(
            way("claude", "SessionStart"),
            {"session.source": "startup"},
            {key: value for key, value in CLAUDE_BASE.items() if key != "permission_mode"}
            | {"hook_event_name": "SessionStart", "source": "startup"},
            id="claude-session-start",
        ),
        pytest.param(
            way("claude", "Stop"),
            {"stop.active": True},
            {key: value for key, value in CLAUDE_BASE.items() if key != "permission_mode"}
            | {"hook_event_name": "Stop", "stop_hook_active": False},
            id="claude-stop-of-the-bridge",
        ),
        pytest.param(
            way("claude", "Stop", native=True),
            {"stop.active": True, "stop.last_message": "bye"},
            CLAUDE_BASE | {"hook_event_name": "Stop", "stop_hook_active": True, "last_assistant_message": "bye"},
            id="claude-stop",
        ),
        pytest.param(
            way("codex", "PreToolUse"),
            WRITE,
            CLAUDE_BASE
            | {"hook_event_name": "PreToolUse", "model": "m-1", "turn_id": "turn-1"}
            | CLAUDE_TOOL
            | {"tool_name": "apply_patch"},
            id="codex-tool-before",
        ),
        pytest.param(
            way("workbuddy", "PreToolUse", native=True),
            WRITE,
            CLAUDE_BASE | {"hook_event_name": "PreToolUse", "model": "m-1", "call_id": "c-1"} | CLAUDE_TOOL,
            id="workbuddy-tool-before",
        ),
        pytest.param(
            way("copilot", "preToolUse"),
            WRITE,
            {
                "sessionId": "s-1",
                "timestamp": 1790000000000,
                "cwd": "/w",
                "toolName": "create",
                "toolArgs": {"path": "a.txt", "file_text": "x"},
            },
            id="copilot-tool-before",
        ),
        pytest.param(
            way("copilot", "PreToolUse"),
            WRITE,
            {
                "hook_event_name": "PreToolUse",
                "session_id": "s-1",
                "timestamp": "2026-11-29T00:00:00+00:00",
                "cwd": "/w",
                "tool_name": "Write",
                "tool_input": {"path": "a.txt", "file_text": "x"},
            },
            id="copilot-in-claude-spelling",
        ),
        pytest.param(
            way("copilot", "postToolUse"),
            WRITE,
            {
                "sessionId": "s-1",
                "timestamp": 1790000000000,
                "cwd": "/w",
                "toolName": "create",
                "toolArgs": {"path": "a.txt", "file_text": "x"},
                "toolResult": {"resultType": "success", "textResultForLlm": "done"},
            },
            id="copilot-nested-result",
        ),
        pytest.param(
            way("opencode", "tool.execute.before"),
            WRITE,
            {
                "event": "tool.execute.before",
                "input": {"tool": "write", "sessionID": "s-1", "callID": "c-1"},
                "output": {"args": {"filePath": "a.txt", "content": "x"}},
            },
            id="opencode-callback-arguments",
        ),
        pytest.param(
            way("native", "tool:before"),
            WRITE,
            CLAUDE_BASE
            | {"event": "tool:before", "ts": "2026-11-29T00:00:00+00:00"}
            | {"tool_name": "write", "tool_input": {"file_path": "a.txt", "content": "x"}, "tool_use_id": "c-1"},
            id="native-envelope",
        ),
    ],
)
def test_the_payload_of_a_dialect(found: Way, values: dict[str, object], expected: dict[str, object]) -> None:
    """Seed 000, stdin JSON 契约, and the facts of each vendor."""
    assert payload(found, SESSION | values) == expected


def test_a_tool_that_the_vendor_does_not_know_keeps_the_hosts_name_and_arguments() -> None:
    values = SESSION | {"tool.host_name": "mcp__srv__push", "tool.host_arguments": {"file_path": 1}}
    built = payload(way("copilot", "preToolUse"), values)
    assert (built["toolName"], built["toolArgs"]) == ("mcp__srv__push", {"file_path": 1})


def test_a_field_that_the_host_lacks_is_left_out_and_not_null() -> None:
    assert payload(way("claude", "PreToolUse"), {"session.id": "s"}) == {
        "session_id": "s",
        "hook_event_name": "PreToolUse",
    }


def test_a_null_that_the_host_sends_stays_null() -> None:
    assert payload(way("claude", "SessionStart"), {"session.source": None})["source"] is None


def test_a_value_of_the_host_is_told_in_the_vendors_word_for_it() -> None:
    assert payload(way("claude", "FileChanged"), {"file.change": "absent"})["event"] == "unlink"
    assert payload(way("claude", "FileChanged"), {"file.change": "renamed"})["event"] == "renamed"


def test_arguments_that_travel_as_a_string_are_json_text() -> None:
    values = {"tool.host_name": "todo_write", "tool.host_arguments": {"text": "é", "n": float("nan")}}
    assert payload(way("claude", "TaskCreated"), values)["task_subject"] == '{"text":"\\u00e9","n":null}'


def test_arguments_that_travel_as_a_string_and_are_nested_too_deep_are_invalid_input() -> None:
    values = {"tool.host_name": "todo_write", "tool.host_arguments": nest(100_000)}
    with pytest.raises(CompatError) as caught:
        payload(way("claude", "TaskCreated"), values)
    assert caught.value.code is ErrorCode.INVALID_INPUT


@pytest.mark.parametrize(
    ("vendor", "newline"), [("claude", True), ("codex", False), ("workbuddy", False), ("copilot", False)]
)
def test_the_claude_dialect_ends_its_payload_with_a_newline(vendor: str, *, newline: bool) -> None:
    dialect = next(found.vendor.dialect for found in WAYS if found.vendor.name == vendor)
    assert dialect.stdin_newline is newline
    assert encode({"a": 1}, newline=dialect.stdin_newline) == (b'{"a":1}\n' if newline else b'{"a":1}')


@pytest.mark.parametrize(
    ("value", "written"),
    [
        pytest.param('好"a', rb'"\u597d\"a"', id="B36-escaped"),
        pytest.param("\ud800", rb'"\ud800"', id="lone-surrogate"),
        pytest.param("\x00\n\u2028", rb'"\u0000\n\u2028"', id="controls"),
        pytest.param(float("nan"), b"null", id="nan"),
        pytest.param(float("-inf"), b"null", id="infinity"),
        pytest.param([float("nan"), 1.5], b"[null,1.5]", id="nan-inside"),
        pytest.param(2**53 + 1, b"9007199254740993", id="beyond-2**53"),
        pytest.param(10**5000, b"null", id="number-python-cannot-write"),
        pytest.param({1: "a", None: "b"}, b'{"1":"a","null":"b"}', id="keys-that-are-no-text"),
        pytest.param((1, 2), b"[1,2]", id="tuple"),
        pytest.param(b"raw", b"\"b'raw'\"", id="no-json-type"),
    ],
)
def test_a_value_is_written_in_ascii_that_is_always_json(value: object, written: bytes) -> None:
    assert encode({"v": value}, newline=False) == b'{"v":' + written + b"}"


def test_a_payload_of_many_megabytes_is_written_whole() -> None:
    assert json.loads(encode({"v": "x" * 5_000_000}, newline=True))["v"] == "x" * 5_000_000


@pytest.mark.parametrize("extra", [{}, {"nan": float("nan")}], ids=["plain", "with-nan"])
def test_a_payload_that_is_nested_too_deep_for_json_is_invalid_input(extra: dict[str, object]) -> None:
    with pytest.raises(CompatError) as caught:
        encode({"v": nest(100_000)} | extra, newline=False)
    assert caught.value.code is ErrorCode.INVALID_INPUT


@given(json_objects)
def test_json_survives_the_way_to_the_hook(value: dict[str, Any]) -> None:
    written = encode(value, newline=True)
    assert written.isascii()
    assert written.count(b"\n") == 1
    assert json.loads(written) == value


@given(st.dictionaries(texts, host_values, max_size=4))
@settings(max_examples=150)
def test_whatever_a_python_host_sends_is_written_as_strict_json(value: dict[str, Any]) -> None:
    json.loads(encode(value, newline=False), parse_constant=_refuse)


@given(
    found=ways,
    values=st.fixed_dictionaries(
        {},
        optional={
            "tool.host_name": st.sampled_from(["write", "bash", "mcp__a__b", ""]) | json_values,
            "tool.host_arguments": json_values,
            "session.id": texts,
            "session.cwd": json_values,
            "event.type": json_values,
            "event.data": json_values,
            "prompt.text": json_values,
            "agent.type": json_values,
            "result.text": texts,
        },
    ),
)
@settings(max_examples=150)
def test_any_event_of_a_host_has_a_payload_in_every_dialect(found: Way, values: dict[str, Any]) -> None:
    json.loads(encode(payload(found, values), newline=found.vendor.dialect.stdin_newline))


def nest(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def _refuse(name: str) -> object:
    raise AssertionError(f"{name} is no JSON")
