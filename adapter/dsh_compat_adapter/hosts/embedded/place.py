"""Where and when an event is: the time of it, and the folders that an agent can work in."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from ...errors import CompatError, ErrorCode


def moment() -> Mapping[str, object]:
    """When an event is: the values that every event has."""
    now = datetime.now(UTC)
    return {"time.iso": now.isoformat(), "time.ms": int(now.timestamp() * 1000)}


def folder(path: str, *, cwd: str) -> str:
    """A folder by its real absolute path; raises INVALID_INPUT when there is none."""
    try:
        found = Path(cwd, path).resolve()
        if found.is_dir():
            return str(found)
    except (OSError, ValueError, RuntimeError, TypeError):  # a NUL byte, a link to itself, no text
        pass
    raise CompatError(ErrorCode.INVALID_INPUT, f"{path!r:.200} is no folder")
