"""Start-up is a feature: what a run does not need, it does not import. Looked at in fresh interpreters."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import PACKAGE, ROOT

HEAVY = ("yaml", "jsonschema", "pydantic", "jinja2", "httpx", "click", "typer", "rich")
WRITE = ["--event", "PreToolUse", "--vendor", "claude", "--tool", "Write", "--input", '{"file_path": "a"}']
# runs a text as a program and leaves the names of all imported packages in a file
PROBE = """
import json, sys
try:
    exec(sys.argv[2])
finally:
    with open(sys.argv[1], "w") as file:
        json.dump(sorted({name.partition(".")[0] for name in sys.modules} | set(sys.modules)), file)
"""
CLI = "from dsh_compat_adapter.cli import main; sys.exit(main(sys.argv[3:]))"


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example project, which has no compat.yaml."""
    root = tmp_path_factory.mktemp("lazy") / "team"
    shutil.copytree(ROOT / "examples/team", root)
    (root / "compat.yaml").unlink(missing_ok=True)
    return root


def imported(tmp_path: Path, code: str, *arguments: str, stdin: str = "") -> tuple[set[str], str]:
    """The modules that a fresh interpreter has after running the code, and what it printed."""
    names = tmp_path / "modules.json"
    done = subprocess.run(
        [sys.executable, "-c", PROBE, str(names), code, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    assert "Traceback" not in done.stderr, done.stderr
    return set(json.loads(names.read_text(encoding="utf-8"))), done.stdout


def heavy(modules: set[str]) -> set[str]:
    return modules & set(HEAVY)


LIBRARY = {
    "the package": "import dsh_compat_adapter",
    "every public name": "from dsh_compat_adapter import *",
    "the catalog": "from dsh_compat_adapter.catalog.load import Catalog; Catalog.load()",
    "an adapter with a hook": (
        "import asyncio\n"
        "from dsh_compat_adapter import CompatAdapter, EmbeddedHost\n"
        "async def main():\n"
        "    async with CompatAdapter(EmbeddedHost('.')) as adapter:\n"
        "        await adapter.register_hook(vendor='claude', event='Stop', handler='true')\n"
        "asyncio.run(main())"
    ),
}
COMMANDS = {
    "help": ["--help"],
    "help of a command": ["run", "--help"],
    "matrix": ["matrix"],
    "matrix as JSON": ["matrix", "--format", "json"],
    "explain": ["explain", "claude", "PreToolUse"],
    "schema": ["schema", "vendor"],
    "run": ["run", "TEAM", *WRITE],
    "run as JSON": ["run", "TEAM", *WRITE, "--format", "json"],
    "an unknown vendor": ["explain", "claud", "Stop"],
}


@pytest.mark.parametrize("code", LIBRARY.values(), ids=LIBRARY.keys())
def test_the_library_imports_nothing_heavy(code: str, tmp_path: Path) -> None:
    modules, _ = imported(tmp_path, code)
    assert "dsh_compat_adapter" in modules
    assert heavy(modules) == set()


@pytest.mark.parametrize("argv", COMMANDS.values(), ids=COMMANDS.keys())
def test_a_command_on_a_project_without_a_manifest_imports_nothing_heavy(
    argv: list[str], team: Path, tmp_path: Path
) -> None:
    modules, _ = imported(tmp_path, CLI, *(str(team) if word == "TEAM" else word for word in argv))
    assert "dsh_compat_adapter.cli.main" in modules
    assert heavy(modules) == set()


def test_the_run_that_was_looked_at_did_run_a_hook_that_denies(team: Path, tmp_path: Path) -> None:
    _, printed = imported(tmp_path, CLI, "run", str(team), *WRITE, "--format", "json")
    assert json.loads(printed)["outcome"]["decision"] == "deny"


def test_listen_imports_nothing_heavy_and_has_answered(team: Path, tmp_path: Path) -> None:
    payload = {"tool_name": "Write", "tool_input": {"file_path": "a"}}
    dispatch = {"op": "dispatch", "event": "PreToolUse", "vendor": "claude", "payload": payload}
    requests = [{"op": "ping"}, {"op": "reload"}, dispatch, {"op": "bye"}]
    (tmp_path / "home").mkdir()
    argv = ["listen", "--root", str(team), "--home", str(tmp_path / "home")]
    modules, printed = imported(tmp_path, CLI, *argv, stdin="".join(f"{json.dumps(one)}\n" for one in requests))
    replies = [json.loads(line) for line in printed.splitlines()]
    assert [reply["ok"] for reply in replies] == [True, True, True, True]
    assert replies[2]["outcome"]["decision"] == "deny"
    assert heavy(modules) == set()


def test_a_bundle_is_built_and_served_without_anything_heavy_but_the_front_matter_of_its_rules(
    team: Path, tmp_path: Path
) -> None:
    bundle = tmp_path / "bundle"
    modules, _ = imported(tmp_path, CLI, "build", str(team), "-o", str(bundle), "--bridge", "native")
    assert heavy(modules) <= {"yaml"}
    values = {"tool.host_name": "write", "tool.host_arguments": {"file_path": "a"}}
    requests = [
        {"op": "hello", "id": 1, "protocol": 1},
        {"op": "open", "id": 2, "services": []},
        {"op": "seam", "id": 3, "seam": "tools/pre-execute", "values": values},
    ]
    stdin = "".join(f"{json.dumps(one)}\n" for one in requests)
    modules, printed = imported(tmp_path, CLI, "connect", str(bundle), stdin=stdin)
    replies = {reply["id"]: reply for reply in map(json.loads, printed.splitlines())}
    assert replies[1]["ok"]
    assert heavy(modules) <= {"yaml"}


@pytest.mark.parametrize("argv", [["--help"], ["matrix"], ["schema"]], ids=lambda argv: argv[0])
def test_what_only_prints_imports_neither_asyncio_nor_a_host(argv: list[str], tmp_path: Path) -> None:
    modules, _ = imported(tmp_path, CLI, *argv)
    assert modules & {"asyncio", "re2", "quickjs", "psutil", "tree_sitter", "dsh_compat_adapter.service"} == set()


def test_a_manifest_is_what_makes_it_import_yaml_and_only_that(team: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(team, project)
    (project / "compat.yaml").write_text("version: 1\n", encoding="utf-8")
    modules, _ = imported(tmp_path, CLI, "run", str(project), *WRITE)
    assert heavy(modules) == {"yaml"}


def test_check_imports_yaml_for_the_front_matter_of_rules_and_only_that(team: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(team, project)
    modules, _ = imported(tmp_path, CLI, "check", str(project))
    assert heavy(modules) == {"yaml"}
    for rules in [*project.rglob(".claude/rules/*.md"), *project.rglob("*.instructions.md")]:
        rules.unlink()
    modules, _ = imported(tmp_path, CLI, "check", str(project))
    assert heavy(modules) == set()


def test_the_probe_sees_what_the_authoring_side_imports(tmp_path: Path) -> None:
    modules, _ = imported(tmp_path, "import dsh_compat_adapter.catalog.authoring.generate")
    assert heavy(modules) >= {"yaml", "pydantic", "jinja2"}
