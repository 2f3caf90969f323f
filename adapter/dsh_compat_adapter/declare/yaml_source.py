"""Reads YAML that people wrote, with the line of every value and no silent surprises.

The only module of the running side that imports yaml, and only called when a YAML file is in play.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from ..errors import CompatError, ErrorCode, Where
from .text_file import read_text

Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DEPTH = 60


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """One document: its value, and the place of each value by its path of keys and indices."""

    file: str
    value: object
    lines: dict[tuple[str | int, ...], Where] = field(default_factory=dict)

    def where(self, *path: str | int) -> Where:
        """The place of the value at this path, or of the nearest one around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, Where(self.file, 1))


def read_yaml(path: Path) -> YamlDocument:
    """Read one YAML file.

    Raises INVALID_FILE with line and column for syntax errors, duplicate keys and aliases, and TOO_LARGE.
    """
    text = read_text(path)
    try:
        _refuse_aliases(text, path)
        node = yaml.compose(text, Loader=Loader)
    except (yaml.YAMLError, RecursionError) as error:
        raise CompatError(
            ErrorCode.INVALID_FILE, f"no valid YAML: {_problem(error)}", where=_mark(path, error)
        ) from None
    lines: dict[tuple[str | int, ...], Where] = {}
    if node is None:
        return YamlDocument(str(path), None, lines)
    for place, found in _walk(node, (), str(path)):
        lines[place] = Where(str(path), found.start_mark.line + 1, found.start_mark.column + 1)
    loader = Loader("")
    try:
        value = loader.construct_document(node)
    except (yaml.YAMLError, ValueError) as error:
        raise CompatError(
            ErrorCode.INVALID_FILE, f"no valid YAML: {_problem(error)}", where=_mark(path, error)
        ) from None
    finally:
        loader.dispose()
    return YamlDocument(str(path), value, lines)


def _refuse_aliases(text: str, path: Path) -> None:
    """An alias repeats a subtree; nested ones grow a small file without bound, and nobody needs them here."""
    if "*" not in text:
        return
    for token in yaml.scan(text, Loader=Loader):
        if isinstance(token, yaml.AliasToken):
            where = Where(str(path), token.start_mark.line + 1, token.start_mark.column + 1)
            raise CompatError(
                ErrorCode.INVALID_FILE, "aliases (`*name`) are not read; write the value out", where=where
            )


def _walk(
    node: yaml.Node, place: tuple[str | int, ...], file: str
) -> Iterator[tuple[tuple[str | int, ...], yaml.Node]]:
    yield place, node
    if len(place) > MAX_DEPTH:
        raise CompatError(ErrorCode.INVALID_FILE, "nested too deep", where=_place(file, node))
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            name = str(key.value)
            if name in seen:
                message = f"the key {name!r} stands twice; YAML would keep the last one silently"
                raise CompatError(ErrorCode.INVALID_FILE, message, where=_place(file, key))
            seen.add(name)
            yield from _walk(value, (*place, name), file)
    elif isinstance(node, yaml.SequenceNode):
        for index, value in enumerate(node.value):
            yield from _walk(value, (*place, index), file)


def _place(file: str, node: yaml.Node) -> Where:
    return Where(file, node.start_mark.line + 1, node.start_mark.column + 1)


def _mark(path: Path, error: Exception) -> Where:
    mark = getattr(error, "problem_mark", None)
    return Where(str(path), mark.line + 1, mark.column + 1) if mark else Where(str(path))


def _problem(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).split("\n", 1)[0]
