"""`hosts.dsh.directory`: a bundle on disk, whole or not at all, and nothing else."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.hosts.dsh import directory
from dsh_compat_adapter.hosts.dsh.bundle import Bundle, collect, surface_of
from dsh_compat_adapter.hosts.dsh.directory import write
from tests.live.bundles import manifest

CATALOG = Catalog.load()
ODD = "wéird ' \" 中文 $(x) #: project"
DENY = {"vendor": "claude", "event": "PreToolUse", "matcher": "Write", "handler": "sh deny.sh"}
OTHER = {"vendor": "copilot", "event": "preToolUse", "handler": "sh other.sh"}


def bundle(root: Path, version: str = "0.1.5-rc.1") -> Bundle:
    return collect(scan(root, CATALOG), CATALOG, surface_of(CATALOG, version))


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def rows(patch: Path) -> list[dict[str, Any]]:
    (entry,) = yaml.safe_load(patch.read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = entry["insert"]
    return found


def test_a_bundle_is_what_dsh_loads(tmp_path: Path) -> None:
    patch = write(bundle(manifest(tmp_path / "project", [DENY, OTHER])), tmp_path / "out", CATALOG)
    assert set(tree(tmp_path / "out")) == {
        "package.json",
        "cordis.patch.yml",
        "connector.mjs",
        "manifest.json",
        "bridges/claude.json",
    }
    package = json.loads((tmp_path / "out/package.json").read_text(encoding="utf-8"))
    assert package["dsh"] == {"bundle": {"patch": "cordis.patch.yml"}}
    assert not {"peerDependencies", "dependencies", "engines"} & set(package)
    connector, bridge = rows(patch)
    assert connector["name"] == "./connector.mjs"
    assert [seam["seam"] for seam in connector["config"]["seams"]] == ["tools/pre-execute"]
    assert bridge["name"] == "@deepseek-ai/dsh-hooks-claude-code"
    assert bridge["config"] == {
        "configPath": str(tmp_path / "out/bridges/claude.json"),
        "projectDir": str(tmp_path / "project"),
    }


def test_the_same_project_gives_the_same_bytes(tmp_path: Path) -> None:
    made = bundle(manifest(tmp_path / "project", [DENY, OTHER]))
    write(made, tmp_path / "out", CATALOG)
    first = tree(tmp_path / "out")
    write(bundle(tmp_path / "project"), tmp_path / "out", CATALOG)
    assert tree(tmp_path / "out") == first


def test_any_path_reaches_dsh_as_it_is(tmp_path: Path) -> None:
    patch = write(bundle(manifest(tmp_path / ODD / "p", [DENY])), tmp_path / ODD / "out", CATALOG)
    bridge = rows(patch)[1]
    assert bridge["config"]["configPath"] == str(tmp_path / ODD / "out/bridges/claude.json")
    assert Path(bridge["config"]["configPath"]).exists()


def test_a_rebuild_replaces_everything_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    write(bundle(manifest(tmp_path / "project", [DENY])), tmp_path / "out", CATALOG)
    write(bundle(manifest(tmp_path / "project", [OTHER])), tmp_path / "out", CATALOG)
    assert "bridges/claude.json" not in tree(tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "project"]


def test_a_system_without_an_exchange_replaces_it_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directory, "_exchange", lambda *_: False)
    test_a_rebuild_replaces_everything_and_leaves_nothing_beside_it(tmp_path)


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A folder with somebody's file in it."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full/thesis.txt").write_text("years of work", encoding="utf-8")
    return tmp_path / "full"


def test_a_folder_with_something_else_in_it_is_refused_and_untouched(full: Path, tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="something else") as caught:
        write(bundle(manifest(tmp_path / "project", [DENY])), full, CATALOG)
    assert caught.value.code is ErrorCode.INVALID_INPUT
    assert tree(full) == {"thesis.txt": b"years of work"}


def test_a_file_is_refused(full: Path, tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="no folder"):
        write(bundle(manifest(tmp_path / "project", [DENY])), full / "thesis.txt", CATALOG)


def test_what_cannot_be_written_leaves_the_former_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = bundle(manifest(tmp_path / "project", [DENY]))
    write(made, tmp_path / "out", CATALOG)
    before = tree(tmp_path / "out")

    def fails(*_: object) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(directory, "_exchange", fails)
    with pytest.raises(CompatError, match="No space left"):
        write(made, tmp_path / "out", CATALOG)
    assert tree(tmp_path / "out") == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "project"]
