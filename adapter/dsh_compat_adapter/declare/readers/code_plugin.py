"""A plugin in JavaScript or TypeScript: parsed, never executed.

The keys of the objects that its functions return are the callbacks it offers; each is refused by name. A key computed
at run time cannot be seen, and the finding about the file says so.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from tree_sitter import Language, Node, Parser

from ...catalog.model import Vendor
from ...errors import CompatError, Where
from ..findings import from_error, make_finding
from ..text_file import read_text
from .found import Found, Refused

TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
ANY_EVENT = "event"  # the callback that is told every event of the bus
# values of a key that can never be called
DATA = ("array", "false", "null", "number", "object", "regex", "string", "template_string", "true", "undefined")


def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    try:
        text = read_text(path)
    except CompatError as error:
        return Found(findings=(from_error(error, Where(str(path))),))
    lines = text.split("\n")
    known = [
        Refused(name=name, where=_place(str(path), lines, node), code="handler-is-code")
        for name, node in _callbacks(_parse(path, text))
        if name in vendor.rows or name == ANY_EVENT
    ]
    if known:
        return Found(refused=tuple(known))
    finding = make_finding(
        "no-known-callback",
        where=Where(str(path), 1, 1),
        message=f"no callback of {vendor.title} was recognised; it may be made at run time, or of another API",
        remedy="whatever it does, it does not run here: write it as a command",
    )
    return Found(findings=(finding,))


def _parse(path: Path, text: str) -> Node:
    if path.suffix in TYPESCRIPT:
        import tree_sitter_typescript  # noqa: PLC0415 - only a TypeScript file needs the grammar

        language = (
            tree_sitter_typescript.language_tsx()
            if path.suffix == ".tsx"
            else tree_sitter_typescript.language_typescript()
        )
    else:
        import tree_sitter_javascript  # noqa: PLC0415 - only a JavaScript file needs the grammar

        language = tree_sitter_javascript.language()
    return Parser(Language(language)).parse(text.encode("utf-8")).root_node


def _callbacks(root: Node) -> Iterator[tuple[str, Node]]:
    """The keys of every object that a function gives back: after `return`, or as the body of an arrow."""
    stack = [root]
    while stack:
        node = stack.pop()
        returned = _returned(node)
        if returned is not None:
            yield from _keys(returned)
        stack.extend(reversed(node.children))


def _keys(obj: Node) -> Iterator[tuple[str, Node]]:
    for member in obj.named_children:
        value = member.child_by_field_name("value")
        if member.type == "shorthand_property_identifier":
            key: Node | None = member
        else:
            key = member.child_by_field_name("key" if member.type == "pair" else "name")
        if key is not None and key.text is not None and (value is None or value.type not in DATA):
            yield key.text.decode("utf-8").strip("\"'`"), key


def _place(file: str, lines: Sequence[str], node: Node) -> Where:
    row, column = node.start_point
    line = lines[row]
    if not line.isascii():  # the parser counts bytes
        column = len(line.encode("utf-8")[:column].decode("utf-8"))
    return Where(file, row + 1, column + 1)


def _returned(node: Node) -> Node | None:
    if node.type == "return_statement" and node.named_children:
        inner: Node | None = node.named_children[0]
    elif node.type == "arrow_function":
        inner = node.child_by_field_name("body")
    else:
        return None
    while inner is not None and inner.type in (
        "parenthesized_expression",
        "as_expression",
        "satisfies_expression",
    ):
        inner = inner.named_children[0] if inner.named_children else None
    return inner if inner is not None and inner.type == "object" else None
