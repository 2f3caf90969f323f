"""`scripts.oracles.fetch`: packages from a stand-in for npm that gives local archives."""

import base64
import hashlib
import tarfile
from pathlib import Path

import pytest

from scripts.oracles.fetch import FetchError, fetch, newest


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the stand-in gives for any package; it counts its runs in `asked`."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package/engine").write_text("program", encoding="utf-8")
    made = tmp_path / "engine.tgz"
    with tarfile.open(made, "w:gz") as tar:
        tar.add(tmp_path / "package", "package")
    programs = tmp_path / "bin"
    programs.mkdir()
    npm = programs / "npm"
    npm.write_text(
        f"#!/bin/sh\necho \"$*\" >>'{tmp_path}/asked'\n"
        f"case $1 in view) echo 1.2.3;; pack) cp '{made}' \"$5/engine.tgz\";; esac\n",
        encoding="utf-8",
    )
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    return made


def integrity(path: Path) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(path.read_bytes()).digest()).decode("ascii")


def test_a_package_with_the_pinned_bytes_is_unpacked_without_scripts_and_the_archive_goes(
    archive: Path, tmp_path: Path
) -> None:
    place = fetch("@vendor/engine", "1.0.0", integrity(archive), tmp_path / "engines")
    assert (place / "engine").read_text(encoding="utf-8") == "program"
    assert not [*place.parent.glob("*.tgz")]
    asked = (tmp_path / "asked").read_text(encoding="utf-8")
    assert "--ignore-scripts" in asked
    assert "@vendor/engine@1.0.0" in asked


def test_what_was_unpacked_before_is_used_again(archive: Path, tmp_path: Path) -> None:
    first = fetch("engine", "1.0.0", integrity(archive), tmp_path / "engines")
    assert fetch("engine", "1.0.0", integrity(archive), tmp_path / "engines") == first
    assert len((tmp_path / "asked").read_text(encoding="utf-8").splitlines()) == 1


@pytest.mark.usefixtures("archive")
def test_other_bytes_than_the_pinned_ones_are_refused_and_nothing_of_them_is_unpacked(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"engine@1\.0\.0 is not what was pinned"):
        fetch("engine", "1.0.0", "sha512-other", tmp_path / "engines")
    assert not [*tmp_path.glob("engines/*/package")]


@pytest.mark.usefixtures("archive")
def test_a_package_that_npm_does_not_give_is_an_error_with_its_words(tmp_path: Path) -> None:
    (tmp_path / "bin/npm").write_text("#!/bin/sh\necho no such package >&2; exit 1\n", encoding="utf-8")
    with pytest.raises(FetchError, match=r"npm pack engine@1\.0\.0 failed: no such package"):
        fetch("engine", "1.0.0", None, tmp_path / "engines")
    with pytest.raises(FetchError, match="npm view engine failed: no such package"):
        newest("engine")


@pytest.mark.usefixtures("archive")
def test_the_newest_version_is_what_npm_says() -> None:
    assert newest("engine") == "1.2.3"
