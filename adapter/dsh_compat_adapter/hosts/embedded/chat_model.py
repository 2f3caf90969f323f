"""A model behind an OpenAI-compatible endpoint (chat completions). Each answer comes whole, as one piece of text."""

import json
from collections.abc import AsyncGenerator, Mapping, Sequence

from ...hooks.handlers.http import post
from .model import ModelError, ModelRequest, Piece
from .session import Message, ToolUse

TIMEOUT_S = 300.0


class ChatModel:
    """Posts to `<base_url>/chat/completions`. `key` is sent as a bearer token and shown nowhere."""

    def __init__(self, name: str, *, base_url: str, key: str | None = None, timeout_s: float = TIMEOUT_S) -> None:
        self._name = name
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
        self._timeout_s = timeout_s

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """See `Model.stream`; raises ModelError for an endpoint that gives no answer."""
        body = json.dumps(_body(request), default=dict).encode("ascii")
        finished = await post(self._url, body, self._headers, self._timeout_s)
        if finished.timed_out:
            raise ModelError(f"no answer from the model within {self._timeout_s:g} s", "TIMEOUT")
        if finished.exit_code != 0 or finished.truncated:
            raise ModelError(finished.spawn_error or "the model's answer is too long", "REQUEST_FAILED")
        for piece in _pieces(finished.stdout):
            yield piece


def _body(request: ModelRequest) -> dict[str, object]:
    tools = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in request.tools
    ]
    body: dict[str, object] = {"model": request.model, "messages": [_message(m) for m in request.messages]}
    return body | ({"tools": tools} if tools else {})


def _message(message: Message) -> dict[str, object]:
    match message.role:
        case "tool":
            return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
        case "assistant" if message.calls:
            return {"role": "assistant", "content": message.text or None, "tool_calls": _calls(message.calls)}
        case role:
            return {"role": role, "content": message.text}


def _calls(uses: Sequence[ToolUse]) -> list[dict[str, object]]:
    return [
        {
            "id": use.call_id,
            "type": "function",
            "function": {"name": use.name, "arguments": json.dumps(use.arguments, default=dict)},
        }
        for use in uses
    ]


def _pieces(answer: bytes) -> list[Piece]:
    try:
        message = json.loads(answer)["choices"][0]["message"]
        calls = message.get("tool_calls") or []
        pieces: list[Piece] = [text] if (text := _text(message.get("content"))) else []
        return pieces + [_use(call) for call in calls]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ModelError("the model's answer is no chat completion", "INVALID_ANSWER") from None


def _text(content: object) -> str:
    if not isinstance(content, str | None):  # in parts, say: dropped, it would pass for an empty answer
        raise TypeError("the content of a message is a text")
    return content or ""


def _use(call: Mapping[str, Mapping[str, str]]) -> ToolUse:
    function = call["function"]
    try:
        arguments: object = json.loads(function["arguments"] or "{}")  # some endpoints send nothing for no arguments
    except ValueError:
        arguments = function["arguments"]  # the pipeline says that these are no object
    if not isinstance(function["name"], str):
        raise TypeError("a call names its tool")
    return ToolUse(name=function["name"], arguments=arguments, call_id=str(call["id"]))
