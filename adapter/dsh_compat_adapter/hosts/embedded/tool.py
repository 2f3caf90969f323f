"""A tool, a call of it, and what the call came to."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ...errors import shown
from ...frozen import snapshot

NO_SCHEMA: Mapping[str, object] = {"type": "object"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool call came to, JSON-safe whatever the tool or a hook did; `value` is the structure behind the text."""

    text: str
    value: object = None
    is_error: bool = False
    denied: bool = False


ABORTED = ToolResult(text="Error: tool call aborted", is_error=True)


class Acting(Protocol):
    """The agent that a tool works for."""

    @property
    def cwd(self) -> str:
        """Where it works: an absolute path."""
        ...

    async def call(self, name: str, arguments: object, *, parent: object = None) -> ToolResult:
        """One more tool call, through the whole pipeline; `parent` is the token of the call that it belongs to."""
        ...

    async def log(self, kind: str, data: Mapping[str, object]) -> None:
        """Write an event into the session's log."""
        ...

    async def tell(self, seam: str, values: Mapping[str, object]) -> None:
        """Fire an event that only tells."""
        ...

    async def ask(self, question: str, options: tuple[str, ...]) -> str:
        """Have the user answer; raises where nobody does."""
        ...

    async def delegate(self, prompt: str) -> str:
        """Run a subagent to its end; what it said last."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """One call. The arguments are frozen before any policy sees them, and nothing can replace them.

    `token` is its identity; a nested call knows its parent by that token and by nothing else. `signal`, where there is
    one, ends the call when it is set.
    """

    name: str
    arguments: Mapping[str, object]
    call_id: str
    token: object = field(default_factory=object)
    parent: object = None
    signal: asyncio.Event | None = None
    agent: Acting

    async def nested(self, name: str, arguments: object) -> ToolResult:
        """Call another tool as a part of this call; it is guarded like any other."""
        return await self.agent.call(name, arguments, parent=self.token)


ToolBody = Callable[[ToolCall], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool body with what a model is told about it; `parameters` is a JSON Schema of the arguments."""

    run: ToolBody
    description: str
    parameters: Mapping[str, object] = field(default_factory=lambda: NO_SCHEMA)

    async def __call__(self, call: ToolCall) -> object:
        """Run the body."""
        return await self.run(call)


def result_of(answer: object) -> ToolResult:
    """What a tool answered: text as it is, nothing as no text, any other JSON value with its JSON text.

    Raises ValueError or TypeError for what is no JSON.
    """
    if isinstance(answer, ToolResult):
        if not isinstance(answer.text, str):
            raise TypeError(f"the text of a result is a string, found {type(answer.text).__name__}")
        return ToolResult(
            text=answer.text,
            value=snapshot(answer.value),
            is_error=answer.is_error is True,
            denied=answer.denied is True,
        )
    if isinstance(answer, str):
        return ToolResult(text=answer)
    if answer is None:
        return ToolResult(text="")
    value = snapshot(answer)
    return ToolResult(text=json.dumps(value, default=dict), value=value)


def loggable(arguments: object) -> object:
    """The arguments as a log can have them: themselves, frozen, or a text that shows what is no JSON. Total."""
    try:
        return snapshot(arguments)
    except ValueError:
        return shown(arguments)


def failed(error: BaseException) -> ToolResult:
    """An exception as the result that the model reads."""
    return ToolResult(text=f"Error: {str(error) or type(error).__name__}", is_error=True)


def refused(reason: str) -> ToolResult:
    """A denial as the result that the model reads."""
    return ToolResult(text=f"Error: {reason}", is_error=True, denied=True)


def text_argument(call: ToolCall, name: str) -> str:
    """An argument that has to be a text; raises TypeError when it is none."""
    value = call.arguments.get(name)
    if not isinstance(value, str):
        raise TypeError(f"the argument {name!r} must be a string")
    return value
