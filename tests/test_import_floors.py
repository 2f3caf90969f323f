"""The floors of DESIGN section 4: a module imports from the floors below it, never up, never sideways between hosts.

Imports are read with `ast`, those inside functions and below TYPE_CHECKING included: they are edges all the same.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.checkout import PACKAGE

NAME = "dsh_compat_adapter"
# rooms and modules by floor; a room is a folder
FLOORS = (
    ("capability", "errors", "events", "frozen", "printable"),
    ("catalog",),
    ("declare",),
    ("facts", "hooks", "seams"),
    (
        "actions",
        "advice",
        "arguments",
        "checking",
        "drafting",
        "fleet",
        "fleet_worker",
        "grading",
        "loading",
        "mock_llm",
        "points",
        "reach",
        "registered",
        "routes",
        "runtime",
        "service",
    ),
    ("hosts",),
    ("cli",),
)
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
AUTHORING = ("catalog", "authoring")
# beside the floors, with the rooms that each may import; nothing in the package imports these
BESIDE = {
    "matrix": {"catalog"},  # the generated parts of the documents
    "__main__": {"cli"},  # `python -m`
}
# what is too slow to import at every start, and the modules that may import it, themselves imported when needed
HEAVY = {
    "yaml": {"declare.yaml_source"},
    "httpx": {"hooks.handlers.http"},
    "markdown_it": {"declare.imports"},
    "jinja2": {"matrix"},
    "opentelemetry": {"facts.otel"},
    "sqlite3": {
        "cli.audit",
        "facts.store.database",
        "facts.store.intake",
        "facts.store.journal",
        "facts.store.query",
        "facts.store.retention",
    },
    "jsonschema": set[str](),
    "pydantic": set[str](),
    "click": set[str](),
    "typer": set[str](),
    "rich": set[str](),
}


class Edge(NamedTuple):
    """One import: by whom, of what (both as names below the package, or a package from outside), at which line."""

    importer: str
    imported: str
    line: int
    inside: bool  # the package


def module_name(path: Path, package: Path) -> str:
    parts = path.relative_to(package).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def modules(package: Path) -> dict[str, Path]:
    return {module_name(path, package): path for path in sorted(package.rglob("*.py"))}


def edges(package: Path) -> list[Edge]:
    """Every import of every module."""
    known = modules(package)
    return [edge for name, path in known.items() for edge in _imports(name, path, set(known))]


def _imports(name: str, path: Path, known: set[str]) -> Iterator[Edge]:
    folder = [NAME, *name.split(".")] if name != "__init__" else [NAME]
    if path.name != "__init__.py":
        folder.pop()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield _edge(name, alias.name, node.lineno, known)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else []
            source = ".".join([*base, *filter(None, [node.module])])
            for alias in node.names:
                # `from .room import thing`: thing may be a module of its own
                whole = f"{source}.{alias.name}"
                yield _edge(name, whole if whole.removeprefix(f"{NAME}.") in known else source, node.lineno, known)


def _edge(importer: str, imported: str, line: int, known: set[str]) -> Edge:
    if imported == NAME:
        return Edge(importer, "__init__", line, inside=True)
    short = imported.removeprefix(f"{NAME}.")
    inside = short != imported
    while inside and short not in known and "." in short:
        short = short.rpartition(".")[0]
    return Edge(importer, short, line, inside=inside)


def room(name: str) -> str:
    return name.partition(".")[0]


def authors(name: str) -> bool:
    return name.startswith("catalog.authoring")


def heavy(edge: Edge) -> str | None:
    allowed = HEAVY.get(room(edge.imported), {edge.importer})
    if edge.inside or edge.importer in allowed or authors(edge.importer):
        return None
    return f"only {sorted(allowed) or 'the authoring side'} may"


def authoring(edge: Edge) -> str | None:
    if authors(edge.importer):
        read = authors(edge.imported) or room(edge.imported) in ("catalog", "matrix", *FLOORS[0])
        return None if read or not edge.inside else "authoring reads the catalog, the vocabulary and the documents"
    return "nothing at run time imports the authoring side" if authors(edge.imported) else None


def root(edge: Edge) -> str | None:
    named = edge.inside and edge.imported == "__init__"
    return "inside the package a name is imported from its own module" if named else None


def beside(edge: Edge) -> str | None:
    importer, imported = room(edge.importer), room(edge.imported)
    if not edge.inside or authors(edge.importer):
        return None
    if imported in BESIDE:
        return "it stands beside the floors"
    allowed = {*BESIDE.get(importer, {imported}), *FLOORS[0]}
    return None if imported in allowed else f"beside the floors, it imports {sorted(BESIDE[importer])} only"


def sideways(edge: Edge) -> str | None:
    hosts = [name.split(".")[1] for name in edge[:2] if edge.inside and name.startswith("hosts.")]
    return "hosts do not know each other" if len(set(hosts)) > 1 else None


def upward(edge: Edge) -> str | None:
    one, other = FLOOR_OF.get(room(edge.importer)), FLOOR_OF.get(room(edge.imported))
    if not edge.inside or one is None or other is None or other <= one or authors(edge.importer):
        return None
    return f"upward, from floor {one} to floor {other}"


RULES = (heavy, authoring, root, beside, sideways, upward)


def wrong(package: Path) -> list[str]:
    """Every edge that the floors forbid, and every module that stands on none."""
    homeless = [name for name in modules(package) if room(name) not in {"__init__", *FLOOR_OF, *BESIDE}]
    return [f"{name}: stands on no floor; add it to FLOORS or BESIDE" for name in homeless] + [
        f"{edge.importer}:{edge.line} imports {edge.imported}: {why}"
        for edge in edges(package)
        for rule in RULES
        if (why := rule(edge))
    ]


def cycle(package: Path) -> list[str]:
    """The modules of one import cycle, or nothing."""
    graph: dict[str, set[str]] = {name: set() for name in modules(package)}
    for edge in edges(package):
        # the root names every public home, and nothing imports the root
        if edge.inside and edge.importer not in ("__init__", edge.imported):
            graph[edge.importer].add(edge.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_import_goes_up_or_sideways() -> None:
    assert wrong(PACKAGE) == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert cycle(PACKAGE) == []


def test_each_room_of_the_floors_is_there() -> None:
    there = {room(name) for name in modules(PACKAGE)}
    assert set(FLOOR_OF) <= there
    assert set(BESIDE) <= there


def test_inside_the_package_imports_are_relative() -> None:
    absolute = [
        f"{name}:{node.lineno}"
        for name, path in modules(PACKAGE).items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level == 0 and (node.module or "").startswith(NAME)
    ]
    assert absolute == []


# one module that is wrong in a package that is otherwise in order, and what is said about it
BAD = {
    "upward": ("hooks/fold.py", "from ..service import CompatAdapter", "hooks.fold:1 imports service: upward"),
    "upward, one floor": ("errors.py", "from .catalog.load import Catalog", "upward, from floor 0 to floor 1"),
    "upward, a whole module": ("hooks/fold.py", "from .. import service", "hooks.fold:1 imports service: upward"),
    "upward, absolutely": ("hooks/fold.py", "import dsh_compat_adapter.service", "imports service: upward"),
    "upward, inside a function": (
        "declare/scan.py",
        "def scan():\n    from ..hooks.fold import fold",
        "declare.scan:2 imports hooks.fold: upward",
    ),
    "upward, for a type checker": (
        "declare/scan.py",
        "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from ..hosts.embedded.host import EmbeddedHost",
        "declare.scan:3 imports hosts.embedded.host: upward",
    ),
    "between hosts": (
        "hosts/dsh/build.py",
        "from ..embedded.host import EmbeddedHost",
        "hosts.dsh.build:1 imports hosts.embedded.host: hosts do not know each other",
    ),
    "authoring at run time": (
        "grading.py",
        "def grade():\n    from .catalog.authoring.sources import read",
        "nothing at run time imports the authoring side",
    ),
    "authoring inside its own floor": (
        "catalog/load.py",
        "from .authoring import sources",
        "nothing at run time imports the authoring side",
    ),
    "authoring reads more than the catalog": (
        "catalog/authoring/lint/rule.py",
        "from ....service import CompatAdapter",
        "authoring reads the catalog",
    ),
    "the documents at run time": ("cli/matrix.py", "from ..matrix import fill", "it stands beside the floors"),
    "the documents read more than the catalog": (
        "matrix.py",
        "from .service import CompatAdapter",
        "beside the floors",
    ),
    "the public names from inside": ("grading.py", "from . import CompatAdapter", "imported from its own module"),
    "yaml at run time": ("declare/scan.py", "import yaml", "only ['declare.yaml_source'] may"),
    "pydantic inside a function": ("grading.py", "def f():\n    from pydantic import BaseModel", "only the authoring"),
    "httpx at once": ("service.py", "import httpx", "only ['hooks.handlers.http'] may"),
    "a module on no floor": ("helpers.py", "", "helpers: stands on no floor"),
}


def package_with(tmp_path: Path, file: str, text: str) -> Path:
    """A small package that is in order, with one file replaced."""
    files = {
        "__init__.py": "def __getattr__(name): ...",
        "errors.py": "",
        "catalog/__init__.py": "",
        "catalog/load.py": "from ..errors import CompatError",
        "catalog/authoring/__init__.py": "",
        "catalog/authoring/sources.py": "import yaml\nimport pydantic\nfrom ...errors import CompatError",
        "declare/__init__.py": "",
        "declare/scan.py": "def scan():\n    from .yaml_source import parse_yaml",
        "declare/yaml_source.py": "import yaml",
        "hooks/__init__.py": "",
        "hooks/fold.py": "from ..declare.scan import scan",
        "service.py": "from .catalog.load import Catalog\nfrom .hooks import fold",
        "hosts/__init__.py": "",
        "hosts/embedded/__init__.py": "",
        "hosts/embedded/host.py": "from ...service import CompatAdapter\nfrom .tools import tools",
        "hosts/embedded/tools.py": "",
        "hosts/dsh/__init__.py": "",
        "cli/__init__.py": "",
        "cli/matrix.py": "from ..service import CompatAdapter",
        "matrix.py": "import jinja2\nfrom .catalog.load import Catalog",
    } | {file: text}
    package = tmp_path / NAME
    for name, content in files.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(content, encoding="utf-8")
    return package


def test_a_package_in_order_has_nothing_wrong(tmp_path: Path) -> None:
    package = package_with(tmp_path, "errors.py", "")
    assert wrong(package) == []
    assert cycle(package) == []


@pytest.mark.parametrize(("file", "text", "says"), BAD.values(), ids=BAD.keys())
def test_a_wrong_import_is_named_with_its_line_and_the_reason(file: str, text: str, says: str, tmp_path: Path) -> None:
    found = wrong(package_with(tmp_path, file, text))
    assert len(found) == 1
    assert says in found[0]


@pytest.mark.parametrize(
    "text",
    ["from .host import EmbeddedHost", "def tools():\n    from .host import EmbeddedHost"],
    ids=["at once", "inside a function"],
)
def test_a_circle_inside_one_room_is_found(text: str, tmp_path: Path) -> None:
    package = package_with(tmp_path, "hosts/embedded/tools.py", text)
    assert wrong(package) == []
    assert set(cycle(package)) == {"hosts.embedded.host", "hosts.embedded.tools"}
