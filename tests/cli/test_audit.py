"""`dsh-compat audit`: what `run` and `listen` did, for people and for machines, and without anybody's credentials."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter.cli import main
from dsh_compat_adapter.facts.place import default_store
from dsh_compat_adapter.facts.store.files import journals_of
from dsh_compat_adapter.facts.store.journal import JournalSink
from tests.catalog.authoring.test_schemas import errors
from tests.checkout import ROOT
from tests.credentials import CREDENTIALS
from tests.listening import environment, fired, listening
from tests.projects import command, grouped, project, without_home
from tests.recording import run_of

TEAM = ROOT / "examples/team"
DENIED = ["--event", "PreToolUse", "--vendor", "claude", "--tool", "Write", "--input", '{"file_path": "a"}']


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "facts.db"


@pytest.fixture
def guarded(tmp_path: Path) -> Path:
    """A project with one hook, which reads its payload and says nothing."""
    return project(tmp_path / "project", {".claude/settings.json": grouped("PreToolUse", command("cat >/dev/null"))})


def audited(capsys: pytest.CaptureFixture[str], store: Path, *arguments: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["audit", "--facts", str(store), "--format", "json", *arguments]) == 0
    document = json.loads(capsys.readouterr().out)
    assert errors("facts", document) == []
    return list(document["facts"])


def run_team(store: Path, *arguments: str) -> None:
    assert main(["run", str(TEAM), *DENIED, "--facts", str(store), *arguments]) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="an account of Windows always has a home")
def test_an_account_without_a_home_runs_hooks_records_nothing_and_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    without_home(monkeypatch)
    assert main(["run", str(TEAM), *DENIED]) == 0
    assert "outcome: deny" in capsys.readouterr().out
    assert "this account has no home to keep facts in" in caplog.text
    assert main(["audit"]) == 2
    assert "name a place for them with --facts" in capsys.readouterr().err


def test_a_run_is_in_the_users_own_store_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["audit"]) == 0
    assert "nothing was recorded" in capsys.readouterr().err
    assert main(["run", str(TEAM), *DENIED, "--no-facts"]) == 0
    assert list(tmp_path.iterdir()) == []
    assert main(["run", str(TEAM), *DENIED]) == 0
    capsys.readouterr()
    assert main(["audit"]) == 0
    assert "claude PreToolUse  deny" in capsys.readouterr().out
    store = default_store()
    assert store is not None
    assert store.is_relative_to(tmp_path)


def test_a_run_is_a_pair_of_facts_with_one_id(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_team(store)
    started, completed = audited(capsys, store)
    assert (started["type"], completed["type"]) == ("hook.started", "hook.completed")
    assert started["id"] == completed["id"]
    assert started["session_id"] == completed["session_id"] != ""
    assert completed["duration_ms"] > 0
    assert completed["decision"] == "deny"
    assert started["ts"] < completed["ts"]


def test_the_reply_names_the_facts_of_each_run(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_team(store, "--format", "json")
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert {fact["id"] for fact in audited(capsys, store)} == {run["fact"]}


def test_one_run_is_shown_with_its_evidence(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_team(store)
    (id_,) = {fact["id"] for fact in audited(capsys, store)}
    assert main(["audit", "--facts", str(store), id_[:20], "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert errors("facts", document) == []
    named = {fact["input_ref"] for fact in document["facts"] if "input_ref" in fact}
    assert named < {one["ref"] for one in document["evidence"]}
    assert main(["audit", "--facts", str(store), id_]) == 0
    assert '"file_path":"a"' in capsys.readouterr().out
    assert main(["audit", "--facts", str(store), "nobody"]) == 2
    assert "no run has the id 'nobody'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "count"),
    [
        (["--vendor", "claude"], 2),
        (["--vendor", "codex"], 0),
        (["--decision", "deny"], 2),
        (["--decision", "allow"], 0),
        (["--type", "hook.completed"], 1),
        (["--type", "policy.changed"], 0),
        (["--since", "1h"], 2),
        (["--since", "2099-01-01"], 0),
        (["--failed", "open"], 0),
        (["--event", "PreToolUse", "--limit", "1"], 2),
        (["--session", "nobody"], 0),
    ],
)
def test_filters_select(store: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], count: int) -> None:
    run_team(store)
    assert len(audited(capsys, store, *arguments)) == count


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--type", "hook.complete"], "Did you mean 'hook.completed'?"),
        (["--since", "yesterday"], "--since takes 90s, 15m, 2h, 7d or a date"),
        (["--follow", "--format", "json"], "use --format jsonl"),
        (["--facts", "nowhere.db"], "'nowhere.db' is no store"),
    ],
)
def test_a_wrong_argument_is_a_usage_error(
    store: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    run_team(store)
    assert main(["audit", "--facts", str(store), *arguments]) == 2
    assert says in capsys.readouterr().err


def test_what_is_no_store_is_said_to_be_none(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store.write_text("no database " * 100)
    assert main(["audit", "--facts", str(store)]) == 2
    assert "cannot be read as a store of facts" in capsys.readouterr().err


def test_the_policy_strict_is_a_change_of_the_policy(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_team(store, "--policy", "strict")
    (changed,) = audited(capsys, store, "--type", "policy.changed")
    assert (changed["before"], changed["after"], changed["source"]) == ("vendor", "strict", "option")
    assert main(["audit", "--facts", str(store)]) == 0
    assert "policy vendor -> strict (option)" in capsys.readouterr().out


def test_durations_are_a_table_in_which_slow_hooks_stand_out(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sink = JournalSink(store, print)
    for record in (*run_of(1, handler="slow", duration_us=1_000_000), *run_of(2, handler="quick")):
        sink.write(record)
    sink.close()
    assert main(["audit", "--facts", str(store), "--durations", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert errors("durations", document) == []
    assert [one["slow"] for one in document["durations"]] == [True, False]
    assert main(["audit", "--facts", str(store), "--durations"]) == 0
    assert capsys.readouterr().out.splitlines()[1].endswith("slow")


def test_text_shows_the_newest_and_says_how_to_see_all(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(3):
        run_team(store)
    capsys.readouterr()
    assert main(["audit", "--facts", str(store), "--limit", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[2:] == ["the newest 2; --limit 0 shows all"]


def test_a_file_of_json_lines_takes_the_place_of_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_team(tmp_path / "facts.jsonl")
    started, completed = audited(capsys, tmp_path / "facts.jsonl")
    assert [json.loads(line) for line in (tmp_path / "facts.jsonl").read_text().splitlines()] == [started, completed]


def test_what_a_killed_server_answered_is_there_and_what_it_did_not_end_is_interrupted(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for pipe in ("started", "end"):
        os.mkfifo(tmp_path / pipe)
    quick, stays = command("cat >/dev/null"), command("echo > started; exec cat end")
    groups = [{"matcher": tool, "hooks": [one]} for tool, one in (("Bash", quick), ("Read", stays))]
    root = project(tmp_path, {".claude/settings.json": {"hooks": {"PreToolUse": groups}}})
    answered: set[str] = set()
    for number in range(3):
        with listening(root, "--facts", str(store)) as server:
            server.send(*(fired("PreToolUse", "Bash", id=index) for index in range(100)))
            answered |= {server.reply()["runs"][0]["fact"] for _ in range(20 * (number + 1))}
            server.send(fired("PreToolUse", "Read", id="stays"))
            (tmp_path / "started").read_text()
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            (tmp_path / "end").write_text("")  # nobody else ends the hook now
    facts = audited(capsys, store)
    completed = {fact["id"] for fact in facts if fact["type"] == "hook.completed"}
    assert answered <= completed
    unended = [fact for fact in facts if fact["type"] == "hook.started" and fact["id"] not in completed]
    assert len(unended) >= 3
    assert {fact["status"] for fact in unended} == {"interrupted"}
    with closing(sqlite3.connect(store)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_four_servers_write_one_store_at_a_time(store: Path, guarded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command_line = [sys.executable, "-m", "dsh_compat_adapter", "listen", "--root", str(guarded), "--facts", str(store)]
    dispatch = json.dumps(fired("PreToolUse", "Bash")) + "\n"
    servers = [
        subprocess.Popen(
            [*command_line, "--home", "/nonexistent"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        for _ in range(4)
    ]
    for server in servers:
        assert server.stdin is not None
        server.stdin.write(dispatch * 50)
        server.stdin.close()
        server.stdin = None
    said = [server.communicate() for server in servers]
    ids = {json.loads(line)["runs"][0]["fact"] for out, _ in said for line in out.splitlines()}
    assert [err for _, err in said if err] == []
    assert ids == {fact["id"] for fact in audited(capsys, store, "--type", "hook.completed")}
    assert len(ids) == 200
    assert list(journals_of(store).iterdir()) == []


def test_no_credential_is_in_the_store_the_logs_or_what_audit_prints(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    secrets = "\n".join(text for text, _ in CREDENTIALS.values())
    script = "cat > seen; cat secrets; cat secrets >&2"
    root = project(
        tmp_path / "p", {".claude/settings.json": grouped("PreToolUse", command(script)), "secrets": secrets}
    )
    with listening(root, "--facts", str(store)) as server:
        reply = server.dispatch("PreToolUse", payload={"tool_name": "Bash", "tool_input": {"command": secrets}})
        server.end()
        assert server.process.stderr is not None
        logged = server.process.stderr.read().decode()
    assert json.loads((root / "seen").read_text())["tool_input"] == {"command": secrets}
    started, completed = audited(capsys, store)
    assert (started["redactions"], completed["redactions"]) == (len(CREDENTIALS), 2 * len(CREDENTIALS))
    printed = ""
    for arguments in ([], [reply["runs"][0]["fact"]], [reply["runs"][0]["fact"], "--format", "json"]):
        assert main(["audit", "--facts", str(store), *arguments]) == 0
        printed += capsys.readouterr().out
    kept = b"".join(
        path.read_bytes() for path in tmp_path.iterdir() if path.name.startswith(store.name) and path.is_file()
    )
    for place in (logged, printed, kept.decode("utf-8", "replace")):
        assert [kind for kind, (_, secret) in CREDENTIALS.items() if secret in place] == []


@pytest.mark.parametrize("name", ["facts.db", "facts.jsonl"])
def test_who_follows_sees_a_run_that_comes_later(tmp_path: Path, guarded: Path, name: str) -> None:
    store = tmp_path / name
    run_team(store)
    command_line = [sys.executable, "-m", "dsh_compat_adapter", "audit", "--facts", str(store), "--follow"]
    with subprocess.Popen(
        [*command_line, "--format", "jsonl"], stdout=subprocess.PIPE, text=True, env=environment(PYTHONUNBUFFERED="1")
    ) as follower:
        assert follower.stdout is not None
        assert [json.loads(follower.stdout.readline())["type"] for _ in range(2)] == ["hook.started", "hook.completed"]
        with listening(guarded, "--facts", str(store)) as server:
            reply = server.dispatch("PreToolUse", "Bash")
            seen = [json.loads(follower.stdout.readline()) for _ in range(2)]
        assert {fact["id"] for fact in seen} == {reply["runs"][0]["fact"]}
        follower.send_signal(signal.SIGINT)
        assert follower.wait() == 0
