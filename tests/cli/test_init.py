"""`dsh-compat init`: shows a draft, writes it once, and never over anything."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from dsh_compat_adapter.cli import main
from tests.checkout import PACKAGE
from tests.projects import command, grouped, project

HERE = "compat.yaml"


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Init:
    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._root = root
        self._capsys = capsys

    def __call__(self, *arguments: str, root: Path | None = None) -> Done:
        code = main(["init", str(root or self._root), *arguments])
        return Done(code, *self._capsys.readouterr())

    def json(self, *arguments: str) -> Any:
        data = json.loads(self("--format", "json", *arguments).out)
        Draft202012Validator(json.loads((PACKAGE / "schemas/init.json").read_text("utf-8"))).validate(data)
        return data


@pytest.fixture
def init(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Init:
    monkeypatch.setenv("COLUMNS", "100")
    project(tmp_path, {".claude/settings.json": grouped("Stop", command("one"))})
    return Init(tmp_path, capsys)


def test_without_write_it_only_shows_what_it_would_write(init: Init, tmp_path: Path) -> None:
    done = init()
    assert (done.code, done.err) == (0, "")
    assert "  - {vendor: claude, event: Stop, handler: {type: command, command: one}}\n" in done.out
    assert "This would be " in done.out
    assert not (tmp_path / HERE).exists()


def test_what_is_shown_is_what_is_written(init: Init, tmp_path: Path) -> None:
    shown = init.json()
    assert (shown["written"], shown["exists"]) == (False, False)
    assert init.json("--write")["written"] is True
    assert (tmp_path / HERE).read_text("utf-8") == shown["manifest"]


def written(path: Path) -> tuple[int, int, bytes]:
    """What a write changes, and a read does not."""
    status = path.stat()
    return status.st_ino, status.st_mtime_ns, path.read_bytes()


def test_a_second_run_agrees_and_writes_nothing(init: Init, tmp_path: Path) -> None:
    assert init("--write").out == f"wrote {tmp_path / HERE} with 1 hooks and 0 rules.\n"
    before = written(tmp_path / HERE)
    for arguments in ([], ["--write"]):
        done = init(*arguments)
        assert (done.code, done.err) == (0, "")
        assert "is there and has all that the files have: 1 hooks and 0 rules" in done.out
    assert written(tmp_path / HERE) == before


def test_a_manifest_that_differs_is_shown_as_a_diff_and_stays(init: Init, tmp_path: Path) -> None:
    init("--write")
    text = (tmp_path / HERE).read_text("utf-8").replace("one", "other")
    (tmp_path / HERE).write_text(text)
    done = init("--write")
    assert (done.code, done.err) == (1, "")
    assert "-hooks: {vendor: claude, event: Stop, handler: {type: command, command: other}}" in done.out
    assert "+hooks: {vendor: claude, event: Stop, handler: {type: command, command: one}}" in done.out
    assert (tmp_path / HERE).read_text("utf-8") == text
    assert init.json()["diff"] != []


def test_a_manifest_that_cannot_be_read_is_said_and_stays(init: Init, tmp_path: Path) -> None:
    (tmp_path / HERE).write_text("version: 2")
    done = init("--write")
    assert (done.code, done.out) == (1, "")
    assert "version must be 1, found 2" in done.err
    assert (tmp_path / HERE).read_text("utf-8") == "version: 2"


def test_a_link_that_leads_nowhere_is_not_followed(init: Init, tmp_path: Path) -> None:
    (tmp_path / HERE).symlink_to(tmp_path / "elsewhere")
    assert init("--write").code == 1
    assert not (tmp_path / "elsewhere").exists()


def test_what_is_left_out_is_printed_with_its_place(init: Init, tmp_path: Path) -> None:
    project(tmp_path, {".codex/hooks.json": "{"})
    done = init()
    assert "Not in the manifest, or to be known about it:\n  error: .codex/hooks.json:1:2: no valid JSON" in done.out
    assert [one["code"] for one in init.json()["left_out"]] == ["invalid-file"]


def test_where_there_is_nothing_nothing_is_written(init: Init, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = init("--write", root=tmp_path / "empty")
    assert (done.code, done.out) == (
        0,
        "no hooks or rules found here that a manifest could hold, so there is nothing to write\n",
    )
    assert list((tmp_path / "empty").iterdir()) == []


def test_run_takes_the_manifest_and_decides_as_the_files_did(
    init: Init, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project(tmp_path, {".claude/settings.json": grouped("PreToolUse", command("echo no >&2; exit 2"), matcher="Write")})
    fire = ["run", str(tmp_path), "--event", "PreToolUse", "--tool", "Write", "--format", "json"]
    main(fire)
    files = json.loads(capsys.readouterr().out)
    init("--write")
    main(fire)
    manifest = json.loads(capsys.readouterr().out)
    assert files["outcome"] == manifest["outcome"]
    assert files["outcome"]["decision"] == "deny"
    [before], [after] = files["runs"], manifest["runs"]
    assert before["hook"]["id"] == after["hook"]["id"]
    assert after["hook"]["source"].startswith(f"{tmp_path / HERE}:")
