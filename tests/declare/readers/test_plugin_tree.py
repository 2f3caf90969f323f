"""`readers.plugin_tree`: what the code of a plugin does, read from its syntax tree."""

import pytest
import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from dsh_compat_adapter.declare.readers.plugin_tree import PluginTree, enclosing_function, text


def parsed(source: str) -> PluginTree:
    return PluginTree(Parser(Language(tree_sitter_javascript.language())).parse(source.encode()).root_node)


def body(statements: str, parameters: str = "input, output") -> PluginTree:
    return parsed(
        f"function callback({parameters}) {{\n{statements}\n}}\nfunction deny() {{ throw new Error('no') }}\n"
    )


@pytest.mark.parametrize(
    ("statements", "line"),
    [
        ("if (x) throw new Error('no')", 2),
        ("for (const f of fs) { if (f) { throw f } }", 2),
        ("\ntry { throw 1 } finally { x() }", 3),
        ("try { throw 1 } catch { x() }", None),
        ("try { x() } catch (e) { throw e }", 2),
        ("deny()", 4),
        ("const later = () => { throw 1 }", None),
        ("return 'throw'", None),
    ],
)
def test_a_throw_that_leaves_a_callback_is_found(statements: str, line: int | None) -> None:
    tree = body(statements)
    assert tree.throws(tree.functions["callback"]) == line


@pytest.mark.parametrize(
    ("parameters", "statements", "written"),
    [
        ("input, output", "output.output = 1", [("output", True)]),
        ("i, o", "o.args.command += ' x'", [("args.command", False)]),
        ("i, o", "o['args']['a'] = 1; i.b = 2", [("args.a", False)]),
        ("i, o", "o.system.push('x'); list.push(1)", [("system", False)]),
        ("i, { args }", "args.command = 1; other.x = 2", [("args.command", False)]),
        ("i, o", "o.args = {}", [("args", True)]),
        ("input", "output.output = 1", []),
        ("i, o", "if (a) { (o).title = 1 }", [("title", True)]),
    ],
)
def test_what_a_callback_changes_in_its_output_is_found(
    parameters: str, statements: str, written: list[tuple[str, bool]]
) -> None:
    tree = body(statements, parameters)
    assert [(one.path, one.whole) for one in tree.writes(tree.functions["callback"])] == written


@pytest.mark.parametrize(
    ("source", "acts"),
    [
        ("fs.writeFileSync('a', 'b')\n", ["fs.writeFileSync"]),
        ("function save() { writeFile('a') }\nsave()\n", ["writeFile"]),
        ("function save() { writeFile('a') }\n", []),
        ("export const P = async () => { await $`git status`; return { x: () => { spawn('y') } } }\n", ["$"]),
        ("const P = () => ({ x: async () => { await fetch('y') } })\n", []),
        ("const text = readFileSync('a')\n", []),
    ],
)
def test_what_happens_when_a_file_is_loaded_is_found(source: str, acts: list[str]) -> None:
    tree = parsed(source)
    keys = [node for node in _all(tree) if node.type == "property_identifier" and text(node) == "x"]
    factories = [factory for key in keys if (factory := enclosing_function(key)) is not None]
    assert [act.name for act in tree.at_load(factories)] == acts


def _all(tree: PluginTree) -> list[Node]:
    stack = [tree.root]
    found: list[Node] = []
    while stack:
        node = stack.pop()
        found.append(node)
        stack.extend(node.children)
    return found


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("export const a = 1, b = () => 1", ["a"]),
        ("export const list = ['x']", ["list"]),
        ("export function f() {}\nexport class C {}", []),
        ("export default { id: 'x', server() {} }", []),
        ("const hidden = 1", []),
    ],
)
def test_exports_that_are_no_functions_are_found(source: str, names: list[str]) -> None:
    assert [name for name, _ in parsed(source).values] == names


def test_what_a_callback_returns_is_found() -> None:
    tree = parsed("const a = () => ({ x: 1 })\nconst b = () => { return }\nconst c = () => {\nreturn { y: 1 } }")
    assert [tree.returns_value(tree.functions[name]) for name in "abc"] == [1, None, 4]
