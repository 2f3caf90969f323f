"""An offline model on the loopback address.

`POST …/chat/completions` answers an oracle: a prompt that holds DENY is refused (seed 000). For tests of a whole
harness, scripted replies are streamed in two formats: as chat completions where a request asks for a stream, and by
`POST …/v1/messages` in the Messages format. A script is a list of replies, a reply a list of `{"text": …}` and
`{"tool": name, "input": {…}}`, or `[{"error": STATUS}]`; each request with tools takes the next one, and the last one
repeats.
"""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Self

MAX_BODY = 64 * 1024 * 1024
DONE = [{"text": "done"}]

Reply = Sequence[object]
Request = Mapping[str, object]


class MockModel:
    """A server with a lifetime; `port` is the one it listens on.

    `script` is a list of replies, or chooses the reply of each request that has tools.
    """

    def __init__(self, port: int = 0, script: Sequence[object] | Callable[[Request], Reply] = ()) -> None:
        self.port = port
        self._script = script if callable(script) else list(script)
        self._taken = 0
        self._connections: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        serving = [task for task in self._connections.values() if task is not None]
        for writer in self._connections:
            writer.transport.abort()  # a client that does not read its answer would hold up the end
        if serving:
            await asyncio.wait(serving)
        await self._server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections[writer] = asyncio.current_task()
        try:
            writer.write(await self._answer(reader))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # a client that leaves is its own affair
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            del self._connections[writer]

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        try:
            path, body = await _request(reader)
            data = json.loads(body) if body else {}
        except (asyncio.LimitOverrunError, LookupError, ValueError):
            return _bad_request("no HTTP with a content-length and a body of JSON")
        except RecursionError:
            return _bad_request("nested too deep")
        if path.endswith("/chat/completions"):
            if isinstance(data, dict) and data.get("stream"):
                return _streamed(self._reply(data), _chunks)
            return _http(200, "application/json", json.dumps(_completion(denied=b"DENY" in body)).encode("ascii"))
        if path.endswith("/messages"):
            return _streamed(self._reply(data), _events)
        return _http(200, "application/json", b'{"data":[]}')

    def _reply(self, data: object) -> Reply:
        """The next scripted reply; a request without tools (a title, a summary) takes none."""
        if not (isinstance(data, dict) and data.get("tools") and self._script):
            return DONE
        if callable(self._script):
            return self._script(data)
        reply = self._script[min(self._taken, len(self._script) - 1)]
        self._taken += 1
        return reply if isinstance(reply, list) else DONE


async def _request(reader: asyncio.StreamReader) -> tuple[str, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    length = int(headers.get("content-length", "0"))
    if length > MAX_BODY or "transfer-encoding" in headers:
        raise ValueError("only a body of a stated and moderate length is read")
    return lines[0].split(" ")[1].split("?")[0], await reader.readexactly(length)


def _bad_request(message: str, status: int = HTTPStatus.BAD_REQUEST) -> bytes:
    return _http(status, "application/json", json.dumps({"error": {"message": message}}).encode("ascii"))


def _streamed(reply: Reply, write: Callable[[Reply], Iterator[bytes]]) -> bytes:
    match reply:
        case [{"error": int(status)}]:
            return _bad_request("the script says so", status)
        case _:
            return _http(200, "text/event-stream", b"".join(write(reply)))


def _http(status: int, kind: str, body: bytes) -> bytes:
    lines = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        f"content-type: {kind}",
        f"content-length: {len(body)}",
        "connection: close",
        "\r\n",
    )
    return "\r\n".join(lines).encode("ascii") + body


def _completion(*, denied: bool) -> dict[str, object]:
    verdict = {"ok": False, "reason": "mock denied"} if denied else {"ok": True}
    message = {"role": "assistant", "content": json.dumps(verdict)}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def _chunks(reply: Reply) -> Iterator[bytes]:
    """One reply as the server-sent events of streamed chat completions."""
    parts = [part for part in reply if isinstance(part, dict)]
    calls = [part for part in parts if "tool" in part]
    for part in parts:
        if "tool" not in part:
            yield _chunk({"role": "assistant", "content": str(part.get("text", ""))})
    for index, part in enumerate(calls):
        function = {"name": part["tool"], "arguments": json.dumps(part.get("input", {}))}
        call = {"index": index, "id": f"call_{index}", "type": "function", "function": function}
        yield _chunk({"tool_calls": [call]})
    yield _chunk({}, "tool_calls" if calls else "stop")
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    yield _data({"object": "chat.completion.chunk", "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _chunk(delta: Mapping[str, object], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({"id": "chatcmpl_mock", "object": "chat.completion.chunk", "model": "mock", "choices": [choice]})


def _data(data: Mapping[str, object]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def _events(reply: Reply) -> Iterator[bytes]:
    """One reply as the server-sent events of the Messages format."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "msg_mock", "type": "message", "role": "assistant", "model": "mock", "content": [], "usage": usage}
    yield _event("message_start", {"message": message})
    tools = 0
    for index, part in enumerate(reply):
        if not isinstance(part, dict):
            continue
        if "tool" in part:
            tools += 1
            block = {"type": "tool_use", "id": f"call_{index}", "name": part["tool"], "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(part.get("input", {}))}
        else:
            block = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": str(part.get("text", ""))}
        yield _event("content_block_start", {"index": index, "content_block": block})
        yield _event("content_block_delta", {"index": index, "delta": delta})
        yield _event("content_block_stop", {"index": index})
    stop = {"stop_reason": "tool_use" if tools else "end_turn", "stop_sequence": None}
    yield _event("message_delta", {"delta": stop, "usage": usage})
    yield _event("message_stop", {})


def _event(name: str, data: dict[str, object]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()
