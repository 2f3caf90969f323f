"""Reads a text file that a user named: regular, bounded, UTF-8, without a byte order mark."""

import stat
from pathlib import Path

from ..errors import CompatError, ErrorCode, Where

MAX_BYTES = 4 * 1024 * 1024  # the largest real settings files are a few hundred kilobytes


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of the file; raises INVALID_FILE, TOO_LARGE or NOT_TEXT with what to do."""
    where = Where(str(path))
    try:
        # asked before opening: a FIFO would block, a device may never end
        if not stat.S_ISREG(path.stat().st_mode):
            raise CompatError(ErrorCode.INVALID_FILE, "no regular file", where=where)
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise CompatError(ErrorCode.INVALID_FILE, f"cannot be read: {why}", where=where) from None
    if len(data) > max_bytes:
        raise CompatError(
            ErrorCode.TOO_LARGE, f"larger than {max_bytes} bytes, so it was not read; split it", where=where
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise CompatError(
            ErrorCode.NOT_TEXT, "not UTF-8 text; save it as UTF-8", where=Where(str(path), line)
        ) from None
