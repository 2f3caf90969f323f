"""The log of one session on disk: a file of JSON lines that only grows, one line an event.

The line of an event is there before anybody is told of the event. A file that cannot be written ends where it is, which
is said once, and the session goes on without it.
"""

import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from ...errors import CompatError, ErrorCode
from ...hooks.payload import dumps
from .session import SessionEvent

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL
GROW = os.O_WRONLY | os.O_APPEND


class SessionLog:
    """The file of one session, made when it begins and readable by its owner alone."""

    def __init__(self, folder: Path, session_id: str) -> None:
        """`folder` is there, and no other session has this id."""
        self.path = str(folder / f"{session_id}.jsonl")
        self._failed = False
        self._guarded(lambda: self._write(b"", NEW))

    def append(self, event: SessionEvent) -> None:
        """Add the line of an event. Total."""
        line = {"type": event.type, "seq": event.seq, "time_ms": event.time_ms, "data": event.data}
        self._guarded(lambda: self._write(dumps(line).encode("ascii") + b"\n", GROW))

    def _write(self, line: bytes, flags: int) -> None:
        file = os.open(self.path, flags, 0o600)
        try:
            while line:
                line = line[os.write(file, line) :]
        finally:
            os.close(file)

    def _guarded(self, write: Callable[[], None]) -> None:
        if self._failed:
            return
        try:
            write()
        except (OSError, CompatError) as error:  # a disk; data that is nested too deep
            self._failed = True
            say = logging.getLogger("dsh_compat_adapter.session_log").warning
            say("dsh-compat: the session goes on without its log %s from here on: %s", self.path, error)


def log_folder(path: str | os.PathLike[str]) -> Path:
    """The folder for logs by its absolute path, made for its owner alone if need be.

    Raises INVALID_INPUT when it cannot be had.
    """
    try:
        folder = Path(path).absolute()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, ValueError, TypeError) as error:
        raise CompatError(ErrorCode.INVALID_INPUT, f"session_log {path!r:.200} is no folder: {error}") from None
    return folder


def read_session_log(path: str | os.PathLike[str]) -> tuple[SessionEvent, ...]:
    """The events of a session from its log, to go on from; a last line that was cut off is left out.

    Raises INVALID_INPUT when the file cannot be read or has another line that is no event.
    """
    return tuple(_events(Path(path)))


def _events(path: Path) -> Iterator[SessionEvent]:
    try:
        *lines, _cut_off = path.read_bytes().split(b"\n")
    except (OSError, ValueError) as error:
        raise CompatError(ErrorCode.INVALID_INPUT, f"{path} cannot be read: {error}") from None
    for number, line in enumerate(lines, 1):
        event = _event(line)
        if event is None:
            message = f"line {number} of {path} is no event of a session: {line[:80]!r}"
            raise CompatError(ErrorCode.INVALID_INPUT, message)
        yield event


def _event(line: bytes) -> SessionEvent | None:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    match read:
        case {"type": str(kind), "seq": int(seq), "time_ms": int(time_ms), "data": dict(data)}:
            return SessionEvent(type=kind, seq=seq, time_ms=time_ms, data=data)
        case _:
            return None
