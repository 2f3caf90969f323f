"""`dsh-compat check` as a process: its formats, what makes it fail, and outputs that cannot be written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import PACKAGE
from tests.cli.full_disk import SAID, on_full_disk
from tests.projects import command, grouped, project

MATCHER = grouped("PreToolUse", command(), matcher="bash")  # a warning
EVENT = grouped("Nope", command())  # an error


def argv(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-P", "-m", "dsh_compat_adapter", *map(str, arguments)]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "COLUMNS": "100"}


def cli(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv(*arguments), cwd=cwd, env=environment(), capture_output=True, encoding="utf-8", check=False
    )


@pytest.mark.parametrize(
    ("settings", "fail_on", "code"),
    [
        (EVENT, "error", 1),
        (EVENT, "warning", 1),
        (EVENT, "never", 0),
        (MATCHER, "error", 0),
        (MATCHER, "warning", 1),
        (MATCHER, None, 1),
        (MATCHER, "never", 0),
    ],
)
def test_the_caller_says_which_findings_make_it_fail(
    tmp_path: Path, settings: object, fail_on: str | None, code: int
) -> None:
    project(tmp_path, {".claude/settings.json": settings})
    done = cli("check", tmp_path, *(["--fail-on", fail_on] if fail_on else []))
    assert (done.returncode, done.stderr) == (code, "")


def test_a_finding_that_is_ignored_does_not_make_it_fail(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": EVENT, "compat.yaml": "version: 1\nignore: [unknown-event]"})
    done = cli("check", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 ignored" in done.stdout


@pytest.mark.parametrize("format_", ["sarif", "github"])
def test_files_are_named_from_the_folder_that_the_command_runs_in(tmp_path: Path, format_: str) -> None:
    project(tmp_path, {"packages/a/.claude/settings.json": EVENT})
    for root in ("packages/a", tmp_path / "packages/a"):
        done = cli("check", root, "--format", format_, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (1, "")
        assert "packages/a/.claude/settings.json" in done.stdout
        assert str(tmp_path) not in done.stdout


def test_a_line_of_json_is_the_same_check_as_the_document(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": EVENT})
    line, document = (cli("check", tmp_path, "--format", name).stdout for name in ("jsonl", "json"))
    assert line.count("\n") == 1
    assert json.loads(line) == json.loads(document)


FORMATS = ["text", "json", "jsonl", "sarif", "github", "markdown"]


@pytest.mark.parametrize("format_", FORMATS)
def test_a_full_disk_is_said_in_one_line_and_is_no_defect(tmp_path: Path, format_: str) -> None:
    project(tmp_path, {".claude/settings.json": EVENT})
    assert on_full_disk("check", tmp_path, "--format", format_, cwd=tmp_path) == SAID


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_costs_the_text_and_not_the_exit_code(tmp_path: Path, closed: str) -> None:
    project(tmp_path, {".claude/settings.json": EVENT})
    line = f'exec "$@" {closed}'
    done = subprocess.run(["sh", "-c", line, "sh", *argv("check", tmp_path)], env=environment(), check=False)
    assert done.returncode == 1


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    rules = "---\napplyTo: '**/*.ts'\n---\nUse strict types.\n"
    return project(tmp_path, {".claude/settings.json": MATCHER, ".github/instructions/ts.instructions.md": rules})


@pytest.mark.parametrize("format_", ["text", "markdown", "sarif", "github"])
def test_however_a_project_is_named_its_files_are_named_alike(two_files: Path, format_: str) -> None:
    roots = (two_files, ".", f"../{two_files.name}")
    absolute, here, below = (cli("check", root, "--format", format_, cwd=two_files).stdout for root in roots)
    assert "rules-conditional" in absolute
    assert (here, below) == (absolute, absolute)


@pytest.mark.parametrize("root", [".", "{}", "../{}"])
def test_a_finding_of_json_names_a_file_as_the_list_of_files_does(two_files: Path, root: str) -> None:
    checked = json.loads(
        cli(
            "check",
            root.format(two_files.name),
            "--format",
            "json",
            cwd=two_files.parent if root == "{}" else two_files,
        ).stdout
    )
    assert {finding["file"] for finding in checked["findings"]} == set(checked["files"])
