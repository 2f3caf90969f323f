"""The log of one session, as typed events, and the messages that a model reads of it."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from ...frozen import freeze

USER = "user"  # the source of what a person wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool call that a model asks for. `arguments` is what it sent, an object if all is well."""

    name: str
    arguments: object
    call_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message that the model reads, with whose it is."""

    text: str
    source: str = USER
    role: Literal["user", "assistant", "tool"] = "user"
    calls: tuple[ToolUse, ...] = ()  # of an assistant
    call_id: str | None = None  # of a tool's result
    path: str | None = None  # the file that the text comes from


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionEvent:
    """One entry of the log. `type` and the members of `data` are listed in the host's surface."""

    type: str
    seq: int
    time_ms: int
    data: Mapping[str, object]


class Session:
    """The log of one session; it only grows."""

    def __init__(self, session_id: str, former: Iterable[SessionEvent] = ()) -> None:
        """`former` are the events of the session that this one resumes."""
        self.id = session_id
        self._events: list[SessionEvent] = []
        self._messages: list[Message] = []
        self._asked: set[str] = set()  # the calls of the last answer; no other result is a message
        for event in former:
            self.append(event.type, event.data)

    @property
    def events(self) -> tuple[SessionEvent, ...]:
        """All events, in order."""
        return tuple(self._events)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What a model reads: everything since the last compaction, behind its summary."""
        return tuple(self._messages)

    def append(self, kind: str, data: Mapping[str, object]) -> SessionEvent:
        """Log one event; the values are frozen."""
        frozen = freeze(data)
        assert isinstance(frozen, Mapping)
        event = SessionEvent(type=kind, seq=len(self._events), time_ms=time.time_ns() // 1_000_000, data=frozen)
        self._events.append(event)
        if kind == "compaction/summary":
            self._messages = []
        if (message := _message(event)) is not None and (message.call_id is None or message.call_id in self._asked):
            self._messages.append(message)
            if message.role == "assistant":
                self._asked = {use.call_id for use in message.calls}
        return event


def _message(event: SessionEvent) -> Message | None:
    data = event.data
    match event.type:
        case "user/message":
            path = data.get("source_path")
            return Message(
                text=str(data["text"]), source=str(data["source_kind"]), path=path if isinstance(path, str) else None
            )
        case "assistant/message":
            return Message(text=str(data["text"]), source="assistant", role="assistant", calls=_calls(data["calls"]))
        case "tool/result":
            return Message(
                text=str(data["text"]), source=f"tool:{data['name']}", role="tool", call_id=str(data["call_id"])
            )
        case "compaction/summary":
            return Message(text=str(data["summary"]), source="compaction")
        case _:
            return None


def _calls(value: object) -> tuple[ToolUse, ...]:
    assert isinstance(value, tuple)
    return tuple(ToolUse(name=use["name"], arguments=use["arguments"], call_id=use["call_id"]) for use in value)
