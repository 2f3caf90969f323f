"""The values of an event of DSH by the paths that rows use. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime

from ...seams.prompt_id import prompt_id

# where DSH keeps what rows call `event.data.NAME`: the first path that the data of the event has
DATA = {
    "arguments": ("args", "arguments"),
    "call_id": ("callId", "toolCall.callId"),
    "cwd": ("cwd",),
    "error_code": ("reason.error.code",),
    "error_message": ("reason.error.message",),
    "id": ("id", "message.id", "commandId", "jobId", "compactionId"),
    "kind": ("kind",),
    "label": ("label",),
    "model": ("model", "selection.model"),
    "name": ("name",),
    "outcome": ("outcome",),
    "reason": ("reason",),
    "reason_kind": ("reason.kind",),
    "source_kind": ("source.kind",),
    "source_path": ("source.path",),
    "status": ("status",),
    "summary": ("summary",),
    "title": ("title",),
    "todos": ("todos",),
    "tool_name": ("toolName",),
}
CONTENT = ("content", "message.content", "text")


def event_values(sent: Mapping[str, object], project_dir: str) -> dict[str, object]:
    """What the connector has read of an event, completed with the time, the project and names of its data. Total."""
    now = datetime.now(UTC)
    values = {path: value for path, value in sent.items() if value is not None}
    values |= {
        "session.project_dir": project_dir,
        "time.iso": now.isoformat(),
        "time.ms": int(now.timestamp() * 1000),
    }
    if (session := values.get("session.id")) and (turn := values.get("turn.id")):
        values["prompt.id"] = prompt_id(str(session), str(turn))
    data = sent.get("event.data")
    if isinstance(data, Mapping):
        values |= {f"event.data.{name}": value for name, value in _named(data)}
    return values


def _named(data: Mapping[str, object]) -> list[tuple[str, object]]:
    found = [(name, _first(data, paths)) for name, paths in DATA.items()]
    content = _first(data, CONTENT)
    return [(name, value) for name, value in (*found, ("text", _text(content))) if value is not None]


def _first(data: Mapping[str, object], paths: tuple[str, ...]) -> object:
    return next((value for path in paths if (value := _at(data, path)) is not None), None)


def _at(data: object, path: str) -> object:
    for key in path.split("."):
        data = data.get(key) if isinstance(data, Mapping) else None
    return data


def _text(content: object) -> str | None:
    """The text of a message's content: a string, or the text blocks of a list."""
    if isinstance(content, list):
        texts = [block.get("text") for block in content if isinstance(block, Mapping) and block.get("type") == "text"]
        return "\n".join(str(text) for text in texts)
    return content if isinstance(content, str) else None
