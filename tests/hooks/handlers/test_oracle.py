"""The oracle handler: a model behind an OpenAI-compatible endpoint decides (seed 000)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_compat_adapter.hooks.engine import Dispatched, Engine
from dsh_compat_adapter.hooks.handlers.oracle import run
from dsh_compat_adapter.hooks.hook import AskOracle
from dsh_compat_adapter.hooks.local_shell import local_shell
from dsh_compat_adapter.hooks.policy import Policy
from tests.clock import PATIENCE_S
from tests.endpoints import SILENT, closed_port, completion, endpoint, http
from tests.mounting import hook

VALUES = {"tool.host_name": "bash", "tool.host_arguments": {"command": "rm -rf /"}, "session.id": "s"}
VERDICT = '{"ok": false, "reason": "too risky"}'


async def fire(
    folder: Path,
    response: bytes,
    *,
    event: str = "tool:before",
    policy: Policy = Policy.VENDOR,
    environment: Mapping[str, str] | None = None,
    **handler: object,
) -> tuple[Dispatched, list[Any]]:
    """What came of it, and the requests that the endpoint got."""
    async with endpoint(response) as server:
        asks = {"type": "oracle", "baseUrl": f"{server.url}/v1", "prompt": "judge", "model": "m", **handler}
        engine = Engine(local_shell(), policy=policy, environment=environment or {})
        done = await engine.dispatch([hook("native", event, asks, project=folder)], VALUES, can_ask=False)
        return done, server.asked


def prompt_of(asked: list[Any]) -> str:
    (one,) = asked
    body = json.loads(one.body)
    (message,) = body["messages"]
    assert (body["model"], message["role"]) == ("m", "user")
    return str(message["content"])


# -- the request


@pytest.mark.parametrize("base", ["/v1", "/v1/"])
async def test_the_chat_completions_of_the_base_address_are_asked(tmp_path: Path, base: str) -> None:
    async with endpoint(completion('{"ok": true}')) as server:
        handler = {"type": "oracle", "baseUrl": server.url + base, "prompt": "judge", "model": "m"}
        engine = Engine(local_shell(), policy=Policy.VENDOR, environment={})
        await engine.dispatch([hook("native", "tool:before", handler, project=tmp_path)], VALUES, can_ask=False)
    (asked,) = server.asked
    assert asked.target == "/v1/chat/completions"
    assert asked.header("content-type") == "application/json"
    assert "authorization" not in dict(asked.headers)


async def test_the_payload_stands_where_the_prompt_says(tmp_path: Path) -> None:
    _, asked = await fire(tmp_path, completion("{}"), prompt="before $ARGUMENTS between $ARGUMENTS after")
    before, first, second = prompt_of(asked).partition(" between ")
    assert first == " between "
    payload = before.removeprefix("before ")
    assert json.loads(payload)["tool_input"] == {"command": "rm -rf /"}
    assert second == f"{payload} after"


async def test_without_a_place_the_payload_stands_after_the_prompt(tmp_path: Path) -> None:
    _, asked = await fire(tmp_path, completion("{}"), prompt="judge this")
    text, _, payload = prompt_of(asked).partition("\n")
    assert text == "judge this"
    assert json.loads(payload)["event"] == "tool:before"


async def test_other_dollars_in_a_prompt_stay(tmp_path: Path) -> None:
    _, asked = await fire(tmp_path, completion("{}"), prompt="$HOME ${ARGUMENTS} $1", environment={"HOME": "/h"})
    assert prompt_of(asked).startswith("$HOME ${ARGUMENTS} $1\n")


# -- the verdict

VERDICTS: dict[str, tuple[object, str, str | None]] = {
    "ok": ('{"ok": true}', "none", None),
    "not ok": ('{"ok": false, "reason": "too risky"}', "deny", "too risky"),
    "not ok without a reason": ('{"ok": false}', "deny", "denied by evaluation"),
    "not ok with an empty reason": ('{"ok": false, "reason": ""}', "deny", "denied by evaluation"),
    "not ok with a reason that is no text": ('{"ok": false, "reason": 1}', "deny", "denied by evaluation"),
    "a decision instead": ('{"decision": "block", "reason": "no"}', "deny", "no"),
    "a decision beside ok": ('{"ok": true, "decision": "block", "reason": "no"}', "deny", "no"),
    "a decision beside an ok of another type": ('{"ok": "false", "decision": "block"}', "deny", None),
    "a nested decision": (
        '{"ok": true, "hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "no"}}',
        "deny",
        "no",
    ),
    "not ok beside an allow": ('{"ok": false, "reason": "no", "decision": "approve"}', "deny", "no"),
    "not ok beside a nested allow": (
        '{"ok": false, "reason": "no", "hookSpecificOutput": {"permissionDecision": "allow"}}',
        "deny",
        "no",
    ),
    "a fence": ('```json\n{"ok": false, "reason": "no"}\n```', "deny", "no"),
    "a fence without a language": ('```\n{"ok": false, "reason": "no"}\n```', "deny", "no"),
    "a fence on one line": ('```json {"ok": false, "reason": "no"}```', "deny", "no"),
    "a fence with space around": ('\n\n ```JSON\r\n{"ok": false, "reason": "no"}\r\n```\n ', "deny", "no"),
    "a fence that is not closed": ('```json\n{"ok": false, "reason": "no"}', "deny", "no"),
    "a fence inside a reason": ('{"ok": false, "reason": "```"}', "deny", "```"),
}


@pytest.mark.parametrize(("content", "decision", "reason"), VERDICTS.values(), ids=VERDICTS)
async def test_a_verdict_is_a_decision(tmp_path: Path, content: object, decision: str, reason: str | None) -> None:
    done, _ = await fire(tmp_path, completion(content))
    assert done.outcome.decision.word == decision
    assert reason is None or done.outcome.reason == reason
    assert done.outcome.problems == ()


async def test_what_else_an_answer_says_counts_as_that_of_a_command(tmp_path: Path) -> None:
    content = {"ok": True, "additionalContext": "mind the gap", "systemMessage": "looked at"}
    done, _ = await fire(tmp_path, completion(json.dumps(content)))
    assert (done.outcome.contexts, done.outcome.messages) == (("mind the gap",), ("looked at",))


async def test_an_answer_that_stops_needs_no_ok(tmp_path: Path) -> None:
    done, _ = await fire(tmp_path, completion('{"continue": false, "stopReason": "enough"}'))
    assert (done.outcome.stop, done.outcome.stop_reason) == (True, "enough")


VOID: dict[str, bytes] = {
    "prose": completion("I would not do that."),
    "prose with a verdict in it": completion('Sure! {"ok": true}'),
    "nothing": completion(""),
    "no content": completion(None),
    "content in parts": completion([{"type": "text", "text": '{"ok": true}'}]),
    "a fence around prose": completion("```\nno\n```"),
    "an array": completion('[{"ok": true}]'),
    "true": completion("true"),
    "two verdicts": completion('{"ok": true} {"ok": false}'),
    "a verdict of another type": completion('{"ok": "false"}'),
    "a verdict that is a number": completion('{"ok": 0}'),
    "no verdict at all": completion('{"verdict": "deny"}'),
    "an empty object": completion("{}"),
    "too deep": completion('{"ok": false, "x":' + "[" * 100_000),
    "no choices": http('{"choices": []}'),
    "no model's answer": http('{"error": "quota"}'),
    "an array as a body": http("[]"),
    "no JSON": http("<html>"),
    "a body that is too long": http(b"[" + b" " * 5_000_000 + b"]"),
}


@pytest.mark.parametrize("response", VOID.values(), ids=VOID)
async def test_what_is_no_verdict_is_a_failure_and_said(tmp_path: Path, response: bytes) -> None:
    """An answer that nobody can read must not pass for an approval."""
    done, _ = await fire(tmp_path, response)
    assert done.outcome.decision.word == "none"
    assert [problem.code for problem in done.outcome.problems] == ["hook-answer"]
    blocked, _ = await fire(tmp_path, response, onError="block")
    assert blocked.outcome.decision.word == "deny"
    strict, _ = await fire(tmp_path, response, policy=Policy.STRICT)
    assert strict.outcome.decision.word == "deny"


@pytest.mark.parametrize(
    ("response", "code"),
    [(http("{}", 429), "hook-spawn"), (http("", 302), "hook-spawn"), (SILENT, "hook-timeout")],
    ids=["an error", "a redirect", "silence"],
)
async def test_an_endpoint_that_fails_is_a_failure(tmp_path: Path, response: bytes, code: str) -> None:
    done, _ = await fire(tmp_path, response, timeout=0.3 if response is SILENT else 30)
    assert (done.outcome.decision.word, [problem.code for problem in done.outcome.problems]) == ("none", [code])


async def test_an_endpoint_where_nobody_listens_is_a_failure(tmp_path: Path) -> None:
    with closed_port() as port:
        done, _ = await fire(tmp_path, http(), baseUrl=f"http://127.0.0.1:{port}/v1", onError="block")
    assert done.outcome.decision.word == "deny"


# -- the key


async def test_the_key_comes_from_the_variable_that_is_named(tmp_path: Path) -> None:
    _, asked = await fire(tmp_path, completion("{}"), keyVariable="LLM_KEY", environment={"LLM_KEY": "s3cret"})
    assert asked[0].header("authorization") == "Bearer s3cret"


@pytest.mark.parametrize("environment", [{}, {"LLM_KEY": ""}], ids=["not set", "empty"])
async def test_without_the_variable_no_key_is_sent(tmp_path: Path, environment: dict[str, str]) -> None:
    _, asked = await fire(tmp_path, completion("{}"), keyVariable="LLM_KEY", environment=environment)
    assert "authorization" not in dict(asked[0].headers)


@pytest.mark.parametrize("key", ["s3cret", "s3cret\n", "s3cret\r", "s3cret\0"], ids=repr)
async def test_the_key_is_in_no_message(tmp_path: Path, key: str) -> None:
    done, _ = await fire(
        tmp_path, http("s3cret", 401), keyVariable="LLM_KEY", environment={"LLM_KEY": key}, onError="block"
    )
    assert done.outcome.decision.word == "deny"
    assert "s3cret" not in json.dumps([done.outcome.to_dict(), *(one.to_dict() for one in done.runs)])


# -- total


@given(content=st.none() | st.text(max_size=40) | st.binary(max_size=20).map(repr), body=st.binary(max_size=60))
@settings(max_examples=15)
async def test_whatever_the_endpoint_sends_is_a_result(content: object, body: bytes) -> None:
    for response in (completion(content), http(body)):
        async with endpoint(response) as server:
            action = AskOracle(prompt="\ud800", base_url=server.url, model="\ud800", key_variable=None)
            finished = await run(action, b'{"a":1}\n', {}, PATIENCE_S)
        assert finished.exit_code == 0
        assert (finished.void is None) != (finished.stdout == b"")


async def test_a_verdict_of_any_depth_is_a_result() -> None:
    """The deepest that can be read cannot always be written, so each depth around the border is tried."""
    action = AskOracle(prompt="", base_url="", model="", key_variable=None)
    for depth in range(900, 1000, 4):
        content = '{"ok": false, "x": ' + "[" * depth + "]" * depth + "}"
        async with endpoint(completion(content)) as server:
            finished = await run(replace(action, base_url=server.url), b"{}", {}, PATIENCE_S)
        assert finished.void is not None or json.loads(finished.stdout)["decision"] == "block"
