"""Scripted replies of a model as server-sent events, in the three wire formats that the engines speak."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """The model calls one tool; `extra` stands beside it where the format has a place for it."""

    name: str
    arguments: Mapping[str, object]
    extra: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of the model: a tool call, text, or an error. `tokens` is the size it claims to have read."""

    call: ToolCall | None = None
    text: str = "done"
    tokens: int = 10
    fails: bool = False  # the request is answered with an error in place of it


def frames(path: str, reply: Reply, number: int) -> bytes:
    """The body of the response to a request for `path`; `number` makes its ids unique."""
    if path.endswith("/messages"):
        return b"".join(_messages(reply, number))
    if path.endswith("/responses"):
        return b"".join(_responses(reply, number))
    return b"".join(_completions(reply, number))


def _messages(reply: Reply, number: int) -> Iterator[bytes]:
    usage = {"input_tokens": reply.tokens, "output_tokens": 1}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "mock", "content": []}
    yield _named("message_start", {"message": {**message, "usage": usage}})
    if reply.call:
        block: dict[str, object] = {"type": "tool_use", "id": f"toolu_{number}", "name": reply.call.name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(reply.call.arguments)}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": reply.text}
    yield _named("content_block_start", {"index": 0, "content_block": block})
    yield _named("content_block_delta", {"index": 0, "delta": delta})
    yield _named("content_block_stop", {"index": 0})
    stop = {"stop_reason": "tool_use" if reply.call else "end_turn", "stop_sequence": None}
    yield _named("message_delta", {"delta": stop, "usage": usage})
    yield _named("message_stop", {})


def _responses(reply: Reply, number: int) -> Iterator[bytes]:
    if reply.call:
        item: dict[str, object] = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "name": reply.call.name,
            "arguments": json.dumps(reply.call.arguments),
            **reply.call.extra,
        }
    else:
        content = [{"type": "output_text", "text": reply.text}]
        item = {"type": "message", "role": "assistant", "id": f"msg_{number}", "content": content}
    usage = {
        "input_tokens": reply.tokens,
        "input_tokens_details": None,
        "output_tokens": 1,
        "output_tokens_details": None,
        "total_tokens": reply.tokens + 1,
    }
    yield _named("response.created", {"response": {"id": f"resp_{number}"}})
    yield _named("response.output_item.done", {"item": item})
    yield _named("response.completed", {"response": {"id": f"resp_{number}", "usage": usage}})


def _completions(reply: Reply, number: int) -> Iterator[bytes]:
    if reply.call:
        function = {"name": reply.call.name, "arguments": json.dumps(reply.call.arguments)}
        call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
        delta: dict[str, object] = {"role": "assistant", "tool_calls": [call]}
    else:
        delta = {"role": "assistant", "content": reply.text}
    head = {"id": f"chat_{number}", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    usage = {"prompt_tokens": reply.tokens, "completion_tokens": 1, "total_tokens": reply.tokens + 1}
    yield _plain({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
    end = {"index": 0, "delta": {}, "finish_reason": "tool_calls" if reply.call else "stop"}
    yield _plain({**head, "choices": [end]})
    yield _plain({**head, "choices": [], "usage": usage})
    yield b"data: [DONE]\n\n"


def _named(name: str, data: Mapping[str, object]) -> bytes:
    return f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n".encode()


def _plain(data: Mapping[str, object]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()
