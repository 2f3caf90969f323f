"""The examples do what their README says: the Python agent by running it, the team's hooks through `dsh-compat`."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dsh_compat_adapter.cli import main
from dsh_compat_adapter.declare.finding_codes import KINDS

ROOT = Path(__file__).resolve().parent.parent
TEAM = ROOT / "examples/team"
BROKEN = ROOT / "examples/broken"
# kinds of findings that a project in a repository cannot show, as its README says
NOT_PLANTED = {"bridge-narrows-matcher", "files-not-discovered", "folder-not-searched", "rules-too-long"}
OF_INIT = {"not-in-manifest", "personal-file"}  # said by `dsh-compat init` only
GOAL = (TEAM / "docs/sprint-goal.txt").read_text().strip()
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "adapter")}


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A copy of the team's project, in which a test may leave things."""
    shutil.copytree(TEAM, tmp_path / "team")
    return tmp_path / "team"


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any]:
    code = main([str(argument) for argument in (*arguments, "--format", "json")])
    return code, json.loads(capsys.readouterr().out)


def fired(capsys: pytest.CaptureFixture[str], team: Path, vendor: str, event: str, *arguments: str) -> Any:
    code, report = printed(capsys, "run", team, "--vendor", vendor, "--event", event, *arguments)
    assert code == 0
    return report


def tool(name: str, **given: object) -> tuple[str, ...]:
    return "--tool", name, "--input", json.dumps(given)


NATIVE = ("--bridge", "native")
AGAIN = ("--input", '{"stop_hook_active": true}')


class Case(NamedTuple):
    """One event, and what the README promises of it. `runs` is how many hooks it selects."""

    vendor: str
    event: str
    arguments: tuple[str, ...]
    decision: str
    said: str | None = None  # in the reason or in a context
    loses: str | None = None
    runs: int = 1


