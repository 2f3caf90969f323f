"""The model behind an agent: a Protocol, and a scripted one for tests and examples."""

from collections.abc import AsyncGenerator, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from .session import Message, ToolUse

Piece = str | ToolUse


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as a model is told about it; `parameters` is a JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request to a model."""

    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    purpose: Literal["turn", "compaction"] = "turn"


class Model(Protocol):
    """Answers requests, piece by piece: text as it comes, and tool calls whole."""

    @property
    def name(self) -> str:
        """What the model is called in requests and payloads."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """The answer. Whatever it raises ends the turn with an error; `ModelError` gives it a code."""
        ...


class ModelError(Exception):
    """A request that failed. `code` is that of the turn's end."""

    def __init__(self, message: str, code: str = "UNKNOWN") -> None:
        super().__init__(message)
        self.code = code


Said = Piece | Exception | Callable[[ModelRequest], Piece]


class ScriptedModel:
    """Answers each request with the next entry of a script, and with `done` when the script is over.

    An entry is a piece, an exception to raise, a function of the request, or a list of these.
    """

    def __init__(self, script: Iterable[Said | list[Said] | list[ToolUse]] = (), *, name: str = "scripted") -> None:
        self._script = iter(script)
        self._name = name
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        """See `Model.name`."""
        return self._name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """See `Model.stream`."""
        self.requests.append(request)
        entry = next(self._script, "done")
        for said in entry if isinstance(entry, list) else [entry]:
            match said:
                case Exception():
                    raise said
                case str() | ToolUse():
                    yield said
                case _:
                    yield said(request)


def use(name: str, call_id: str | None = None, /, **arguments: object) -> ToolUse:
    """A tool call for a script."""
    return ToolUse(name=name, arguments=arguments, call_id=call_id or "")
