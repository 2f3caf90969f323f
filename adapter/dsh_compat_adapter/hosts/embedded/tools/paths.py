"""Where a file tool may go: inside the project, and to regular files."""

import os
import stat
from pathlib import Path

from ....declare.text_file import read_regular
from ..tool import ToolCall, text_argument

MAX_BYTES = 10_000_000


def inside(root: Path, call: ToolCall, name: str, *, otherwise: str | None = None) -> Path:
    """The path of an argument, relative to where the agent works; raises PermissionError outside of the project."""
    left_out = otherwise is not None and name not in call.arguments
    path = Path(call.agent.cwd, str(otherwise) if left_out else text_argument(call, name)).resolve()
    if not path.is_relative_to(root):
        raise PermissionError(f"{path} is outside the project")
    return path


def read_file(path: Path, root: Path) -> str:
    """The text of a file, unless it has become a link out of the project; raises what keeps it from being read."""
    data = read_regular(path, MAX_BYTES, inside=str(root))
    if data is None:
        raise OSError(f"{path.name} is a folder, pipe or device, or was swapped for one outside of the project")
    if len(data) > MAX_BYTES:
        raise OSError(f"{path.name} is larger than {MAX_BYTES} bytes")
    return data.decode("utf-8")


def write_file(path: Path, root: Path, text: str) -> None:
    """Write a whole file, or leave it as it was when the text is no UTF-8.

    What is asked is asked of the open file, since a folder or the file can be swapped for a link meanwhile.
    """
    data = text.encode("utf-8")
    if path.exists() and not path.is_file():
        raise OSError(f"{path.name} is a folder, pipe or device")
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
    with open(descriptor, "wb") as opened:  # noqa: PTH123 - Path.open takes no descriptor
        status, real = os.fstat(descriptor), path.resolve()
        if not (stat.S_ISREG(status.st_mode) and real.is_relative_to(root) and os.path.samestat(status, real.stat())):
            raise PermissionError(f"{path.name} was swapped for something outside of the project")
        opened.truncate()
        opened.write(data)
