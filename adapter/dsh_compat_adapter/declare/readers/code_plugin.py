"""A plugin in JavaScript or TypeScript: parsed, never executed.

The keys of the objects that its functions return are the callbacks it offers; each is refused by name, with what it
does that is lost. A key computed at run time cannot be seen, and the finding about the file says so.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tree_sitter import Language, Node, Parser

from ...catalog.model import Row, Vendor
from ...errors import CompatError, ErrorCode, Where, nearest, shown
from ...events import Effect
from ..findings import Finding, from_error, make_finding
from ..text_file import read_text
from .found import Found, Refused, total
from .plugin_tree import DATA, PluginTree, Write, enclosing_function, text, unwrapped

TYPESCRIPT = (".ts", ".tsx", ".mts", ".cts")
ANY_EVENT = "event"  # the callback that is told every event of the bus
SHOWN = 6  # things of one kind in a message
_NONE = frozenset[Effect]()
_REWRITES = frozenset({Effect.REWRITE_INPUT, Effect.REWRITE_OUTPUT, Effect.REWRITE_PROMPT})


class _Offered(NamedTuple):
    """One key of a returned object, and the value that stands there if it is no function."""

    name: str
    key: Node
    of: int  # the object
    is_data: bool


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    source = read_text(path)
    tree = PluginTree(_parse(path, source))
    offered = list(_offered(tree.root))
    known = [one for one in offered if not one.is_data and (one.name in vendor.rows or one.name == ANY_EVENT)]
    lines = source.split("\n")
    refused = tuple(
        Refused(
            name=one.name,
            where=_place(str(path), lines, one.key),
            code="handler-is-code",
            loses=tuple(_loses(one, tree, vendor)),
        )
        for one in known
    )
    factories = {node.id: node for one in known if (node := enclosing_function(one.key)) is not None}
    objects = list(_objects(path, offered, lines, vendor))
    misspelt = [_misspelt(one, _place(str(path), lines, one.key), vendor) for one in _strangers(offered, known, vendor)]
    findings = (*misspelt, *_acts(path, tree, factories.values()), *objects)
    if known or objects or misspelt:
        return Found(refused=refused, findings=(*_exports(path, tree, vendor), *findings))
    return Found(findings=(_unknown(path, tree, vendor), *findings))


def _strangers(offered: Iterable[_Offered], known: Sequence[_Offered], vendor: Vendor) -> Iterator[_Offered]:
    """The keys that the vendor has no use for, beside a callback that it calls or with nearly the name of one."""
    objects = {one.of for one in known}
    callbacks = [*vendor.rows, ANY_EVENT]
    for one in offered:
        if one.is_data or one.name in callbacks or one.name in vendor.plugin_objects:
            continue
        if one.of in objects or ("." in one.name and nearest(one.name, callbacks)):
            yield one


def _misspelt(one: _Offered, where: Where, vendor: Vendor) -> Finding:
    hint = nearest(one.name, [*vendor.rows, ANY_EVENT])
    message = f"{vendor.title} has no callback {shown(one.name)}, so it never calls it.{hint}"
    return from_error(CompatError(ErrorCode.UNKNOWN_EVENT, message), where)


def _unknown(path: Path, tree: PluginTree, vendor: Vendor) -> Finding:
    apis = [f"it imports {name}, {vendor.plugin_apis[name]}" for name in tree.imports if name in vendor.plugin_apis]
    why = apis[0] if apis else "it may be made at run time, or of another API"
    return make_finding(
        "no-known-callback",
        where=Where(str(path), 1, 1),
        message=f"no callback of {vendor.title} was recognised; {why}",
        remedy="whatever it does, it does not run here: write it as a command",
    )


def _loses(one: _Offered, tree: PluginTree, vendor: Vendor) -> Iterator[str]:
    """What a callback does that does not happen here."""
    row, function = vendor.rows.get(one.name), tree.function(one.key)
    if row is not None and row.reason is not None:
        yield row.reason.loss[:1].lower() + row.reason.loss[1:].rstrip(".")
    payload = row.plan.payload if row is not None and row.plan else {}
    if any(field.startswith(f"input.{ANY_EVENT}.") for field in payload):
        yield f"{vendor.title} never calls it under this name, which is one that {ANY_EVENT} is told"
    if function is None:
        return
    honours = row.plan.honours if row is not None and row.plan else _NONE
    if one.name == ANY_EVENT and (heard := sorted(tree.texts(function) & vendor.rows.keys())):
        yield f"it acts on {', '.join(heard[:SHOWN])}"
    if (line := tree.throws(function)) is not None:
        refuses = row is not None and Effect.DENY in row.offers
        yield (
            f"its throw (line {line}) {'refuses the action there' if refuses else 'is an error of the action there'}"
            + (", which a command does by exit code 2" if refuses and Effect.DENY in honours else "")
        )
    yield from _edits(list(tree.writes(function)), vendor, row)
    if (line := tree.returns_value(function)) is not None and one.name != ANY_EVENT:
        yield f"what it returns (line {line}) is read by nobody, in {vendor.title} neither"


def _edits(writes: Sequence[Write], vendor: Vendor, row: Row | None) -> Iterator[str]:
    useless = [one for one in writes if one.whole and one.path in vendor.plugin_in_place]
    counted = list({one.path: one for one in writes if one not in useless}.values())
    if counted:
        named = ", ".join(f"output.{one.path} (line {one.line})" for one in counted[:SHOWN])
        offers, honours = (row.offers, row.plan.honours) if row is not None and row.plan else (_NONE, _NONE)
        here = ", which a command does by its answer" if honours & _REWRITES else ", which no hook can do here"
        yield f"it changes {named}{here if offers & _REWRITES else ''}"
    for one in useless[:1]:
        yield f"the new value of output.{one.path} (line {one.line}) counts for nothing in {vendor.title} either"


def _acts(path: Path, tree: PluginTree, factories: Iterable[Node]) -> Iterator[Finding]:
    acts = list(tree.at_load(factories))
    if acts:
        named = ", ".join(f"{act.name} at line {act.line}" for act in acts[:SHOWN])
        yield make_finding(
            "acts-at-load",
            Where(str(path), acts[0].line, 1),
            f"the plugin acts when it is loaded ({named:.200}): it may write files, start programs or send something; "
            "here it is never loaded, so that does not happen, and what it has written before stays",
            "look at what it left behind, and do the rest by a command of a session's start",
        )


def _objects(path: Path, offered: Sequence[_Offered], lines: Sequence[str], vendor: Vendor) -> Iterator[Finding]:
    for one in offered:
        if one.is_data and one.name in vendor.plugin_objects:
            yield make_finding(
                "not-offered",
                _place(str(path), lines, one.key),
                f"{one.name!r:.40} offers {vendor.plugin_objects[one.name]}, which the agent does not have here",
                "give it to the host by the host's own means, such as an MCP server",
            )


def _exports(path: Path, tree: PluginTree, vendor: Vendor) -> Iterator[Finding]:
    for name, line in tree.values[:1]:
        yield make_finding(
            "export-breaks-plugin",
            Where(str(path), line, 1),
            f"the export {name!r:.80} is no function, so {vendor.title} loads nothing of this file",
            "do not export it",
        )


def _parse(path: Path, source: str) -> Node:
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
    return Parser(Language(language)).parse(source.encode("utf-8")).root_node


def _offered(root: Node) -> Iterator[_Offered]:
    """The keys of every object that a function gives back: after `return`, or as the body of an arrow."""
    stack = [root]
    while stack:
        node = stack.pop()
        returned = _returned(node)
        if returned is not None:
            yield from _keys(returned)
        stack.extend(reversed(node.children))


def _keys(obj: Node) -> Iterator[_Offered]:
    for member in obj.named_children:
        value = unwrapped(member.child_by_field_name("value"))
        if member.type == "shorthand_property_identifier":
            key: Node | None = member
        else:
            key = member.child_by_field_name("key" if member.type == "pair" else "name")
        if key is not None:
            is_data = value is not None and value.type in DATA
            yield _Offered(text(key).strip("\"'`"), key, obj.id, is_data=is_data)


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
    inner = unwrapped(inner)
    return inner if inner is not None and inner.type == "object" else None
