"""What goes wrong in a real DSH: a process that is killed or never starts, odd paths, agents side by side, cancelled turns."""

import asyncio
import os
import shlex
import signal
from pathlib import Path

import psutil
import pytest

from tests.listening import alive, told
from tests.live.audit import audited
from tests.live.bundles import built, deny, hook, manifest, read
from tests.live.harness import VERSIONS, Harness, Reply, booted, scripted
from tests.live.profile import PROVOKE
from tests.live.verify import call, insert

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]

ODD = "wéird ' \" 中文 $(x) project"
NEW, OLD = VERSIONS
DONE: Reply = [{"text": "done"}]
# says its pid and that of a child with a session of its own, and stays, if the call is a slow one; denies otherwise
SLOW = """p=$(cat); case $p in *SLOW*) setsid sleep 300 & echo $$ $! >"$1"; sleep 300;; *) printf %s "$2";; esac"""


def slow(fifo: Path, reason: str) -> dict[str, object]:
    """A hook on every bash call that either stays or denies."""
    answer = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"%s"}}'
    handler = shlex.join(["sh", "-c", SLOW, "sh", str(fifo), answer % reason])
    return {"vendor": "claude", "event": "PreToolUse", "bridge": "native", "handler": handler}


def connectors(dsh: Harness) -> list[psutil.Process]:
    """The Python side of the bundle."""
    found = psutil.Process(dsh.pid).children(recursive=True)
    return [one for one in found if "dsh_compat_adapter" in " ".join(one.cmdline())]


async def killed(version: str, tmp_path: Path, policy: str) -> tuple[list[str], list[str], list[int]]:
    """Kill the Python side while a tool call waits for it: the results, stderr, and what is left of the hook."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    project = manifest(tmp_path / "project", [slow(fifo, "denied again")])
    patch = built(project, tmp_path / "bundle", version, "--add-shell", "--policy", policy)
    script = [call("bash", command=f"touch {tmp_path}/SLOW"), call("bash", command=f"touch {tmp_path}/next"), DONE]
    env = {"DSH_COMPAT_FACTS": str(tmp_path / "facts.db")}
    async with booted(version, tmp_path, patches=[patch], script=script, env=env) as dsh:
        running = asyncio.ensure_future(dsh.run("work"))
        pids = await asyncio.to_thread(told, fifo, 2)
        (child,) = connectors(dsh)
        child.send_signal(signal.SIGKILL)
        done = await running
        left = alive(pids)
    assert done.finish == "completed"
    return done.results(), dsh.stderr, left


@pytest.mark.parametrize("version", VERSIONS)
async def test_killed_under_strict_the_tool_does_not_run_and_the_model_reads_why(version: str, tmp_path: Path) -> None:
    results, stderr, left = await killed(version, tmp_path, "strict")
    assert not (tmp_path / "SLOW").exists()
    assert "a hook could not run: the hook process ended with SIGKILL" in results[0]
    assert results[1] == "Error: denied again"
    assert any("refused (policy strict)" in line for line in stderr)
    assert left == []


async def test_killed_under_vendor_the_tool_runs_and_the_failure_is_told(tmp_path: Path) -> None:
    results, stderr, left = await killed(NEW, tmp_path, "vendor")
    assert (tmp_path / "SLOW").exists()
    assert results[1] == "Error: denied again"
    assert any("tools/pre-execute: the hook process ended with SIGKILL; went on" in line for line in stderr)
    assert left == []
    # what was begun and never ended is a fact, beside that of the next call, which was denied
    facts = audited(tmp_path / "facts.db")["facts"]
    assert {(fact["type"], fact.get("status"), fact.get("decision")) for fact in facts} >= {
        ("hook.started", "interrupted", None),
        ("hook.completed", "completed", "deny"),
    }


@pytest.mark.parametrize(("policy", "ran"), [("strict", False), ("vendor", True)])
async def test_a_python_that_never_starts_is_decided_by_the_policy(policy: str, ran: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a table
    project = manifest(tmp_path / "project", [slow(tmp_path / "nothing", "x")])
    options = ("--add-shell", "--policy", policy, "--python", "false")
    patch = built(project, tmp_path / "bundle", NEW, *options)
    script = [call("bash", command=f"touch {tmp_path}/ran"), DONE]
    async with booted(NEW, tmp_path, patches=[patch], script=script) as dsh:
        done = await dsh.run("work")
    assert (tmp_path / "ran").exists() == ran
    # a hook before a tool can stop the turn at its next step, so under strict no step begins without the hooks
    assert done.finish == ("completed" if ran else "blocked")
    assert any("agent/pre-step" in line and "refused (policy strict)" in line for line in dsh.stderr) != ran
    assert any("exit code 1" in line for line in dsh.stderr)


@pytest.mark.parametrize("version", VERSIONS)
async def test_odd_paths_two_agents_at_once_and_a_turn_that_is_cancelled(version: str, tmp_path: Path) -> None:
    folder, fifo, log = tmp_path / ODD, tmp_path / "fifo", tmp_path / "log"
    os.mkfifo(fifo)
    script = scripted(
        [
            ("PROMPT left", [call("bash", command=f"touch {tmp_path}/left"), DONE]),
            ("PROMPT right", [call("bash", command=f"touch {tmp_path}/right"), DONE]),
            ("PROMPT slow", [call("bash", command="echo SLOW CANCELLED-IN-HOOK"), DONE]),
            ("PROMPT after", [call("bash", command=f"touch {tmp_path}/left again"), DONE]),
        ]
    )
    relative = {"vendor": "claude", "event": "PreToolUse", "bridge": "native", "handler": "sh './it'\\''s a hook.sh'"}
    stays = {**slow(fifo, "unused"), "handler": shlex.join(["sh", "-c", SLOW, "sh", str(fifo), ""])}
    project = manifest(folder / "project", [relative, stays])
    guarded = hook(log, deny("PreToolUse", "not left"), on="left")
    (project / "it's a hook.sh").write_text(guarded + "\n", encoding="utf-8")
    patch = built(project, folder / "bundle", version, "--add-shell")
    provoke = insert(folder / "provoke.yml", {"id": "provoke", "name": str(PROVOKE)})
    work = folder / "workspace"
    async with booted(version, folder, patches=[patch, provoke], script=script, workspace=work) as dsh:
        left, right = await asyncio.gather(dsh.run("PROMPT left", "one"), dsh.run("PROMPT right", "two"))
        cancelled = asyncio.ensure_future(dsh.run("PROMPT slow", "one"))
        pids = await asyncio.to_thread(told, fifo, 2)
        ended = await cancelled
        assert alive(pids) == []
        after = await dsh.run("PROMPT after", "one")
    assert left.results() == ["Error: not left"]
    assert not (tmp_path / "left").exists()
    assert (tmp_path / "right").exists()
    sessions = {one["tool_input"]["command"].rpartition("/")[2]: one["session_id"] for one in read(log)}
    assert (sessions["left"], sessions["right"]) == (left.session, right.session)
    assert ended.finish == "aborted"
    assert after.results() == ["Error: not left"]
    assert dsh.stderr == []
