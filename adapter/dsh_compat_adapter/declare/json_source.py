"""Reads JSON that people wrote, with comments and trailing commas if they stand there, and the line of every value.

The common case is one call of the standard parser. Only a file that it refuses, or a value whose place is asked for,
is parsed once more by tree-sitter, which keeps positions and goes on after an error.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import CompatError, ErrorCode, Where
from .text_file import read_text

if TYPE_CHECKING:
    from tree_sitter import Node

Collect = Callable[[list[tuple[str, object]]], dict[str, object]]


@dataclass(slots=True)
class JsonDocument:
    """One JSON file: its value and, on request, places in it."""

    file: str
    text: str
    value: object
    duplicates: tuple[str, ...]  # keys that stand twice in one object; the last one counts
    relaxed: bool  # comments or trailing commas were taken out
    _root: "Node | None" = field(default=None, repr=False)

    def where(self, *path: str | int) -> Where:
        """The place of the value at this path, or of the nearest one around it."""
        if self._root is None:
            self._root = _tree(self.text)
        node = _value(self._root)
        for step in path:
            inner = _member(node, step) if node is not None else None
            if inner is None:
                break
            node = inner
        if node is None:
            return Where(self.file, 1, 1)
        return Where(self.file, node.start_point.row + 1, node.start_point.column + 1)


def read_json(path: Path) -> JsonDocument:
    """Read one JSON file; raises INVALID_FILE with line and column, NOT_TEXT or TOO_LARGE."""
    text = read_text(path)
    duplicates: list[str] = []

    def collect(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            names = [name for name, _ in pairs]
            duplicates.extend(sorted({name for name in names if names.count(name) > 1}))
        return found

    relaxed = False
    try:
        value = json.loads(text, object_pairs_hook=collect)
    except RecursionError:
        raise CompatError(ErrorCode.INVALID_FILE, "nested too deep", where=Where(str(path))) from None
    except ValueError:
        relaxed = True
        value = _relaxed(path, text, collect)
    return JsonDocument(str(path), text, value, tuple(duplicates), relaxed)


def _relaxed(path: Path, text: str, collect: Collect) -> object:
    try:
        return json.loads(_without_extras(text), object_pairs_hook=collect)
    except json.JSONDecodeError as error:
        where = Where(str(path), error.lineno, error.colno)
        raise CompatError(ErrorCode.INVALID_FILE, f"no valid JSON: {error.msg}", where=where) from None
    except RecursionError:
        raise CompatError(ErrorCode.INVALID_FILE, "nested too deep", where=Where(str(path))) from None


def _without_extras(text: str) -> str:
    """The text with comments and trailing commas blanked; every other character keeps its place."""
    data = bytearray(text.encode("utf-8"))
    for node in _nodes(_tree(text)):
        last_comma = node.type in (",", "ERROR") and node.text == b"," and _closes(node.next_sibling)
        if node.type == "comment" or last_comma:
            for index in range(node.start_byte, node.end_byte):
                if data[index] not in b"\r\n":
                    data[index] = 0x20
    return data.decode("utf-8")


def _closes(node: "Node | None") -> bool:
    while node is not None and node.type == "comment":
        node = node.next_sibling
    return node is not None and node.type in ("}", "]")


def _tree(text: str) -> "Node":
    import tree_sitter_json  # noqa: PLC0415 - start-up: only a place or an odd file needs the parser
    from tree_sitter import Language, Parser  # noqa: PLC0415

    return Parser(Language(tree_sitter_json.language())).parse(text.encode("utf-8")).root_node


def _nodes(root: "Node") -> Iterator["Node"]:
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def _value(node: "Node") -> "Node | None":
    return next((child for child in node.named_children if child.type != "comment"), None)


def _member(node: "Node", step: str | int) -> "Node | None":
    if isinstance(step, int):
        items = [child for child in node.named_children if child.type != "comment"]
        return items[step] if node.type == "array" and 0 <= step < len(items) else None
    found: Node | None = None
    for pair in node.named_children:
        key = pair.child_by_field_name("key") if pair.type == "pair" else None
        if key is not None and key.text is not None and _key(key.text) == step:
            found = pair.child_by_field_name("value")  # the last of several counts, as for the parser
    return found


def _key(text: bytes) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
