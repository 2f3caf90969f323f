"""What the code of a plugin does, by its syntax tree: what a callback throws and writes, and what happens at load.

Nothing is executed, and what only running it could tell is left out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from tree_sitter import Node

FUNCTIONS = frozenset(
    {"arrow_function", "function_expression", "function_declaration", "method_definition", "function"}
)
WRAPPING = frozenset({"parenthesized_expression", "as_expression", "satisfies_expression", "non_null_expression"})
WRITERS = frozenset(
    f"{name}{suffix}"
    for name in ("appendFile", "chmod", "copyFile", "cp", "mkdir", "rename", "rm", "symlink", "unlink", "writeFile")
    for suffix in ("", "Sync")
)
STARTERS = frozenset({"exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"})
GROWING = frozenset({"push", "unshift", "splice", "set", "append"})  # methods that change what they are called on
MAX_DEPTH = 200  # of blocks around a throw that are looked at
# values that can never be called
DATA = frozenset(
    {
        "array",
        "false",
        "new_expression",
        "null",
        "number",
        "object",
        "regex",
        "string",
        "template_string",
        "true",
        "undefined",
    }
)


class Write(NamedTuple):
    """One change of the object that a callback is given to edit."""

    path: str  # `args.command`
    line: int
    whole: bool  # a member itself is replaced, rather than something in it


class Act(NamedTuple):
    """Something that the code does to the world around it."""

    name: str  # of the function that it calls
    line: int


@dataclass(frozen=True)
class PluginTree:
    """One parsed file."""

    root: Node

    @cached_property
    def functions(self) -> Mapping[str, Node]:
        """The functions of the file by the name that they are bound to."""
        found: dict[str, Node] = {}
        for node in _below(self.root):
            name = node.child_by_field_name("name")
            if node.type == "function_declaration" and name is not None:
                found.setdefault(text(name), node)
            value = node.child_by_field_name("value")
            if node.type == "variable_declarator" and name is not None and value is not None:
                value = unwrapped(value)
                if value is not None and value.type in FUNCTIONS:
                    found.setdefault(text(name), value)
        return found

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The packages and files that it imports."""
        sources = (node.child_by_field_name("source") for node in self.root.named_children)
        return tuple(text(source).strip("\"'`") for source in sources if source is not None)

    @cached_property
    def values(self) -> tuple[tuple[str, int], ...]:
        """What it exports that is plainly no function, with the line."""
        return tuple(_exported_values(self.root))

    def function(self, key: Node) -> Node | None:
        """The function that stands under a key of an object, also where the key only names it."""
        member = key.parent
        if key.type == "shorthand_property_identifier":
            return self.functions.get(text(key))
        if member is None or member.type == "method_definition":
            return member
        value = unwrapped(member.child_by_field_name("value"))
        if value is not None and value.type == "identifier":
            return self.functions.get(text(value))
        return value if value is not None and value.type in FUNCTIONS else None

    def throws(self, function: Node) -> int | None:
        """The line of the first throw that leaves a function, or a function of the file that it calls."""
        for node in self._reached(function):
            if node.type == "throw_statement" and not _is_caught(node, function):
                return line(node)
        return None

    def writes(self, function: Node) -> Iterator[Write]:
        """What a function changes in its second parameter."""
        names = _edited(function)
        for node in _below(function):
            if node.type in {"assignment_expression", "augmented_assignment_expression"}:
                left = node.child_by_field_name("left")
                path = None if left is None else _path(left, names)
                if path:
                    yield Write(path, line(node), whole="." not in path)
            elif node.type == "call_expression":
                called = node.child_by_field_name("function")
                owner = called.child_by_field_name("object") if called is not None else None
                method = called.child_by_field_name("property") if called is not None else None
                if owner is not None and method is not None and text(method) in GROWING:
                    path = _path(owner, names)
                    if path:
                        yield Write(path, line(node), whole=False)

    def returns_value(self, function: Node) -> int | None:
        """The line where a function gives back an object or a text."""
        body = unwrapped(function.child_by_field_name("body"))
        if function.type == "arrow_function" and body is not None and body.type == "object":
            return line(body)
        for node in _own(function):
            given = node.named_children if node.type == "return_statement" else []
            value = unwrapped(given[0]) if given else None
            if value is not None and value.type in {"object", "string", "template_string"}:
                return line(node)
        return None

    def texts(self, function: Node) -> set[str]:
        """The texts that a function names."""
        return {text(node) for node in _below(function) if node.type == "string_fragment"}

    def at_load(self, factories: Iterable[Node]) -> Iterator[Act]:
        """What happens when the file is loaded and the functions that make its callbacks are called."""
        for node in self._reached(self.root, *factories):
            if node.type == "call_expression":
                called = node.child_by_field_name("function")
                name = text(called) if called is not None else ""
                short = name.rsplit(".", 1)[-1]
                if short in WRITERS | STARTERS or name in {"Bun.write", "Bun.spawn", "fetch"} or name == "$":
                    yield Act(name, line(node))

    def _reached(self, *starts: Node) -> Iterator[Node]:
        """The nodes of some functions and of those functions of the file that they call by name."""
        waiting, seen = list(starts), {start.id for start in starts}
        while waiting:
            for node in _own(waiting.pop()):
                yield node
                called = node.child_by_field_name("function") if node.type == "call_expression" else None
                target = self.functions.get(text(called)) if called is not None else None
                if target is not None and target.id not in seen:
                    seen.add(target.id)
                    waiting.append(target)


