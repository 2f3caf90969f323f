"""Reads a text file that a user named: regular, bounded, UTF-8, without a byte order mark."""

import stat
from pathlib import Path

from ..errors import CompatError, ErrorCode, Where

MAX_BYTES = 4 * 1024 * 1024  # the largest real settings files are a few hundred kilobytes


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of the file; raises INVALID_FILE, TOO_LARGE or NOT_TEXT with what to do."""
    file = str(path)
    try:
        # asked before opening: a FIFO would block, a device may never end
        regular = stat.S_ISREG(path.stat().st_mode)
        data = b""
        if regular:
            with path.open("rb") as opened:
                data = opened.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        message = f"cannot be read ({why}); mend or remove it"
        raise CompatError(ErrorCode.INVALID_FILE, message, where=Where(file)) from None
    if not regular:
        message = "a folder, pipe or device, and no text file; put the text file in its place"
        raise CompatError(ErrorCode.INVALID_FILE, message, where=Where(file))
    if len(data) > max_bytes:
        message = f"larger than {max_bytes} bytes, so it was not read; split it"
        raise CompatError(ErrorCode.TOO_LARGE, message, where=Where(file))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].decode("utf-8")  # the object has lost its byte order mark
        where = text_place(file, before, len(before))
        raise CompatError(ErrorCode.NOT_TEXT, "not UTF-8 text; save it as UTF-8", where=where) from None


def text_place(file: str, text: str, offset: int) -> Where:
    """The line and column of an offset in a text."""
    before = text[:offset]
    return Where(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
