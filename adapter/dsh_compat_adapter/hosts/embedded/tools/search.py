"""glob and grep, bounded."""

import asyncio
import os
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from ....hooks.patterns import compile_pattern
from ..tool import Tool, ToolBody, ToolCall, text_argument
from .paths import inside, read_file

LIMIT = 1000  # paths or lines that are shown
LINE = 500  # characters of a line that are shown
PAUSE = 100  # paths or lines that are looked at in one go
TEXT = {"type": "string"}


def search_tools(root: Path) -> Mapping[str, ToolBody]:
    """The search tools of one project. Links to folders are not followed, and links to files are not read."""

    async def glob(call: ToolCall) -> str:
        base = inside(root, call, "path", otherwise=".")
        pattern = text_argument(call, "pattern")
        found = (path.relative_to(base).as_posix() for path in _files(base))
        return await _shown(name if _fits(name, pattern) else None for name in found)

    async def grep(call: ToolCall) -> str:
        base = inside(root, call, "path", otherwise=".")
        accepts = compile_pattern(text_argument(call, "pattern"), "rust", anchored=False)
        names = call.arguments.get("glob")
        files, above = ([base], base.parent) if base.is_file() else (_files(base), base)
        return await _shown(
            f"{path.relative_to(above).as_posix()}:{number}:{_cut(line)}" if accepts(line) else None
            for path in files
            if not isinstance(names, str) or _fits(path.name, names)
            for number, line in enumerate(_lines(path, root), 1)
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
    """The files below a folder, those of a folder before those of its folders. As deep as the tree may be."""
    waiting = [base]
    while waiting:
        folder = waiting.pop()
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError:  # not readable, or gone
            continue
        yield from (folder / entry.name for entry in entries if not entry.is_dir())
        waiting += [folder / entry.name for entry in reversed(entries) if entry.is_dir(follow_symlinks=False)]


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


def _lines(path: Path, root: Path) -> list[str]:
    try:
        return [] if path.is_symlink() else read_file(path, root).splitlines()
    except (OSError, ValueError):  # not a text file, or gone
        return []


def _cut(line: str) -> str:
    return line if len(line) <= LINE else f"{line[:LINE]}… ({len(line)} characters)"


async def _shown(found: Iterator[str | None]) -> str:
    """What was found, one a line; lets everybody else go on meanwhile, and a cancellation come."""
    shown: list[str] = []
    for seen, one in enumerate(found):
        if seen % PAUSE == 0:
            await asyncio.sleep(0)
        if one is None:
            continue
        if len(shown) == LIMIT:
            return "\n".join([*shown, f"(more than {LIMIT}; narrow the search)"])
        shown.append(one)
    return "\n".join(shown) or "nothing found"


def _schema(*names: str) -> Mapping[str, object]:
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), "required": ["pattern"]}
