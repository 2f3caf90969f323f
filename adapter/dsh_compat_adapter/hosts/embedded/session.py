"""The log of one session, as typed events, and the messages that a model reads of it."""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from ...errors import CompatError, ErrorCode, shown
from ...frozen import freeze
from .tool import ABORTED

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


class Log(Protocol):
    """A copy of the log that outlives the session."""

    @property
    def path(self) -> str:
        """Where it is."""
        ...

    def append(self, event: SessionEvent) -> None:
        """Keep one more event. Total."""
        ...


class Session:
    """The log of one session; it only grows."""

    def __init__(self, session_id: str, former: Iterable[SessionEvent] = (), *, log: Log | None = None) -> None:
        """`former` are the events of the session that this one resumes; calls that have no result get one.

        All of them stand in `log` again. Raises INVALID_INPUT for what is no event of a session.
        """
        self.id = session_id
        self._log = log
        self._events: list[SessionEvent] = []
        self._messages: list[Message] = []
        self._open: dict[str, str] = {}  # names of the calls of the last answer that wait; no other result is a message
        for number, event in enumerate(former):
            try:
                self.append(event.type, event.data, time_ms=event.time_ms)
            except (LookupError, TypeError, ValueError, AttributeError):
                message = f"entry {number} of the former session is no event of one: {shown(event)}"
                raise CompatError(ErrorCode.INVALID_INPUT, message) from None
        for call_id, name in tuple(self._open.items()):
            result = {"call_id": call_id, "name": name, "is_error": True, "text": ABORTED.text}
            self.append("tool/result", {"turn": 0, "step": 0, **result})

    @property
    def path(self) -> str:
        """The file that holds the log too, and nothing where there is none."""
        return self._log.path if self._log else ""

    @property
    def events(self) -> tuple[SessionEvent, ...]:
        """All events, in order."""
        return tuple(self._events)

    @property
    def messages(self) -> tuple[Message, ...]:
        """What a model reads: everything since the last compaction, behind its summary."""
        return tuple(self._messages)

    def append(self, kind: str, data: Mapping[str, object], *, time_ms: int | None = None) -> SessionEvent:
        """Log one event; the values are frozen. One that lacks what its type has is raised and not logged."""
        frozen = freeze(data)
        if not isinstance(frozen, Mapping):
            raise TypeError("the data of an event is a mapping")
        time_ms = time.time_ns() // 1_000_000 if time_ms is None else time_ms
        event = SessionEvent(type=kind, seq=len(self._events), time_ms=time_ms, data=frozen)
        message = _message(event)
        self._events.append(event)
        if self._log is not None:
            self._log.append(event)
        if kind == "compaction/summary":
            self._messages = []
        if message is not None and (message.call_id is None or self._open.pop(message.call_id, None) is not None):
            self._messages.append(message)
            if message.role == "assistant":
                self._open = {use.call_id: use.name for use in message.calls}
        return event


def said(text: str, source: str) -> Message:
    """What somebody says; raises INVALID_INPUT for what is no text."""
    if not isinstance(text, str):
        raise CompatError(ErrorCode.INVALID_INPUT, f"what is said to an agent is a text, found {shown(text)}")
    return Message(text=text, source=source)


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
    if not isinstance(value, tuple):
        raise TypeError("the calls of an answer are an array")
    return tuple(ToolUse(name=use["name"], arguments=use["arguments"], call_id=use["call_id"]) for use in value)
