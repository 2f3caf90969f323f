"""`mock_llm`: the offline model, asked over HTTP as an oracle and as a harness ask it."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from dsh_compat_adapter.cli import main
from dsh_compat_adapter.mock_llm import MAX_BODY, MockModel
from tests.clock import PATIENCE_S
from tests.endpoints import closed, closed_port
from tests.listening import environment

SCRIPT = [
    [{"text": "I will write."}, {"tool": "Write", "input": {"file_path": "a"}}],
    [{"tool": "Bash", "input": {"command": "ls"}}, {"tool": "Read"}],
    [{"text": "finished"}],
]
TOOLS = [{"name": "Write"}]


@asynccontextmanager
async def model(script: Sequence[object] = ()) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        MockModel(script=script) as one,
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{one.port}/v1", trust_env=False, timeout=PATIENCE_S) as client,
    ):
        yield client


async def raw(port: int, data: bytes, *, end: bool = False) -> bytes:
    """What the server answers to bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(data)
    if end:
        writer.write_eof()
    answer = b""
    with suppress(ConnectionError):
        answer = await reader.read()
    await closed(writer)
    return answer


# -- chat completions


@pytest.mark.parametrize(
    ("prompt", "verdict"),
    [
        ("judge this", {"ok": True}),
        ("DENY", {"ok": False, "reason": "mock denied"}),
        ("please DENY this", {"ok": False, "reason": "mock denied"}),
        ("deny", {"ok": True}),
        ("", {"ok": True}),
    ],
)
async def test_a_prompt_with_deny_in_it_is_denied(prompt: str, verdict: dict[str, object]) -> None:
    """Seed 000."""
    async with model() as client:
        body = {"model": "mock", "messages": [{"role": "user", "content": prompt}]}
        response = await client.post("/chat/completions", json=body)
    assert response.status_code == 200
    (choice,) = response.json()["choices"]
    assert (choice["message"]["role"], choice["finish_reason"]) == ("assistant", "stop")
    assert json.loads(choice["message"]["content"]) == verdict


async def test_requests_are_answered_side_by_side_and_again() -> None:
    async with model() as client:
        bodies = [{"messages": [{"role": "user", "content": text}]} for text in ("DENY", "pass")] * 10
        responses = await asyncio.gather(*(client.post("/chat/completions", json=body) for body in bodies))
    verdicts = [json.loads(one.json()["choices"][0]["message"]["content"])["ok"] for one in responses]
    assert verdicts == [False, True] * 10


# -- streaming messages


async def streamed(client: httpx.AsyncClient, tools: Sequence[object] = TOOLS) -> list[tuple[str, Any]]:
    """The server-sent events of one reply, each with its data."""
    body = {"model": "mock", "messages": [{"role": "user", "content": "go"}], "tools": tools, "stream": True}
    response = await client.post("/messages?beta=true", json=body)
    assert (response.status_code, response.headers["content-type"]) == (200, "text/event-stream")
    found = []
    for block in response.text.strip().split("\n\n"):
        name, data = block.split("\n")
        found.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    assert all(data["type"] == name for name, data in found)
    return found


def assembled(events: list[tuple[str, Any]]) -> tuple[list[Any], str]:
    """The content of a reply as a client puts it together, and why it stopped."""
    assert events[0][0] == "message_start"
    assert events[-1][0] == "message_stop"
    blocks: list[Any] = []
    reason = ""
    for name, data in events[1:-1]:
        match name:
            case "content_block_start":
                assert data["index"] == len(blocks)
                blocks.append(data["content_block"])
            case "content_block_delta" if data["delta"]["type"] == "text_delta":
                blocks[data["index"]]["text"] += data["delta"]["text"]
            case "content_block_delta":
                blocks[data["index"]]["input"] = json.loads(data["delta"]["partial_json"])
            case "content_block_stop":
                assert data["index"] == len(blocks) - 1
            case _:
                assert name == "message_delta"
                reason = data["delta"]["stop_reason"]
    return blocks, reason


async def test_each_request_with_tools_takes_the_next_reply_and_the_last_one_repeats() -> None:
    async with model(SCRIPT) as client:
        replies = [assembled(await streamed(client)) for _ in range(4)]
    first, second, third, fourth = replies
    assert [(block["type"], block.get("name")) for block in first[0]] == [("text", None), ("tool_use", "Write")]
    assert first[0][0]["text"] == "I will write."
    assert first[0][1]["input"] == {"file_path": "a"}
    assert [(block["name"], block["input"]) for block in second[0]] == [("Bash", {"command": "ls"}), ("Read", {})]
    assert len({block["id"] for block in second[0]}) == 2
    assert third == fourth == ([{"type": "text", "text": "finished"}], "end_turn")
    assert (first[1], second[1]) == ("tool_use", "tool_use")


async def test_a_request_without_tools_takes_no_reply_of_the_script() -> None:
    async with model(SCRIPT) as client:
        title, _ = assembled(await streamed(client, tools=[]))
        reply, _ = assembled(await streamed(client))
    assert title == [{"type": "text", "text": "done"}]
    assert reply[1]["name"] == "Write"


@pytest.mark.parametrize("script", [[], ["no list"], [None], [["no part"]]], ids=repr)
async def test_without_a_usable_reply_the_model_is_done(script: list[object]) -> None:
    async with model(script) as client:
        blocks, reason = assembled(await streamed(client))
    assert blocks in ([{"type": "text", "text": "done"}], [])
    assert reason == "end_turn"


async def test_any_other_path_is_an_empty_list() -> None:
    async with model() as client:
        response = await client.get("/models")
    assert (response.status_code, response.json()) == (200, {"data": []})


# -- what is no request

