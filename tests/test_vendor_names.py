"""A compatibility fact is a line of data: no vendor is named in the code that runs hooks (STYLE 2, DESIGN section 5).

Read with `ast`: every identifier, every text and every file name counts. Docstrings and comments are for people.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_compat_adapter.catalog.load import Catalog
from tests.checkout import PACKAGE

# the command line names vendors in its own description, and one linter holds the counts of the specification
EXEMPT = ("cli", "catalog/authoring/lint/baseline.py")
VENDORS = {
    re.sub(r"[^a-z]", "", name.lower())
    for vendor in Catalog.load().vendors.values()
    for name in (vendor.name, vendor.title, *vendor.aliases)
}


def named(text: str) -> set[str]:
    """The vendors that a text names, however it is written: `claude_code`, `ClaudeCode`, `Claude Code`."""
    plain = re.sub(r"[^a-z]", "", text.lower())
    return {vendor for vendor in VENDORS if vendor in plain}


def docstrings(tree: ast.AST) -> set[int]:
    owners = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, owners) and node.body]
    return {id(body[0].value) for body in bodies if isinstance(body[0], ast.Expr)}


def words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every identifier and every text of a module, with its line."""
    skipped = docstrings(tree)
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for _, value in ast.iter_fields(node):
            for one in value if isinstance(value, list) else [value]:
                text = one.decode("latin-1") if isinstance(one, bytes) else one
                if isinstance(text, str) and id(node) not in skipped:
                    yield line, text


def vendor_names(path: Path) -> list[str]:
    """Where a module, or the name of its file, names a vendor."""
    found = [f"{path.name}: the file" for _ in named(path.stem)]
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return found + [f"{path.name}:{line}: {text!r:.60}" for line, text in words(tree) if named(text)]


def test_the_vendors_are_looked_for_by_name_title_and_alias() -> None:
    assert {"claude", "claudecode", "codex", "openaicodex", "workbuddy", "codebuddy", "opencode"} <= VENDORS
    assert {"copilot", "githubcopilot"} <= VENDORS


def test_no_vendor_is_named_in_the_code() -> None:
    modules = [path for path in PACKAGE.rglob("*.py") if not str(path.relative_to(PACKAGE)).startswith(EXEMPT)]
    rooms = {path.relative_to(PACKAGE).parts[0] for path in modules}
    assert {"hooks", "seams", "routes", "hosts", "declare", "grading.py", "service.py"} <= rooms
    assert {str(path.relative_to(PACKAGE)): found for path in modules if (found := vendor_names(path))} == {}


BAD = {
    "a comparison": ('if vendor == "codex":\n    pass', "'codex'"),
    "a branch of a match": ('match vendor:\n    case "claude":\n        pass', "'claude'"),
    "a key": ('TABLE = {"opencode": 1}', "'opencode'"),
    "a part of a text": ('x = "the host of GitHub Copilot"', "'the host of GitHub Copilot'"),
    "an f-string": ('x = f"{y} for WorkBuddy"', "' for WorkBuddy'"),
    "bytes": ('x = b"codebuddy"', "'codebuddy'"),
    "a variable": ("is_claude = True", "'is_claude'"),
    "a function": ("def read_codex(): ...", "'read_codex'"),
    "a class": ("class ClaudeCode: ...", "'ClaudeCode'"),
    "an argument": ("def f(opencode): ...", "'opencode'"),
    "a keyword": ("f(copilot=1)", "'copilot'"),
    "an attribute": ("x = y.codex", "'codex'"),
    "an import": ("from . import claude", "'claude'"),
    "an alias": ("import re as claude_re", "'claude_re'"),
    "a global": ("def f():\n    global workbuddy", "'workbuddy'"),
    "a text after the docstring": ('"""What it is for."""\n"codex"', "'codex'"),
}


@pytest.mark.parametrize(("source", "says"), BAD.values(), ids=BAD.keys())
def test_a_vendor_in_the_code_is_found(source: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(source, encoding="utf-8")
    (found,) = vendor_names(path)
    assert found.endswith(says)


def test_a_vendor_in_the_name_of_a_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "read_codex.py"
    path.write_text("", encoding="utf-8")
    assert vendor_names(path) == ["read_codex.py: the file"]


def test_docstrings_and_comments_may_name_vendors(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""As Claude Code does it."""\n'
        "# Codex does it otherwise\n"
        'class A:\n    """For Copilot."""\n    def f(self):\n        """For OpenCode."""\n'
        'async def g():\n    """For WorkBuddy."""\n',
        encoding="utf-8",
    )
    assert vendor_names(path) == []