def text(node: Node) -> str:
    """The source of a node."""
    return node.text.decode("utf-8", "replace") if node.text is not None else ""


def line(node: Node) -> int:
    """The line that a node begins at."""
    return node.start_point[0] + 1


def unwrapped(node: Node | None) -> Node | None:
    """An expression without parentheses and types around it."""
    while node is not None and node.type in WRAPPING:
        node = node.named_children[0] if node.named_children else None
    return node


def enclosing_function(node: Node) -> Node | None:
    """The function that a node stands in."""
    found = node.parent
    while found is not None and found.type not in FUNCTIONS:
        found = found.parent
    return found


def _below(start: Node) -> Iterator[Node]:
    stack = [start]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def _own(start: Node) -> Iterator[Node]:
    """The nodes of a function, those of functions inside of it left out."""
    stack = list(reversed(start.children))
    while stack:
        node = stack.pop()
        yield node
        if node.type not in FUNCTIONS:
            stack.extend(reversed(node.children))


def _is_caught(node: Node, function: Node) -> bool:
    inner, outer = node, node.parent
    for _ in range(MAX_DEPTH):
        if outer is None or inner.id == function.id:
            break
        if outer.type == "try_statement" and outer.child_by_field_name("handler") is not None:
            body = outer.child_by_field_name("body")
            if body is not None and body.id == inner.id:
                return True
        inner, outer = outer, outer.parent
    return False


def _edited(function: Node) -> Mapping[str, str]:
    """The names by which a function knows its second parameter or members of it, with their paths."""
    parameters = function.child_by_field_name("parameters")
    listed = [node for node in parameters.named_children if node.type != "comment"] if parameters is not None else []
    if len(listed) < 2:  # noqa: PLR2004 - input and output
        return {}
    second = listed[1].child_by_field_name("pattern") or listed[1]
    if second.type == "identifier":
        return {text(second): ""}
    members = (node for node in second.named_children if node.type == "shorthand_property_identifier_pattern")
    return {text(node): text(node) for node in members} if second.type == "object_pattern" else {}


def _path(node: Node, names: Mapping[str, str]) -> str | None:
    """The path of a member below one of the names, such as `args.command`; empty for the name itself."""
    steps: list[str] = []
    current: Node | None = unwrapped(node)
    while current is not None and current.type in {"member_expression", "subscript_expression"}:
        step = current.child_by_field_name("property") or current.child_by_field_name("index")
        steps.append(text(step).strip("\"'`") if step is not None else "")
        current = unwrapped(current.child_by_field_name("object"))
    if current is None or current.type != "identifier" or text(current) not in names:
        return None
    return ".".join(filter(None, (names[text(current)], *reversed(steps))))


def _exported_values(root: Node) -> Iterator[tuple[str, int]]:
    for statement in root.named_children:
        declared = statement.child_by_field_name("declaration") if statement.type == "export_statement" else None
        if declared is None:
            continue
        if declared.type in {"class_declaration", "abstract_class_declaration", "enum_declaration"}:
            name = declared.child_by_field_name("name")
            if declared.type == "enum_declaration" and name is not None:
                yield text(name), line(declared)
        for declarator in declared.named_children if declared.type == "lexical_declaration" else ():
            name, value = declarator.child_by_field_name("name"), unwrapped(declarator.child_by_field_name("value"))
            if name is not None and value is not None and value.type in DATA:
                yield text(name), line(declarator)
