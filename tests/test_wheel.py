"""The wheel, installed alone: all that needs no checkout works away from one."""

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from packaging.requirements import Requirement

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.matrix import matrix
from tests.checkout import PACKAGE, ROOT

NAME = "dsh_compat_adapter"
SNIPPET = """
import asyncio, json, sys
from pathlib import Path
import dsh_compat_adapter
from dsh_compat_adapter import CompatAdapter, CompatError, EmbeddedHost

async def main(here):
    host = EmbeddedHost(str(here))
    async with CompatAdapter(host) as adapter:
        result = await adapter.register_hook(
            vendor="claude", event="PreToolUse", matcher="Write", handler="echo no writes here >&2; exit 2"
        )
        rules = await adapter.register_rules(vendor="claude", source="CLAUDE.md", base_dir=str(here))
        call = await host.agent().call("write", {"file_path": "a.txt", "content": "x"})
        try:
            await adapter.register_hook(vendor="claud", event="PreToolUse", handler="true")
        except CompatError as error:
            code = error.code
    return {
        "from": dsh_compat_adapter.__file__,
        "result": result.to_dict(),
        "rules": rules.to_dict(),
        "denied": call.denied,
        "text": call.text,
        "written": (here / "a.txt").exists(),
        "code": code,
        "rows": len(adapter.matrix().rows),
    }

print(json.dumps(asyncio.run(main(Path(sys.argv[1])))))
"""


class Installed(NamedTuple):
    """The wheel, and an environment with nothing but it and what it requires."""

    wheel: Path
    prefix: Path
    environment: dict[str, str]

    def run(self, program: str, *arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.prefix / "bin" / program), *arguments],
            capture_output=True,
            text=True,
            check=False,
            cwd=cwd,
            env=self.environment,
        )

    def prints(self, *arguments: str, cwd: Path, code: int = 0) -> Any:
        """What `dsh-compat` prints as JSON."""
        done = self.run("dsh-compat", *arguments, "--format", "json", cwd=cwd)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)


def required(requirements: list[str], seen: set[str]) -> Iterator[Distribution]:
    """The distributions that these requirements need at run time, extras left out."""
    for requirement in map(Requirement, requirements):
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        if requirement.name not in seen:
            seen.add(requirement.name)
            found = distribution(requirement.name)
            yield found
            yield from required(found.requires or [], seen)


