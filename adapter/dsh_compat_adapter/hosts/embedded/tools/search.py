"""glob and grep, bounded."""

import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from ....hooks.patterns import compile_pattern
from ..tool import Tool, ToolBody, ToolCall, text_argument
from .paths import inside, read_file

LIMIT = 1000  # paths or lines that are shown
TEXT = {"type": "string"}


def search_tools(root: Path) -> Mapping[str, ToolBody]:
    """The search tools of one project. Links are not followed."""

    async def glob(call: ToolCall) -> str:
        base = inside(root, call, "path") if "path" in call.arguments else Path(call.agent.cwd)
        pattern = text_argument(call, "pattern")
        found = (path.relative_to(base).as_posix() for path in _files(base))
        return _shown(name for name in found if _fits(name, pattern))

    async def grep(call: ToolCall) -> str:
        base = inside(root, call, "path") if "path" in call.arguments else Path(call.agent.cwd)
        accepts = compile_pattern(text_argument(call, "pattern"), "rust", anchored=False)
        names = call.arguments.get("glob")
        files, above = ([base], base.parent) if base.is_file() else (_files(base), base)
        return _shown(
            f"{path.relative_to(above).as_posix()}:{number}:{line}"
            for path in files
            if not isinstance(names, str) or _fits(path.name, names)
            for number, line in enumerate(_lines(path), 1)
            if accepts(line)
        )

    return {
        "glob": Tool(
            run=glob,
            description="Find files by a pattern; ** stands for any folders.",
            parameters=_schema("pattern", "path"),
        ),
        "grep": Tool(
            run=grep,
            description="Find lines by a regular expression.",
            parameters=_schema("pattern", "path", "glob"),
        ),
    }


def _files(base: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(base):
        folders.sort()
        for name in sorted(names):
            yield Path(folder, name)


def _fits(name: str, pattern: str) -> bool:
    """Whether a path fits: `*` stays within a folder, `**` does not. A pattern without a folder fits at any depth."""
    parts = pattern.split("/") if "/" in pattern else ["**", pattern]
    return _parts_fit(name.split("/"), parts)


def _parts_fit(names: list[str], patterns: list[str]) -> bool:
    reached = {0}  # how many names the patterns so far can have taken
    for pattern in patterns:
        if pattern == "**":
            reached = set(range(min(reached), len(names) + 1)) if reached else set()
        else:
            reached = {i + 1 for i in reached if i < len(names) and fnmatchcase(names[i], pattern)}
    return len(names) in reached


def _lines(path: Path) -> list[str]:
    try:
        return read_file(path).splitlines()
    except (OSError, ValueError):  # not a text file, or gone
        return []


def _shown(found: Iterator[str]) -> str:
    shown: list[str] = []
    for one in found:
        if len(shown) == LIMIT:
            return "\n".join([*shown, f"(more than {LIMIT}; narrow the search)"])
        shown.append(one)
    return "\n".join(shown) or "nothing found"


def _schema(*names: str) -> Mapping[str, object]:
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": ["pattern"]}