CASES = {
    "claude: the goal goes along with a prompt": Case("claude", "UserPromptSubmit", NATIVE, "none", GOAL),
    "claude: the official bridge loses the goal": Case(
        "claude", "UserPromptSubmit", (), "none", loses="stdout-not-context"
    ),
    "claude: a Write is denied": Case("claude", "PreToolUse", tool("Write", file_path="a"), "deny", "reviewed patch"),
    "claude: so is the host's write": Case("claude", "PreToolUse", tool("write", file_path="a"), "deny", "reviewed"),
    "claude: a Write without arguments": Case("claude", "PreToolUse", ("--tool", "Write"), "deny", "reviewed patch"),
    "claude: git push wants a person": Case(
        "claude", "PreToolUse", tool("Bash", command="git push"), "ask", "has somebody read it", "ask-without-approval"
    ),
    "claude: git push in a longer command": Case(
        "claude", "PreToolUse", tool("Bash", command="cd x && git -C y push origin"), "ask", "has somebody read it"
    ),
    "claude: git status is nobody's business": Case("claude", "PreToolUse", tool("Bash", command="git status"), "none"),
    "claude: the trimmed edit is lost": Case(
        "claude", "PreToolUse", tool("Edit", new_string="x  \ny"), "none", loses="updated-input-ignored"
    ),
    "claude: a clean edit is not touched": Case("claude", "PreToolUse", tool("Edit", new_string="x"), "none"),
    "claude: no hook on Read": Case("claude", "PreToolUse", tool("Read", file_path="a"), "none", runs=0),
    "claude: the http hook sends nothing": Case("claude", "PostToolUse", tool("Edit", file_path="a"), "none", runs=0),
    "claude: a stop with TODO.release goes on": Case("claude", "Stop", (), "deny", "TODO.release is still there"),
    "claude: and only once a prompt": Case("claude", "Stop", (*AGAIN, *NATIVE), "none"),
    "claude: the official bridge never says that it is again": Case(
        "claude", "Stop", AGAIN, "deny", "TODO.release is still there"
    ),
    "claude: the end of a session": Case("claude", "SessionEnd", (), "none"),
    "codex: the goal at the start": Case("codex", "SessionStart", (), "none", GOAL),
    "codex: rm -rf / is denied": Case("codex", "PreToolUse", tool("Bash", command="rm -rf /"), "deny", "root or home"),
    "codex: rm -rf of a folder is not": Case("codex", "PreToolUse", tool("Bash", command="rm -rf ./build"), "none"),
    "codex: a stop with TODO.release goes on": Case("codex", "Stop", (), "deny", "TODO.release is still there"),
    "codex: and only once a prompt": Case("codex", "Stop", (*AGAIN, *NATIVE), "none"),
    "codebuddy: a deployment wants a person": Case(
        "workbuddy", "PreToolUse", tool("Bash", command="make deploy"), "ask", "person on call"
    ),
    "codebuddy: by its other name of the tool": Case(
        "codebuddy", "PreToolUse", tool("execute_command", command="make deploy"), "ask", "person on call"
    ),
    "codebuddy: a build does not": Case("workbuddy", "PreToolUse", tool("Bash", command="make"), "none"),
    "codebuddy: a changed Python file": Case(
        "workbuddy", "PostToolUse", tool("Write", file_path="src/a.py"), "none", "src/a.py has changed: run"
    ),
    "codebuddy: a changed text": Case("workbuddy", "PostToolUse", tool("Edit", file_path="a.md"), "none"),
    "copilot: where the goal is": Case("copilot", "sessionStart", (), "none", "docs/sprint-goal.txt"),
    "copilot: hands off .env": Case("copilot", "preToolUse", tool("bash", command="cat .env"), "deny", "API keys"),
    "copilot: .env.example may be read": Case(
        "copilot", "preToolUse", tool("bash", command="cat .env.example"), "none"
    ),
    "copilot: no hook on view": Case("copilot", "preToolUse", tool("view", path=".env"), "none", runs=0),
    "copilot: a stop with TODO.release goes on": Case(
        "copilot", "agentStop", (), "deny", "TODO.release is still there"
    ),
    "copilot: and only once a prompt": Case("copilot", "agentStop", AGAIN, "none"),
    "opencode: nothing of the plugin runs": Case(
        "opencode", "tool.execute.before", tool("bash", command="cat .env"), "none", runs=0
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_every_hook_of_the_team_answers_as_its_readme_says(
    capsys: pytest.CaptureFixture[str], team: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (team / "TODO.release").touch()
    report = fired(capsys, team, case.vendor, case.event, *case.arguments)
    outcome = report["outcome"]
    assert (outcome["decision"], len(report["runs"])) == (case.decision, case.runs)
    said = " ".join([outcome["reason"] or "", *outcome.get("additionalContext", [])])
    assert case.said in said if case.said else not said
    assert case.loses is None or case.loses in outcome["losses"]
    assert "problems" not in outcome
    assert (tmp_path / "parcel-tracker-sessions.log").exists() is (case.event == "SessionEnd")


@pytest.mark.parametrize(("vendor", "event"), [("claude", "Stop"), ("codex", "Stop"), ("copilot", "agentStop")])
def test_without_the_todo_a_turn_may_stop(
    capsys: pytest.CaptureFixture[str], team: Path, vendor: str, event: str
) -> None:
    assert fired(capsys, team, vendor, event)["outcome"]["decision"] == "none"


def test_one_event_asks_the_hooks_of_all_vendors_and_the_strictest_wins(
    capsys: pytest.CaptureFixture[str], team: Path
) -> None:
    command = "rm -rf / ; cat .env ; git push ; make deploy"
    code, report = printed(capsys, "run", team, "--event", "tool:before", *tool("Bash", command=command))
    assert code == 0
    assert [run["hook"]["vendor"] for run in report["runs"]] == ["claude", "codex", "copilot", "workbuddy"]
    assert [run["outcome"]["decision"] for run in report["runs"]] == ["ask", "deny", "deny", "ask"]
    assert report["outcome"]["decision"] == "deny"
    assert report["outcome"]["reason"].split("\n\n") == [
        "this would delete a root or home directory; name the directory that you mean",
        ".env holds the carriers' API keys; .env.example shows its shape",
    ]


SCRIPTS = {
    "no-write.sh": "reviewed patch",
    "sprint-goal.sh": GOAL,
    "session-log.sh": "",
    "release_stop.py": "",
    "remind_tests.py": "",
    "trim_edit.py": "",
    "shell_guard.py push": "",
    "shell_guard.py root": "",
    "shell_guard.py deploy": "",
    "shell_guard.py env flat": "",
}


@pytest.mark.parametrize("stdin", [b"", b"not JSON", b"[]", b"null", b'{"tool_input": 5}', b"\xff\0"])
@pytest.mark.parametrize(("script", "said"), SCRIPTS.items(), ids=SCRIPTS)
def test_a_script_without_its_payload_says_nothing_but_what_it_always_says(
    team: Path, tmp_path: Path, script: str, said: str, stdin: bytes
) -> None:
    (team / "TODO.release").touch()
    name, *arguments = script.split()
    argv = ["sh" if name.endswith(".sh") else sys.executable, str(team / "hooks" / name), *arguments]
    done = subprocess.run(
        argv, input=stdin, capture_output=True, check=True, env={**os.environ, "TMPDIR": str(tmp_path)}
    )
    assert done.stderr == b""
    assert said in done.stdout.decode()
    assert bool(said) is bool(done.stdout)


def test_the_table_of_scripts_above_is_complete() -> None:
    assert {name.split()[0] for name in SCRIPTS} == {path.name for path in (TEAM / "hooks").iterdir() if path.is_file()}


# the check


def table(heading: str) -> list[list[str]]:
    """The rows of the table below a heading of the README, without its head."""
    section = (TEAM / "README.md").read_text().split(f"## {heading}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line.replace(r"\|", "¦") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip().replace("¦", "|") for cell in line.strip("|").split("|")] for line in lines[2:]]


AGENTS = {"Claude Code": "claude", "Codex": "codex", "CodeBuddy": "workbuddy", "Copilot": "copilot"}


def promised_hooks() -> list[tuple[str, str, bool]]:
    """Vendor, event with its matcher, and whether it is refused, as the README has them."""
    found = []
    vendor = ""
    for agent, hook, _, answer in table("Hooks"):
        vendor = AGENTS.get(agent, "opencode" if agent == "OpenCode" else vendor)
        found.append((vendor, " ".join(hook.replace("`", "").split()), "**refused**" in answer))
    return found


def test_the_check_finds_exactly_the_hooks_of_the_readme_with_their_grades(capsys: pytest.CaptureFixture[str]) -> None:
    code, report = printed(capsys, "check", TEAM)
    assert code == 1  # findings, which this example has on purpose
    found = []
    for item in report["items"]:
        vendor, name = item["name"].split(" ", 1)
        if name != "rules" and not name.startswith("plugin "):
            refused = item["result"] is None or item["result"]["capability"] == "UNSUPPORTED"
            found.append((vendor, f"{name} {item['matcher'] or ''}".strip(), refused))
    assert sorted(found) == sorted(promised_hooks())


def test_what_is_refused_is_named_with_its_place_and_a_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    _, report = printed(capsys, "check", TEAM)
    errors = {(Path(f["file"]).name, f["code"]): f for f in report["findings"] if f["severity"] == "error"}
    assert set(errors) == {
        ("settings.json", "invalid-handler"),
        ("guard.json", "unknown-event"),
        ("opencode.json", "handler-is-code"),
        ("guard.js", "handler-is-code"),
    }
    for finding in errors.values():
        assert 0 < finding["line"] <= len(Path(finding["file"]).read_text().splitlines())
    assert "Did you mean 'sessionEnd'" in errors["guard.json", "unknown-event"]["message"]


def test_every_rules_file_of_the_readme_is_carried_for_its_first_reader(capsys: pytest.CaptureFixture[str]) -> None:
    _, report = printed(capsys, "check", TEAM)
    carried = {
        (item["name"].removesuffix(" rules"), str(Path(item["file"]).relative_to(TEAM)))
        for item in report["items"]
        if item["name"].endswith(" rules") and item["result"]["capability"] == "CARRY"
    }
    for file, readers, _ in table("Rules"):
        first = re.split(r",\s*", readers)[0]
        if first in AGENTS:
            assert (AGENTS[first], file.strip("`")) in carried


def test_reading_the_team_changes_nothing_in_it(capsys: pytest.CaptureFixture[str]) -> None:
    def state() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in TEAM.rglob("*") if path.is_file()}

    before = state()
    printed(capsys, "check", TEAM)
    fired(capsys, TEAM, "claude", "PreToolUse", *tool("Write", file_path="a"))
    assert state() == before


# the agent in Python


def test_the_guarded_write_example_ends_well_and_writes_nothing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/guarded_write.py")],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**ENVIRONMENT, "TMPDIR": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "registered: ADAPTED by official-bridge" in done.stdout
    assert "claude rules carried from" in done.stdout
    assert "writes go through a reviewed patch in this repository" in done.stdout
    assert done.stdout.endswith("parcel.txt was not written\n")
    assert list(tmp_path.rglob("*.txt")) == []


def test_the_agent_example_is_denied_asked_told_more_and_held_at_its_end(tmp_path: Path) -> None:
    source = (ROOT / "examples/agent.py").read_text()
    assert source.count("\n") <= 60
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples/agent.py")],
        capture_output=True,
        text=True,
        check=False,
        env={**ENVIRONMENT, "TMPDIR": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    for line in (
        "[tool:write] Error: writes go through a reviewed patch in this repository",
        "git push publishes the branch: has somebody read it? -> rejected",
        "[compat-adapter] Sprint goal: ",
        "[compat-adapter-rules] [claude, copilot rules carried from",
        "[compat-adapter] TODO.release is still there",
        "the turn: completed after 3 answers",
    ):
        assert line in done.stdout


def test_the_guarded_write_example_says_so_when_its_guard_is_gone(tmp_path: Path) -> None:
    """The example can fail: without the hook its file is written."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "examples/team/hooks/no-write.sh").write_text("exit 0\n")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "examples/guarded_write.py")],
        capture_output=True,
        text=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert (done.returncode, "parcel.txt was written" in done.stdout) == (1, True)


def test_each_fault_of_the_broken_project_is_named_where_its_readme_says_and_nothing_else_is(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, report = printed(capsys, "check", BROKEN)
    row = re.compile(r"^\| `(?P<file>.*):(?P<line>\d+)` \| `(?P<code>.*)` \| (?P<severity>\w+) \|$", re.MULTILINE)
    told = sorted(found.groups() for found in row.finditer((BROKEN / "README.md").read_text(encoding="utf-8")))
    found = [
        (str(Path(one["file"]).relative_to(BROKEN)), str(one["line"] or 0), one["code"], one["severity"])
        for one in report["findings"]
    ]
    assert code == 1
    assert sorted(found) == told


def test_the_broken_project_has_every_kind_of_fault() -> None:
    text = (BROKEN / "README.md").read_text(encoding="utf-8")
    assert {code for code in KINDS if f"`{code}`" not in text} == NOT_PLANTED | OF_INIT
