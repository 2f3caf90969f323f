"""`action.yml` and `.pre-commit-hooks.yaml`: what GitHub Actions and pre-commit would run, run."""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.checkout import PACKAGE, ROOT
from tests.projects import command, grouped, project

FAULT = grouped("Nope", command())


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def program(folder: Path) -> Path:
    """`dsh-compat` of this checkout, as an installed one would stand in a folder."""
    folder.mkdir(parents=True)
    path = folder / "dsh-compat"
    path.write_text(f'#!/bin/sh\nPYTHONPATH={PACKAGE.parent} exec {sys.executable} -P -m dsh_compat_adapter "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


class Action:
    """The action of this checkout in a runner with a repository."""

    def __init__(self, folder: Path) -> None:
        self.definition = read("action.yml")
        self.repository = folder / "repository"
        self.temporary = folder / "runner"
        self.summary = folder / "summary"
        for path in (self.repository, self.temporary):
            path.mkdir()

    def step(self, name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run one step as the runner does, with its expressions filled in."""
        [step] = [one for one in self.definition["runs"]["steps"] if one["name"] == name]
        assert step["shell"] == "bash"
        assert "${{" not in step["run"], "an input in a script could be a command"
        known = {key: value["default"] for key, value in self.definition["inputs"].items()}
        assert set(inputs) <= set(known)
        values = known | inputs
        given = {
            key: re.sub(r"\$\{\{ inputs\.([a-z-]+) \}\}", lambda found: values[found[1]], value)
            for key, value in step.get("env", {}).items()
        }
        runner = {
            "RUNNER_TEMP": str(self.temporary),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]],
            cwd=self.repository,
            env={**os.environ, **runner, **given},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def action(tmp_path: Path) -> Action:
    return Action(tmp_path)


@pytest.mark.parametrize(
    ("fail_on", "code"), [("warning", 1), ("error", 1), ("never", 0), ("", 2), ("never; touch sprung", 2)]
)
def test_the_action_annotates_summarises_and_fails_as_it_was_told(action: Action, fail_on: str, code: int) -> None:
    program(action.temporary / "dsh-compat/bin")
    project(action.repository, {".claude/settings.json": FAULT})
    done = action.step("Check hooks and rules", **{"fail-on": fail_on})
    assert done.returncode == code
    if code != 2:
        assert "::error file=.claude/settings.json,line=1,col=" in done.stdout
        assert "| error | 1:" in action.summary.read_text("utf-8")
    assert sorted(path.name for path in action.repository.iterdir()) == [".claude"]


def test_the_action_writes_sarif_where_it_is_told(action: Action) -> None:
    program(action.temporary / "dsh-compat/bin")
    project(action.repository, {"a b/.claude/settings.json": FAULT})
    done = action.step("Check hooks and rules", path="a b", sarif="out put.sarif", **{"fail-on": "never"})
    assert (done.returncode, done.stderr) == (0, "")
    log = json.loads((action.repository / "out put.sarif").read_text("utf-8"))
    [result] = log["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location["uri"] == "a%20b/.claude/settings.json"


@pytest.mark.timeout(400)
def test_the_action_installs_this_checkout_and_imports_nothing_of_the_repository(action: Action) -> None:
    for name in ("venv.py", "pip.py", "sitecustomize.py", "argparse.py"):
        project(action.repository, {name: "open('sprung', 'w')"})
    done = action.step("Install dsh-compat")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert (action.temporary / "dsh-compat/bin/dsh-compat").exists()
    assert not (action.repository / "sprung").exists()


@pytest.mark.parametrize(("settings", "code"), [(FAULT, 1), (grouped("Stop", command()), 0)], ids=["bad", "good"])
def test_the_pre_commit_hook_checks_the_repository_that_it_runs_in(tmp_path: Path, settings: object, code: int) -> None:
    [hook] = read(".pre-commit-hooks.yaml")
    assert hook["language"] == "python"
    assert (hook["pass_filenames"], hook["always_run"]) == (False, True)
    folder = program(tmp_path / "bin")
    project(tmp_path / "repository", {".claude/settings.json": settings})
    done = subprocess.run(
        [*shlex.split(hook["entry"]), *hook["args"]],
        cwd=tmp_path / "repository",
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.startswith(".claude/settings.json\n")