GARBAGE = {
    "no JSON": b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello",
    "not UTF-8": b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 4\r\n\r\n\xff\xfe\xfd\xfc",
    "too deep": b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: 100000\r\n\r\n" + b"[" * 100_000,
    "no path": b"POST\r\n\r\n",
    "no HTTP": b"hello\r\n\r\n",
    "an empty head": b"\r\n\r\n",
    "a length that is no number": b"POST /v1/messages HTTP/1.1\r\ncontent-length: x\r\n\r\n",
    "a length below zero": b"POST /v1/messages HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
    "a length that is too large": b"POST /v1/messages HTTP/1.1\r\ncontent-length: %d\r\n\r\n" % (MAX_BODY + 1),
    "a body in chunks": b"POST /v1/chat/completions HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n4\r\nDENY\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("data", GARBAGE.values(), ids=GARBAGE)
async def test_what_is_no_request_is_refused_and_the_next_one_is_answered(
    data: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with MockModel() as one:
        assert (await raw(one.port, data)).startswith(b"HTTP/1.1 400 Bad Request\r\n")
        assert (await raw(one.port, b"GET /v1/models HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
    assert caplog.text == ""


@pytest.mark.parametrize("head", [b"content-length:4\r\n", b"CONTENT-LENGTH: 4\r\n", b"Content-Length:   4  \r\n"])
async def test_a_header_may_be_written_in_any_way(head: bytes) -> None:
    async with MockModel() as one:
        answer = await raw(one.port, b"POST /v1/chat/completions HTTP/1.1\r\n" + head + b'\r\n"a" ')
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize("data", [b"", b"POST /v1/mess", b"POST / HTTP/1.1\r\ncontent-length: 9\r\n\r\n{}"], ids=repr)
async def test_a_client_that_leaves_is_no_matter(data: bytes, caplog: pytest.LogCaptureFixture) -> None:
    async with MockModel() as one:
        assert await raw(one.port, data, end=True) == b""
        assert (await raw(one.port, b"GET / HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
    assert caplog.text == ""


async def test_a_client_whose_head_has_no_end_is_not_listened_to_for_ever(caplog: pytest.LogCaptureFixture) -> None:
    async with MockModel() as one:
        await raw(one.port, b"POST /v1/messages HTTP/1.1\r\nx: " + b"x" * 1_000_000)
        assert (await raw(one.port, b"GET / HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 200 OK\r\n")
    assert caplog.text == ""


async def test_a_client_that_says_nothing_does_not_hold_up_the_end() -> None:
    async with MockModel() as one:
        _, writer = await asyncio.open_connection("127.0.0.1", one.port)
        await raw(one.port, b"GET / HTTP/1.1\r\n\r\n")
    await closed(writer)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_client_that_does_not_read_its_answer_does_not_hold_up_the_end() -> None:
    async with MockModel(script=[[{"text": "x" * 30_000_000}]]) as one:
        reader, writer = await asyncio.open_connection("127.0.0.1", one.port)
        body = json.dumps({"messages": [], "tools": TOOLS}).encode()
        writer.write(b"POST /v1/messages HTTP/1.1\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))
        assert await reader.read(1) == b"H"
    await closed(writer)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_it_listens_on_the_loopback_address_only_and_no_more_after_its_end() -> None:
    async with MockModel() as one:
        assert one.port > 0
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", one.port)


# -- the command


def command_line(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "dsh_compat_adapter", "mock-llm", *arguments]


def test_the_command_says_first_where_it_serves_and_follows_the_script(tmp_path: Path) -> None:
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    with subprocess.Popen(
        command_line("--script", str(tmp_path / "script.json")), stdout=subprocess.PIPE, env=environment()
    ) as process:
        try:
            assert process.stdout is not None
            base_url = json.loads(process.stdout.readline())["base_url"]
            body = {"messages": [], "tools": TOOLS}
            response = httpx.post(f"{base_url}/messages", json=body, trust_env=False, timeout=PATIENCE_S)
            assert '"name": "Write"' in response.text
        finally:
            process.terminate()
        process.wait(PATIENCE_S)


async def test_the_command_takes_the_port_that_it_is_given() -> None:
    with closed_port() as port:
        process = await asyncio.create_subprocess_exec(
            *command_line("--port", str(port)), stdout=asyncio.subprocess.PIPE, env=environment()
        )
        assert process.stdout is not None
        assert json.loads(await process.stdout.readline()) == {"base_url": f"http://127.0.0.1:{port}/v1"}
    process.terminate()
    await process.wait()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot be read"),
        ("{", "cannot be read"),
        ("[" * 100_000, "cannot be read"),
        ("{}", "--script holds a JSON list of replies"),
    ],
    ids=["no file", "no JSON", "too deep", "no list"],
)
def test_a_script_that_is_none_is_exit_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: str | None, says: str
) -> None:
    if content is not None:
        (tmp_path / "script.json").write_text(content)
    assert main(["mock-llm", "--script", str(tmp_path / "script.json")]) == 2
    done = capsys.readouterr()
    assert done.out == ""
    assert says in done.err


@pytest.mark.parametrize("port", ["99999", "-1"])
def test_a_port_that_is_none_is_exit_2(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mock-llm", "--port", port]) == 2
    assert f"cannot listen on port {port}" in capsys.readouterr().err


async def test_a_port_that_is_taken_is_exit_2() -> None:
    async with MockModel() as one:
        process = await asyncio.create_subprocess_exec(
            *command_line("--port", str(one.port)), stderr=asyncio.subprocess.PIPE, env=environment()
        )
        _, stderr = await process.communicate()
    assert process.returncode == 2
    assert f"cannot listen on port {one.port}" in os.fsdecode(stderr)
