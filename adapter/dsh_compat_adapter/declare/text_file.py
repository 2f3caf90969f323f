"""Reads a text file that a user named: regular, bounded, UTF-8, without a byte order mark."""

import errno
import os
import stat
from pathlib import Path

from ..errors import CompatError, ErrorCode, Where

MAX_BYTES = 4 * 1024 * 1024  # the largest real settings files are a few hundred kilobytes


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The text of the file; raises INVALID_FILE, TOO_LARGE or NOT_TEXT with what to do."""
    file = str(path)
    try:
        data = read_regular(path, max_bytes)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        message = f"cannot be read ({why}); mend or remove it"
        raise CompatError(ErrorCode.INVALID_FILE, message, where=Where(file)) from None
    if data is None:
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


def read_lines(path: Path) -> tuple[str, ...]:
    """The lines of a file that was read before, to point at one; none when it cannot be read any more. Total."""
    try:
        data = read_regular(path, MAX_BYTES)
    except (OSError, ValueError):
        return ()
    if data is None or len(data) > MAX_BYTES:
        return ()
    return tuple(data.decode("utf-8-sig", "replace").split("\n"))


def relative(file: str, root: Path) -> str:
    """The name of a file below a folder, each as it is or absolute; a file that stands elsewhere keeps its path."""
    path, above = os.path.abspath(file), os.path.abspath(root)  # noqa: PTH100 - a link below the folder is kept
    return str(Path(path).relative_to(above)) if Path(path).is_relative_to(above) else file


def read_regular(path: Path, max_bytes: int, *, inside: str | None = None) -> bytes | None:
    """The bytes of a regular file, one more than `max_bytes` at most; none for anything else, or outside of `inside`.

    `inside` is the real path of a folder. What is asked is asked of the open file, since a path can be swapped between
    a question and the opening. Raises OSError or ValueError; so it does for a file whose size is not what was read:
    it changes, or the kernel makes it up, such as the environment of a process in /proc.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        return None  # opening a device can have effects
    # a FIFO that came meanwhile would block for ever
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as opened:  # noqa: PTH123 - Path.open takes no descriptor
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        if inside is not None:
            real = os.path.realpath(path)
            if os.path.commonpath([real, inside]) != inside or not os.path.samestat(status, os.stat(real)):  # noqa: PTH116
                return None
        data = opened.read(max_bytes + 1)
        if len(data) != min(status.st_size, max_bytes + 1) or os.fstat(descriptor).st_mtime_ns != status.st_mtime_ns:
            raise OSError(errno.EAGAIN, "it changes while it is read, or is no file of a disk")
        return data


def text_place(file: str, text: str, offset: int) -> Where:
    """The line and column of an offset in a text."""
    before = text[:offset]
    return Where(file, before.count("\n") + 1, len(before) - before.rfind("\n"))
