"""read, write and edit; each tells what it touched."""

from collections.abc import Mapping
from pathlib import Path

from ..tool import Tool, ToolBody, ToolCall, text_argument
from .paths import inside, read_file, write_file

PATH = {"type": "string", "description": "path of the file, relative to the working directory"}


def file_tools(root: Path) -> Mapping[str, ToolBody]:
    """The file tools of one project."""

    async def read(call: ToolCall) -> str:
        path = inside(root, call, "file_path")
        text = read_file(path, root)
        await _observed(call, path)
        return text

    async def write(call: ToolCall) -> str:
        path = inside(root, call, "file_path")
        write_file(path, root, text_argument(call, "content"))
        await _observed(call, path)
        return f"wrote {path.relative_to(root)}"

    async def edit(call: ToolCall) -> str:
        path = inside(root, call, "file_path")
        old, new = text_argument(call, "old_string"), text_argument(call, "new_string")
        text = read_file(path, root)
        found = text.count(old) if old else 0
        if found == 0:
            raise ValueError("old_string does not occur in the file")
        if found > 1 and call.arguments.get("replace_all") is not True:
            raise ValueError(f"old_string occurs {found} times; add what stands around it, or set replace_all")
        write_file(path, root, text.replace(old, new))
        await _observed(call, path)
        return f"replaced {found} in {path.relative_to(root)}"

    return {
        "read": Tool(run=read, description="Read a text file.", parameters=_schema("file_path")),
        "write": Tool(run=write, description="Write a whole text file.", parameters=_schema("file_path", "content")),
        "edit": Tool(
            run=edit,
            description="Replace a text in a file; it has to occur once, or replace_all has to be true.",
            parameters=_schema("file_path", "old_string", "new_string", replace_all={"type": "boolean"}),
        ),
    }


async def _observed(call: ToolCall, path: Path) -> None:
    await call.agent.tell("fs/observed", {"file.path": str(path), "file.name": path.name, "file.change": "present"})


def _schema(*names: str, **optional: Mapping[str, object]) -> Mapping[str, object]:
    properties = {name: PATH if name == "file_path" else {"type": "string"} for name in names}
    return {"type": "object", "properties": {**properties, **optional}, "required": list(names)}