def link(of: Distribution, folder: Path) -> None:
    """Make one installed distribution importable from another folder."""
    for top in {file.parts[0] for file in of.files or [] if file.parts[0] not in ("..", "__pycache__")}:
        if not (folder / top).exists():
            (folder / top).symlink_to(Path(str(of.locate_file(top))))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    base = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(base / "dist"), str(ROOT)]
    built = subprocess.run(build, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = (base / "dist").iterdir()

    prefix = base / "env"
    venv.create(prefix, with_pip=False, symlinks=True)
    python = str(prefix / "bin/python")
    install = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, "--disable-pip-version-check", str(wheel)], check=True)

    (base / "requirements").mkdir()
    (base / "home").mkdir()
    (site,) = prefix.glob("lib/python*/site-packages")
    (metadata,) = site.glob("*.dist-info")
    for one in required(Distribution.at(metadata).requires or [], set()):
        link(one, base / "requirements")
    environment = {
        "PATH": f"{prefix}/bin:{os.environ['PATH']}",
        "HOME": str(base / "home"),
        "PYTHONPATH": str(base / "requirements"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return Installed(wheel, prefix, environment)


@pytest.fixture
def team(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples/team", tmp_path / "team")
    return tmp_path / "team"


def files(folder: Path, prefix: str) -> set[str]:
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return {f"{prefix}/{path}" for path in found if "__pycache__" not in path.parts}


def test_the_wheel_holds_the_package_and_its_data_and_nothing_else(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert names == {
        *files(PACKAGE, NAME),
        *files(ROOT / "vendors", f"{NAME}/vendors"),
        *files(ROOT / "rules", f"{NAME}/rules"),
    }


@pytest.mark.parametrize(
    "name",
    [
        "catalog/catalog.json",
        "catalog/matrix.json",
        "schemas/vendor.json",
        "schemas/manifest.json",
        "templates/matrix.md.j2",
        "hosts/embedded/surface.yaml",
        "vendors/claude.yaml",
        "vendors/losses.yaml",
        "rules/codex.yaml",
        "py.typed",
    ],
)
def test_the_data_that_somebody_looks_for_is_in_the_wheel_as_it_stands_here(installed: Installed, name: str) -> None:
    source = ROOT / name if name.startswith(("vendors", "rules")) else PACKAGE / name
    with zipfile.ZipFile(installed.wheel) as archive:
        assert archive.read(f"{NAME}/{name}") == source.read_bytes()


def test_the_environment_has_nothing_but_the_wheel_and_what_it_requires(installed: Installed, tmp_path: Path) -> None:
    where = installed.run("python", "-c", f"import {NAME}; print({NAME}.__file__)", cwd=tmp_path).stdout
    assert where.startswith(str(installed.prefix))
    for authoring in ("pydantic", "jsonschema", "jinja2", "pytest"):
        assert installed.run("python", "-c", f"import {authoring}", cwd=tmp_path).returncode == 1


def test_the_installed_matrix_is_the_matrix_of_this_checkout(installed: Installed, tmp_path: Path) -> None:
    assert installed.prints("matrix", cwd=tmp_path) == matrix(Catalog.load()).to_dict()


def test_the_installed_check_grades_every_vendor_of_the_example(installed: Installed, team: Path) -> None:
    checked = installed.prints("check", str(team), cwd=team.parent, code=1)
    graded = {item["result"]["vendor"] for item in checked["items"] if item["result"]}
    assert graded == {"claude", "codex", "copilot", "opencode", "workbuddy"}
    assert checked["counts"]["adapted"] > 0
    assert checked["counts"]["carried"] > 0
    assert checked["counts"]["unsupported"] > 0


def test_the_installed_run_denies_a_write_with_the_reason_of_the_hook(installed: Installed, team: Path) -> None:
    write = ["--vendor", "claude", "--tool", "Write", "--input", '{"file_path":"a"}']
    report = installed.prints("run", str(team), "--event", "PreToolUse", *write, cwd=team.parent)
    assert report["outcome"]["decision"] == "deny"
    assert report["outcome"]["reason"]
    assert report["runs"]


def test_the_installed_schema_is_the_published_one(installed: Installed, tmp_path: Path) -> None:
    published = json.loads((PACKAGE / "schemas/vendor.json").read_text(encoding="utf-8"))
    assert installed.prints("schema", "vendor", cwd=tmp_path) == published
    names = installed.prints("schema", cwd=tmp_path)["schemas"]
    assert names == sorted(path.stem for path in (PACKAGE / "schemas").iterdir())


def test_the_installed_command_says_its_version(installed: Installed, tmp_path: Path) -> None:
    said = installed.run("dsh-compat", "--version", cwd=tmp_path).stdout.strip()
    assert said == f"dsh-compat {installed.wheel.name.split('-')[1]}"


def test_the_installed_library_denies_a_tool_call_and_carries_rules(installed: Installed, team: Path) -> None:
    done = installed.run("python", "-c", SNIPPET, str(team), cwd=team.parent)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["from"].startswith(str(installed.prefix))
    assert said["result"]["capability"] == "ADAPTED"
    assert said["result"]["executable"]
    assert said["result"]["degradations"]
    assert said["rules"]["capability"] == "CARRY"
    assert (said["denied"], said["text"], said["written"]) == (True, "Error: no writes here", False)
    assert said["code"] == "UNKNOWN_VENDOR"
    assert said["rows"] >= 112
