"""The tools that the embedded host ships, named and with arguments as DSH names them. Paths stay in the project."""

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from ...hooks.process import Command, Finished, Shell

ToolBody = Callable[[Mapping[str, object]], Awaitable[str]]
COMMAND_TIMEOUT_S = 120.0


def local_tools(project_dir: str, shell: Shell) -> dict[str, ToolBody]:
    """`read`, `write` and `bash` on one project."""
    root = Path(project_dir).resolve()

    async def read(arguments: Mapping[str, object]) -> str:
        return _inside(root, arguments).read_text(encoding="utf-8")

    async def write(arguments: Mapping[str, object]) -> str:
        path = _inside(root, arguments)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(arguments, "content"), encoding="utf-8")
        return f"wrote {path.relative_to(root)}"

    async def bash(arguments: Mapping[str, object]) -> str:
        argv = ("/bin/sh", "-c", _text(arguments, "command"))
        finished = await shell.run(
            Command(argv=argv, stdin=b"", cwd=str(root), env=dict(os.environ), timeout_s=COMMAND_TIMEOUT_S)
        )
        output = (finished.stdout + finished.stderr).decode("utf-8", "replace")
        if finished.exit_code != 0:
            raise RuntimeError(f"{_ending(finished)}: {output}")
        return output

    return {"read": read, "write": write, "bash": bash}


def _ending(finished: Finished) -> str:
    if finished.spawn_error is not None:
        return f"not started ({finished.spawn_error})"
    if finished.timed_out:
        return f"killed after {COMMAND_TIMEOUT_S:g} s"
    return f"exit code {finished.exit_code}" if finished.signal is None else f"killed by signal {finished.signal}"


def _text(arguments: Mapping[str, object], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str):
        raise TypeError(f"the argument {name!r} must be a string")
    return value


def _inside(root: Path, arguments: Mapping[str, object]) -> Path:
    path = (root / _text(arguments, "file_path")).resolve()
    if not path.is_relative_to(root):
        raise PermissionError(f"{path} is outside the project")
    return path
