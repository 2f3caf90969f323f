"""A private file that grows by whole lines, one write each, so that a killed process leaves no half line behind."""

import os
from pathlib import Path

PRIVATE_FILE = 0o600
PRIVATE_FOLDER = 0o700


class AppendFile:
    """Lines at the end of a file. Several processes may append to one file. Opened at the first line."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd: int | None = None
        self._torn = False  # the last line was not written whole

    def write(self, line: bytes) -> int:
        """Append one line, which ends with a newline; raises OSError when it does not stand there whole.

        Returns the number of its bytes. A file that was removed meanwhile is not made anew; see `is_gone`.
        """
        fd = self._fd
        if fd is None:
            fd = self._fd = open_private(self.path)
        data = b"\n" + line if self._torn else line
        written = os.write(fd, data)
        while written < len(data):  # an interruption, or the device is full, which the next attempt says
            self._torn = True
            written += os.write(fd, data[written:])
        self._torn = False
        return written

    def is_gone(self) -> bool:
        """Whether somebody has removed the file, so that what is written to it is lost."""
        return self._fd is not None and os.fstat(self._fd).st_nlink == 0

    def fileno(self) -> int | None:
        """The descriptor, if the file is open."""
        return self._fd

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def open_private(path: Path, flags: int = 0) -> int:
    """Open a file to append to it; it and the folders that are missing are made for their owner alone."""
    private_folder(path.parent)
    return os.open(path, os.O_APPEND | os.O_CREAT | os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | flags, PRIVATE_FILE)


def private_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, for its owner alone."""
    if not path.is_dir():
        private_folder(path.parent)
        path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
