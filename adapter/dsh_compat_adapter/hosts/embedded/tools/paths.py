"""Where a file tool may go: inside the project, and to regular files."""

from pathlib import Path

from ....declare.text_file import read_regular
from ..tool import ToolCall, text_argument

MAX_BYTES = 10_000_000


def inside(root: Path, call: ToolCall, name: str = "file_path") -> Path:
    """The path of an argument, relative to where the agent works; raises PermissionError outside of the project."""
    path = Path(call.agent.cwd, text_argument(call, name)).resolve()
    if not path.is_relative_to(root):
        raise PermissionError(f"{path} is outside the project")
    return path


def read_file(path: Path) -> str:
    """The text of a file; raises what keeps it from being read."""
    data = read_regular(path, MAX_BYTES)
    if data is None:
        raise OSError(f"{path.name} is a folder, pipe or device")
    if len(data) > MAX_BYTES:
        raise OSError(f"{path.name} is larger than {MAX_BYTES} bytes")
    return data.decode("utf-8")


def write_file(path: Path, text: str) -> None:
    """Write a whole file, or leave it as it was when the text cannot be written."""
    data = text.encode("utf-8")
    if path.exists() and not path.is_file():
        raise OSError(f"{path.name} is a folder, pipe or device")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
