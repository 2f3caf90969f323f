"""The model behind an OpenAI-compatible endpoint: what it is sent, and what its answers mean."""

import json
from pathlib import Path

import pytest

from dsh_compat_adapter.hosts.embedded.chat_model import ChatModel
from dsh_compat_adapter.hosts.embedded.tool import Tool, ToolCall
from tests.endpoints import SILENT, closed_port, completion, endpoint, http
from tests.mounting import WatchedHost


async def echo(call: ToolCall) -> object:
    return str(call.arguments["n"])


ECHO = Tool(run=echo, description="Say it again.", parameters={"type": "object", "properties": {"n": {}}})


def calling(name: str, arguments: str) -> bytes:
    """A completion that calls one tool."""
    use = {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return http(json.dumps({"choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [use]}}]}))


async def test_the_endpoint_is_sent_messages_and_tools_with_the_key_and_its_text_ends_the_turn(tmp_path: Path) -> None:
    async with endpoint(completion("hello")) as there:
        model = ChatModel("small", base_url=f"{there.url}/v1/", key="sk-1")
        end = await WatchedHost(tmp_path, model=model, tools={"echo": ECHO}).one.prompt("hi")
    assert end.text == "hello"
    (asked,) = there.asked
    assert asked.target == "/v1/chat/completions"
    assert asked.header("authorization") == "Bearer sk-1"
    body = json.loads(asked.body)
    assert (body["model"], body["messages"]) == ("small", [{"role": "user", "content": "hi"}])
    assert body["tools"] == [
        {
            "type": "function",
            "function": {"name": "echo", "description": "Say it again.", "parameters": dict(ECHO.parameters)},
        }
    ]


async def test_a_call_and_its_result_are_sent_back_in_the_format_of_the_endpoint(tmp_path: Path) -> None:
    async with endpoint(calling("echo", '{"n": 5}')) as there:
        model = ChatModel("small", base_url=there.url)
        await WatchedHost(tmp_path, model=model, tools={"echo": ECHO}, max_steps=2).one.prompt("hi")
    assistant, tool = json.loads(there.asked[1].body)["messages"][1:]
    assert assistant["tool_calls"][0]["function"] == {"name": "echo", "arguments": '{"n": 5}'}
    assert tool == {"role": "tool", "tool_call_id": "c1", "content": "5"}


async def test_arguments_that_are_no_json_are_an_error_result_that_the_model_reads(tmp_path: Path) -> None:
    async with endpoint(calling("echo", "{broken")) as there:
        model = ChatModel("small", base_url=there.url)
        await WatchedHost(tmp_path, model=model, tools={"echo": ECHO}, max_steps=2).one.prompt("hi")
    assert json.loads(there.asked[1].body)["messages"][-1]["content"] == "Error: the arguments are no object"


async def test_no_arguments_at_all_are_an_empty_object(tmp_path: Path) -> None:
    async with endpoint(calling("echo", "")) as there:
        model = ChatModel("small", base_url=there.url)
        host = WatchedHost(tmp_path, model=model, tools={"echo": ECHO}, max_steps=1)
        await host.one.prompt("hi")
    assert host.messages[-2].calls[0].arguments == {}


@pytest.mark.parametrize(
    ("response", "code"),
    [
        (http("slow down", 429), "REQUEST_FAILED"),
        (http("{"), "INVALID_ANSWER"),
        (http("[]"), "INVALID_ANSWER"),
        (http('{"choices": []}'), "INVALID_ANSWER"),
        (http('{"choices": [{"message": {"content": [{"type": "text", "text": "hi"}]}}]}'), "INVALID_ANSWER"),
        (calling("", "{}").replace(b'"id"', b'"no"'), "INVALID_ANSWER"),
        (SILENT, "TIMEOUT"),
    ],
    ids=["status 429", "broken", "a list", "no choice", "parts", "a call without an id", "no answer"],
)
async def test_an_endpoint_that_gives_no_answer_ends_the_turn_with_an_error(
    tmp_path: Path, response: bytes, code: str
) -> None:
    async with endpoint(response) as there:
        model = ChatModel("small", base_url=there.url, timeout_s=0.3 if response is SILENT else 30.0)
        end = await WatchedHost(tmp_path, model=model).one.prompt("hi")
    assert (end.kind, end.error_code) == ("error", code)


async def test_an_endpoint_that_is_not_there_is_an_error_without_the_key(tmp_path: Path) -> None:
    with closed_port() as port:
        model = ChatModel("small", base_url=f"http://127.0.0.1:{port}", key="sk-secret")
        end = await WatchedHost(tmp_path, model=model).one.prompt("hi")
    assert (end.kind, "sk-secret" in end.why) == ("error", False)
