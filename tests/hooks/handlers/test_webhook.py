"""The webhook handler: through the engine, against endpoints on the loopback address."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter.hooks.engine import Dispatched, Engine
from dsh_compat_adapter.hooks.local_shell import local_shell
from dsh_compat_adapter.hooks.policy import Policy
from tests.endpoints import SILENT, closed_port, endpoint, http
from tests.mounting import hook

VALUES = {"session.id": "s", "tool.host_name": "bash", "tool.host_arguments": {"command": "ls"}, "tool.call_id": "c"}
DENY = {"hookSpecificOutput": {"permissionDecision": "deny", "permissionDecisionReason": "not here"}}


async def fire(
    folder: Path,
    handler: Mapping[str, object],
    *,
    event: str = "tool:before",
    policy: Policy = Policy.VENDOR,
    environment: Mapping[str, str] | None = None,
) -> Dispatched:
    engine = Engine(local_shell(), policy=policy, environment=environment or {})
    one = hook("native", event, handler, project=folder)
    return await engine.dispatch([one], VALUES, can_ask=False)


def webhook(url: str, **more: object) -> dict[str, Any]:
    return {"type": "webhook", "url": url, **more}


async def test_the_body_is_the_payload_that_a_command_would_read(tmp_path: Path) -> None:
    async with endpoint(http()) as server:
        await fire(tmp_path, webhook(f"{server.url}/hook"))
    (asked,) = server.asked
    assert asked.target == "/hook"
    assert asked.header("content-type") == "application/json"
    payload = json.loads(asked.body)
    assert (payload["event"], payload["session_id"], payload["tool_name"]) == ("tool:before", "s", "bash")
    assert payload["tool_input"] == {"command": "ls"}
    assert asked.body.endswith(b"\n")


@pytest.mark.parametrize("name", ["http", "webhook"])
async def test_both_names_of_the_kind_mean_the_same(tmp_path: Path, name: str) -> None:
    async with endpoint(http(json.dumps(DENY))) as server:
        done = await fire(tmp_path, {"type": name, "url": server.url})
    assert done.outcome.decision.word == "deny"


async def test_variables_in_headers_come_from_the_callers_environment_and_unset_ones_stay(tmp_path: Path) -> None:
    """Credentials too: that a command does not inherit them is no reason not to send what is named."""
    headers = {"Authorization": "Bearer $API_TOKEN", "X-Both": "${A}-$UNSET", "X-Plain": "as it is"}
    async with endpoint(http()) as server:
        await fire(tmp_path, webhook(server.url, headers=headers), environment={"API_TOKEN": "s3cret", "A": "a"})
    (asked,) = server.asked
    assert asked.header("authorization") == "Bearer s3cret"
    assert (asked.header("x-both"), asked.header("x-plain")) == ("a-$UNSET", "as it is")


@pytest.mark.parametrize("name", ["Content-Type", "content-type", "CONTENT-TYPE"])
async def test_a_content_type_of_its_own_takes_the_place_of_ours(tmp_path: Path, name: str) -> None:
    async with endpoint(http()) as server:
        await fire(tmp_path, webhook(server.url, headers={name: "text/plain"}))
    assert server.asked[0].header("content-type") == "text/plain"


async def test_variables_in_the_address_are_not_replaced(tmp_path: Path) -> None:
    """An address is shown by `dump` and in messages; a key has no place in it (B68)."""
    async with endpoint(http()) as server:
        await fire(tmp_path, webhook(f"{server.url}/$API_TOKEN"), environment={"API_TOKEN": "s3cret"})
    assert server.asked[0].target == "/$API_TOKEN"


ANSWERS: dict[str, tuple[object, str, str | None]] = {
    "a deny": (DENY, "deny", "not here"),
    "a block at the top": ({"decision": "block", "reason": "no"}, "deny", "no"),
    "an allow": ({"decision": "approve"}, "allow", None),
    "an empty object": ({}, "none", None),
}


@pytest.mark.parametrize(("answer", "decision", "reason"), ANSWERS.values(), ids=ANSWERS)
async def test_the_response_body_decides(tmp_path: Path, answer: object, decision: str, reason: str | None) -> None:
    async with endpoint(http(json.dumps(answer), 201)) as server:
        done = await fire(tmp_path, webhook(server.url))
    assert (done.outcome.decision.word, done.outcome.reason) == (decision, reason)
    assert done.outcome.problems == ()


async def test_plain_text_is_context_where_that_of_a_command_is(tmp_path: Path) -> None:
    async with endpoint(http("remember this")) as server:
        done = await fire(tmp_path, webhook(server.url), event="session:start")
        other = await fire(tmp_path, webhook(server.url))
    assert done.outcome.contexts == ("remember this",)
    assert (other.outcome.contexts, other.outcome.decision.word) == ((), "none")


async def test_a_body_that_begins_like_json_and_is_none_is_a_void_answer(tmp_path: Path) -> None:
    async with endpoint(http('{"decision": "block"')) as server:
        done = await fire(tmp_path, webhook(server.url))
        strict = await fire(tmp_path, webhook(server.url), policy=Policy.STRICT)
    assert done.outcome.decision.word == "none"
    assert [problem.code for problem in done.outcome.problems] == ["answer-not-json"]
    assert strict.outcome.decision.word == "deny"


async def test_a_body_that_is_too_long_is_a_void_answer(tmp_path: Path) -> None:
    async with endpoint(http(b"{" + b" " * 5_000_000 + b"}")) as server:
        done = await fire(tmp_path, webhook(server.url))
    assert [problem.code for problem in done.outcome.problems] == ["hook-answer"]


FAILURES: dict[str, tuple[bytes, str, str]] = {
    "an error of the server": (http("{}", 500), "hook-spawn", "HTTP status 500"),
    "a refusal": (http(json.dumps(DENY), 403), "hook-spawn", "HTTP status 403"),
    "a redirect": (http(b"", 302, "location: http://127.0.0.1:1/"), "hook-spawn", "HTTP status 302"),
    "no HTTP": (b"hello\r\n\r\n", "hook-spawn", "no answer from the endpoint"),
    "silence": (SILENT, "hook-timeout", "no answer within the time limit"),
}


@pytest.mark.parametrize("failure", FAILURES.values(), ids=FAILURES)
@pytest.mark.parametrize(
    ("on_error", "decision", "told"),
    [(None, "none", True), ("warn", "none", True), ("block", "deny", True), ("ignore", "none", False)],
)
async def test_a_failure_warns_blocks_or_is_ignored_as_the_hook_says(
    tmp_path: Path, failure: tuple[bytes, str, str], on_error: str | None, decision: str, *, told: bool
) -> None:
    response, code, says = failure
    async with endpoint(response) as server:
        done = await fire(tmp_path, webhook(server.url, timeout=0.3 if response is SILENT else 30, onError=on_error))
    assert done.outcome.decision.word == decision
    assert [problem.code for problem in done.outcome.problems] == ([code] if told else [])
    assert all(says in problem.text for problem in done.outcome.problems)
    if decision == "deny":
        assert done.outcome.reason is not None
        assert says in done.outcome.reason


async def test_an_endpoint_where_nobody_listens_is_a_failure(tmp_path: Path) -> None:
    with closed_port() as port:
        done = await fire(tmp_path, webhook(f"http://127.0.0.1:{port}", onError="block"))
    assert done.outcome.decision.word == "deny"


async def test_a_failure_refuses_under_the_strict_policy(tmp_path: Path) -> None:
    async with endpoint(http("{}", 500)) as server:
        done = await fire(tmp_path, webhook(server.url), policy=Policy.STRICT)
    assert done.outcome.decision.word == "deny"


@pytest.mark.parametrize("token", ["s3cret", "s3cret\n", "s3cret\r"], ids=repr)
async def test_a_key_is_in_no_message(tmp_path: Path, token: str) -> None:
    headers = {"Authorization": "Bearer $TOKEN"}
    async with endpoint(http("{}", 500)) as server:
        done = await fire(tmp_path, webhook(server.url, headers=headers, onError="block"), environment={"TOKEN": token})
    assert done.outcome.decision.word == "deny"
    assert "s3cret" not in json.dumps([run.to_dict() for run in done.runs]) + json.dumps(done.outcome.to_dict())
