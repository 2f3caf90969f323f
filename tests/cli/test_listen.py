"""`dsh-compat listen`: real processes, driven as a host drives them."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from jsonschema import Draft202012Validator

from tests.checkout import PACKAGE, ROOT
from tests.clock import PATIENCE_S
from tests.listening import (
    Request,
    alive,
    argv,
    environment,
    fired,
    listening,
    told,
)
from tests.mounting import adds_context, denies
from tests.projects import command, fifo, grouped, project

pytestmark = pytest.mark.timeout(60)

REPLY = Draft202012Validator(json.loads((PACKAGE / "schemas/reply.json").read_text("utf-8")))
PING: Request = {"op": "ping"}
PONG: Request = {"ok": True, "pong": True}
NOTHING = {"decision": "none", "reason": None, "stop": False}
MEGABYTE = 1024 * 1024


def before(*commands: str, **group: object) -> dict[str, Any]:
    """Settings with commands before each tool call."""
    return grouped("PreToolUse", *map(command, commands), **group)


def claude(root: Path, settings: object) -> Path:
    return project(root, {".claude/settings.json": settings})


def said(root: Path, data: bytes, *arguments: str | Path, **variables: str) -> list[Any]:
    """The replies to an input that ends; everything must be right about the end."""
    done = subprocess.run(
        argv(root, *arguments), input=data, env=environment(**variables), capture_output=True, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (0, "")
    replies = [json.loads(line) for line in done.stdout.splitlines()]
    for reply in replies:
        REPLY.validate(reply)
    return replies


def lines(*requests: Request) -> bytes:
    return b"".join(json.dumps(request).encode() + b"\n" for request in requests)


# -- the protocol of seed 000


def test_the_line_that_must_be_shown(tmp_path: Path) -> None:
    """Issue 3."""
    shell = shlex.join(argv(Path("examples/team")))
    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            """printf '%s\\n' '{"op":"ping"}' '{"op":"dispatch","event":"PreToolUse","payload":{"tool_name":"Bash","tool_input":{}}}' '{"op":"bye"}' | """
            + shell,
        ],
        cwd=ROOT,
        env=environment(TMPDIR=str(tmp_path)),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert b"[invalid-handler]" in done.stderr  # the example has a handler that is refused, on purpose
    pong, dispatched, bye = done.stdout.splitlines()
    assert (pong, bye) == (b'{"ok":true,"pong":true}', b'{"ok":true}')
    reply = json.loads(dispatched)
    assert list(reply) == ["ok", "canonical", "outcome", "runs"]
    assert (reply["ok"], reply["canonical"], reply["outcome"]) == (True, "tool:before", NOTHING)
    assert [run["hook"]["vendor"] for run in reply["runs"]] == ["claude", "codex", "copilot", "workbuddy"]
    assert [list(run) for run in reply["runs"]] == [["hook", "outcome", "durationMs", "fact"]] * 4


def test_each_operation_is_answered_as_the_seed_says(tmp_path: Path) -> None:
    with listening(claude(tmp_path, before(denies("no"), matcher="Bash"))) as server:
        assert server.ask(op="ping") == PONG
        reply = server.ask(op="dispatch", event="PreToolUse", payload={"tool_input": {}}, subject="Bash", cwd="/w")
        assert (reply["ok"], reply["canonical"]) == (True, "tool:before")
        assert (reply["outcome"]["decision"], reply["outcome"]["reason"]) == ("deny", "no")
        assert len(reply["runs"]) == 1
        assert server.ask(op="reload") == {"ok": True, "diagnostics": []}
        refusal = server.ask(op="nothing")
        assert (refusal["ok"], list(refusal)) == (False, ["ok", "error"])
        assert server.ask(op="bye") == {"ok": True}
        assert server.process.wait(PATIENCE_S) == 0


def test_a_ping_is_answered_although_the_project_cannot_be_read(tmp_path: Path) -> None:
    with listening(tmp_path / "nowhere") as server:
        assert server.ask(op="ping") == PONG
        refusal = server.dispatch("PreToolUse")
        assert (refusal["ok"], refusal["code"]) == (False, "INVALID_INPUT")
        assert "is no folder; give the folder of a project" in refusal["error"]
        (tmp_path / "nowhere").mkdir()
        assert server.dispatch("PreToolUse")["outcome"] == NOTHING


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"hello", "no JSON"),
        (b'{"op":"ping","x":"\xff"}', "no JSON"),
        (b"[]", "a request is an object, found list"),
        (b'{"op":"dispatch"}', "event must be a name"),
        (b'{"op":"dispatch","event":"Stopp"}', "Did you mean 'Stop'?"),
        (b'{"op":"dispatch","event":"Stop","payload":[]}', "payload must be an object"),
        (b'{"op":"dispatch","event":"Stop","vendor":"x"}', "unknown vendor"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_bad_line_gets_an_error_and_the_next_one_is_served(tmp_path: Path, line: bytes, says: str) -> None:
    refusal, pong = said(tmp_path, line + b'\n\n{"op":"ping"}\n')
    assert refusal["ok"] is False
    assert says in refusal["error"]
    assert pong == PONG


def test_a_payload_of_five_megabytes_reaches_the_hook_whole(tmp_path: Path) -> None:
    text = "é" * 2_500_000
    request = fired("PreToolUse", payload={"tool_name": "Bash", "tool_input": {"command": text}}, id=1)
    (reply,) = said(claude(tmp_path, before("cat > told")), json.dumps(request, ensure_ascii=False).encode() + b"\n")
    assert reply["outcome"] == NOTHING
    assert json.loads((tmp_path / "told").read_bytes())["tool_input"] == {"command": text}


# the deepest that comes in cannot always go out again, so each depth around the border is tried
@pytest.mark.parametrize("depth", [*range(940, 1010, 6), 5000])
def test_a_payload_of_any_depth_is_answered_and_the_next_request_too(tmp_path: Path, depth: int) -> None:
    deep = b"[" * depth + b"]" * depth
    line = b'{"op":"dispatch","id":1,"event":"PreToolUse","payload":{"tool_name":"Bash","tool_input":%s}}\n' % deep
    replies = said(claude(tmp_path, before("cat > told")), line + b'{"op":"ping"}\n')
    assert len(replies) == 2
    assert PONG in replies
    other = next(reply for reply in replies if reply != PONG)
    assert other["ok"] is (tmp_path / "told").exists()


# -- identity, order, cancelling


def test_two_requests_with_ids_can_wait_for_each_other(tmp_path: Path) -> None:
    fifo(tmp_path / "first")
    fifo(tmp_path / "second")
    groups = [
        {"matcher": "Bash", "hooks": [command("echo 1 > first; cat second")]},
        {"matcher": "Read", "hooks": [command("cat first; echo 2 > second")]},
    ]
    with listening(claude(tmp_path, {"hooks": {"PreToolUse": groups}})) as server:
        server.send(fired("PreToolUse", "Bash", id="b"), fired("PreToolUse", "Read", id="r"))
        replies = [server.reply(), server.reply()]
        assert sorted(reply["id"] for reply in replies) == ["b", "r"]
        assert all(len(reply["runs"]) == 1 for reply in replies)


def test_requests_without_ids_and_the_hooks_of_one_event_run_in_order(tmp_path: Path) -> None:
    hooks = [command(f"echo begin {name} >> log; sleep 0.05; echo end {name} >> log") for name in ("a", "b")]
    request = fired("PreToolUse", "Bash")
    said(claude(tmp_path, grouped("PreToolUse", *hooks)), lines(request, request))
    steps = [f"{what} {name}" for name in ("a", "b") for what in ("begin", "end")]
    assert (tmp_path / "log").read_text().splitlines() == steps * 2


# each writes the pids of its processes into the FIFO `pids`, whole and at once
TREES = {
    "a plain child": "echo $$ > pids; exec sleep 300",
    "a child in a session of its own": "setsid sh -c 'exec sleep 300' & echo $$ $! > pids; wait",
    "a child that ignores TERM": "trap '' TERM; sh -c 'trap \"\" TERM; while :; do sleep 0.05; done' & echo $$ $! > pids; while :; do sleep 0.05; done",
    "a child that holds stdout": "sh -c 'trap \"\" HUP; exec sleep 300' & echo $$ $! > pids; exec 1>&- 2>&-; wait",
}


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_after_the_reply_to_a_time_out_no_process_of_the_hook_exists(tmp_path: Path, tree: str) -> None:
    fifo(tmp_path / "pids")
    settings = grouped("PreToolUse", command(tree, timeout=5))
    with listening(claude(tmp_path, settings)) as server:
        server.send(fired("PreToolUse", "Bash"))
        pids = told(tmp_path / "pids")
        reply = server.reply()
        assert alive(pids) == []
        assert [problem["code"] for problem in reply["outcome"]["problems"]] == ["hook-timeout"]
        assert reply["outcome"]["decision"] == "none"
        assert server.end() == 0


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_a_cancelled_request_and_its_cancellation_are_answered_when_the_hook_is_dead(tmp_path: Path, tree: str) -> None:
    fifo(tmp_path / "pids")
    with listening(claude(tmp_path, before(tree))) as server:
        server.send(fired("PreToolUse", "Bash", id=1))
        pids = told(tmp_path / "pids")
        server.send({"op": "cancel", "target": 1, "id": 2})
        assert server.reply() == {"ok": False, "error": "cancelled", "id": 1}
        assert alive(pids) == []
        assert server.reply() == {"ok": True, "cancelled": True, "id": 2}
        assert server.ask(op="cancel", target=1) == {"ok": True, "cancelled": False}


# -- the end


def test_what_runs_at_the_end_of_stdin_is_still_answered(tmp_path: Path) -> None:
    """`echo … | dsh-compat listen` works."""
    groups = [
        {"matcher": tool, "hooks": [command(f"cat {fifo(tmp_path / tool)}"), command(denies("late"))]}
        for tool in ("Bash", "Read")
    ]
    with listening(claude(tmp_path, {"hooks": {"PreToolUse": groups}})) as server:
        server.send(fired("PreToolUse", "Bash"), fired("PreToolUse", "Read", id=1), PING)
        assert server.process.stdin is not None
        server.process.stdin.close()
        for tool in ("Bash", "Read"):
            (tmp_path / tool).write_text("go")
        replies = [server.reply() for _ in range(3)]
        assert [reply.get("outcome", {}).get("decision") for reply in replies].count("deny") == 2
        assert server.process.wait(PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)],
    ids=lambda value: value.name if isinstance(value, signal.Signals) else "",
)
@pytest.mark.parametrize("tree", [TREES["a child in a session of its own"], TREES["a child that ignores TERM"]], ids=["setsid", "ignores TERM"])  # fmt: skip
def test_a_signal_ends_the_server_and_every_hook(tmp_path: Path, number: signal.Signals, code: int, tree: str) -> None:
    fifo(tmp_path / "pids")
    with listening(claude(tmp_path, before(tree))) as server:
        server.send(fired("PreToolUse", "Bash", id=1), fired("PreToolUse", "Bash"))
        pids = told(tmp_path / "pids", 4)
        server.process.send_signal(number)
        assert server.process.wait(PATIENCE_S) == code
        assert alive(pids) == []


@pytest.mark.parametrize("at_end", [False, True], ids=["while stdin is open", "after the end of stdin"])
def test_when_the_reader_has_left_the_server_ends_and_every_hook(tmp_path: Path, *, at_end: bool) -> None:
    fifo(tmp_path / "pids")
    with listening(claude(tmp_path, before(TREES["a child that ignores TERM"]))) as server:
        server.send(fired("PreToolUse", "Bash", id=1), fired("PreToolUse", "Bash"))
        pids = told(tmp_path / "pids", 4)
        if at_end:
            assert server.process.stdin is not None
            server.process.stdin.close()
        server.leave()
        assert server.process.wait(PATIENCE_S) == 0
        assert alive(pids) == []
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""


def test_a_server_that_waits_is_ended_by_a_signal(tmp_path: Path) -> None:
    with listening(tmp_path) as server:
        assert server.ask(op="ping") == PONG
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE_S) == 143


def test_a_background_child_of_a_hook_holds_up_neither_the_end_nor_the_reader(tmp_path: Path) -> None:
    fifo(tmp_path / "pids")
    with listening(claude(tmp_path, before("sleep 300 & echo $! > pids"))) as server:
        server.send(fired("PreToolUse", "Bash"))
        pids = told(tmp_path / "pids")
        assert server.reply()["ok"]
        assert server.end() == 0
        assert server.process.stdout is not None
        assert server.process.stdout.read() == b""
        assert alive(pids) == pids


# -- the streams


def test_what_anything_prints_goes_to_stderr(tmp_path: Path) -> None:
    """Another library that prints must not break the protocol."""
    project(tmp_path, {"site/sitecustomize.py": "import atexit\natexit.register(print, 'talk')\n"})
    paths = os.pathsep.join([str(tmp_path / "site"), str(PACKAGE.parent)])
    done = subprocess.run(
        argv(tmp_path),
        input=b'{"op":"ping"}\n',
        env=environment(PYTHONPATH=paths),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b'{"ok":true,"pong":true}\n', b"talk\n")


def test_a_client_that_leaves_stderr_unread_holds_up_nothing(tmp_path: Path) -> None:
    """Every broken entry is named there, which is more than a pipe holds."""
    claude(tmp_path, grouped("Stop", *[{"type": "x" * 50}] * 2000, command(denies("still here"))))
    with listening(tmp_path) as server:
        assert len(server.dispatch("Stop")["runs"]) == 1
        assert len(server.ask(op="reload")["diagnostics"]) == 2000
        assert server.end() == 0
        assert server.process.stderr is not None
        assert server.process.stderr.readline().startswith(b"dsh-compat: ")


def test_a_broken_file_is_named_on_stderr(tmp_path: Path) -> None:
    claude(tmp_path, {"hooks": []})
    done = subprocess.run(
        argv(tmp_path), input=lines(fired("Stop")), env=environment(), capture_output=True, check=False
    )
    assert done.returncode == 0
    assert done.stderr.decode().startswith(f"dsh-compat: {tmp_path}/.claude/settings.json:1:")


def test_a_hook_has_three_descriptors_and_none_of_the_servers(tmp_path: Path) -> None:
    said(claude(tmp_path, before("exec ls /proc/self/fd > fds")), lines(fired("PreToolUse")))
    assert (tmp_path / "fds").read_text().split() == ["0", "1", "2", "3"]  # the last is the folder that is listed


def test_stdin_and_stdout_may_be_files(tmp_path: Path) -> None:
    claude(tmp_path, before(denies("no")))
    (tmp_path / "in").write_bytes(lines(PING, fired("PreToolUse", "Bash"), fired("PreToolUse", "Bash", id=1)))
    with (tmp_path / "in").open("rb") as stdin, (tmp_path / "out").open("wb") as stdout:
        done = subprocess.run(argv(tmp_path), stdin=stdin, stdout=stdout, env=environment(), check=False)
    assert done.returncode == 0
    replies = [json.loads(line) for line in (tmp_path / "out").read_bytes().splitlines()]
    assert replies[0] == PONG
    assert [reply["outcome"]["decision"] for reply in replies[1:]] == ["deny", "deny"]


@pytest.mark.parametrize(
    ("redirections", "code", "stdout", "stderr"),
    [
        ("2>&-", 0, b'{"ok":true,"pong":true}\n', b""),
        ("</dev/null", 0, b"", b""),
        ("<&-", 2, b"", b"dsh-compat: listen needs an open stdin and stdout [INVALID_INPUT]\n"),
        (">&-", 2, b"", b"dsh-compat: listen needs an open stdin and stdout [INVALID_INPUT]\n"),
        (
            ">/dev/full",
            2,
            b"",
            b"dsh-compat: stdout cannot be written: [Errno 28] No space left on device [INVALID_INPUT]\n",
        ),
    ],
)
def test_streams_that_are_closed_or_full_are_said(
    tmp_path: Path, redirections: str, code: int, stdout: bytes, stderr: bytes
) -> None:
    text = f"""printf '%s\\n' '{{"op":"ping"}}' | {{ exec {shlex.join(argv(tmp_path))} {redirections}; }}"""
    done = subprocess.run(["/bin/sh", "-c", text], env=environment(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (code, stdout, stderr)


def test_one_socket_may_be_stdin_and_stdout(tmp_path: Path) -> None:
    """As inetd, socat and ssh start a program."""
    ours, theirs = socket.socketpair()
    with ours, ours.makefile("rb") as replies:
        with theirs:
            end = theirs.fileno()
            process = subprocess.Popen(argv(tmp_path), stdin=end, stdout=end, env=environment())
        for number in range(3):
            ours.sendall(lines({"op": "ping", "id": number}))
            assert json.loads(replies.readline()) == {**PONG, "id": number}
        ours.shutdown(socket.SHUT_WR)
        assert process.wait(PATIENCE_S) == 0


def test_a_slow_reader_gets_every_reply_in_order(tmp_path: Path) -> None:
    settings = grouped("SessionStart", command(adds_context("x" * 9000, "SessionStart")))
    with listening(claude(tmp_path, settings)) as server:
        both: list[Request] = [fired("SessionStart", payload={"source": "startup"}), {"op": "pong"}]
        server.send(*both * 30)
        assert server.process.stdin is not None
        server.process.stdin.close()
        # nothing is read before the last hook has run, for which there is room in the server and none in the pipe
        replies = [server.reply() for _ in range(60)]
        assert [reply["ok"] for reply in replies] == [True, False] * 30
        assert {len(reply["outcome"]["additionalContext"][0]) for reply in replies[::2]} == {9000}
        assert server.process.wait(PATIENCE_S) == 0


def test_three_hundred_requests_leave_no_descriptor_and_no_process(tmp_path: Path) -> None:
    groups = [
        {"matcher": "Bash", "hooks": [command("exit 2")]},
        {"matcher": "Read", "hooks": [command("exec 0<&-; kill -9 $$")]},
        {"matcher": "Write", "hooks": [command("cat")]},
        {"matcher": "Edit", "hooks": [command("exec sleep 300", timeout=0.05)]},
    ]
    with listening(claude(tmp_path, {"hooks": {"PreToolUse": groups}})) as server:
        for tool in ("Bash", "Edit"):
            server.dispatch("PreToolUse", tool)
        process = psutil.Process(server.pid)
        descriptors = process.num_fds()
        for _ in range(3):
            tools = ["Bash", "Read", "Write"] * 33 + ["Edit"]
            server.send(*[fired("PreToolUse", tool, id=number) for number, tool in enumerate(tools)])
            replies = [server.reply() for _ in tools]
            assert sorted(reply["id"] for reply in replies) == list(range(100))
            assert all(len(reply["runs"]) == 1 for reply in replies)
        assert process.num_fds() == descriptors
        assert process.children(recursive=True) == []
        assert server.end() == 0


# -- reload, and what counts


def test_a_reload_picks_up_a_changed_file_and_says_what_is_wrong_with_a_broken_one(tmp_path: Path) -> None:
    settings = tmp_path / ".claude/settings.json"
    with listening(claude(tmp_path, before(denies("one")))) as server:
        assert server.dispatch("PreToolUse", "Bash")["outcome"]["reason"] == "one"
        settings.write_text(json.dumps(before(denies("two"))))
        assert server.dispatch("PreToolUse", "Bash")["outcome"]["reason"] == "one"
        assert server.ask(op="reload") == {"ok": True, "diagnostics": []}
        assert server.dispatch("PreToolUse", "Bash")["outcome"]["reason"] == "two"
        settings.write_text('{"hooks": ')
        (diagnostic,) = server.ask(op="reload")["diagnostics"]
        assert (diagnostic["code"], diagnostic["file"], diagnostic["line"]) == ("invalid-file", str(settings), 1)
        assert server.dispatch("PreToolUse", "Bash")["outcome"] == NOTHING
        settings.write_text(json.dumps(before(denies("three"))))
        assert server.ask(op="reload", id=1) == {"ok": True, "diagnostics": [], "id": 1}
        assert server.dispatch("PreToolUse", "Bash")["outcome"]["reason"] == "three"
        assert server.end() == 0


def test_what_runs_during_a_reload_is_answered_as_it_began(tmp_path: Path) -> None:
    fifo(tmp_path / "go")
    fifo(tmp_path / "begun")
    with listening(claude(tmp_path, before("echo 1 > begun; cat go >&2; exit 2"))) as server:
        server.send(fired("PreToolUse", "Bash", id=1))
        told(tmp_path / "begun")
        (tmp_path / ".claude/settings.json").write_text("{}")
        assert server.ask(op="reload", id=2) == {"ok": True, "diagnostics": [], "id": 2}
        (tmp_path / "go").write_text("old")
        reply = server.reply()
        assert (reply["id"], reply["outcome"]["reason"]) == (1, "old")


def test_files_of_the_user_come_from_the_home_that_is_named_and_count_first(tmp_path: Path) -> None:
    home = project(tmp_path / "home", {".claude/settings.json": before(denies("user"))})
    root = claude(tmp_path / "root", before(denies("project")))
    request = fired("PreToolUse", "Bash")
    assert [run["outcome"]["reason"] for run in said(root, lines(request))[0]["runs"]] == ["project"]
    runs = said(root, lines(request), "--home", home)[0]["runs"]
    assert [run["outcome"]["reason"] for run in runs] == ["user", "project"]


def test_without_a_home_the_users_own_counts(tmp_path: Path) -> None:
    home = project(tmp_path / "home", {".claude/settings.json": before(denies("user"))})
    (tmp_path / "root").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "dsh_compat_adapter", "listen"],
        cwd=tmp_path / "root",
        input=lines(fired("PreToolUse", "Bash")),
        env=environment(HOME=str(home)),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["outcome"]["reason"] == "user"


def test_a_named_file_counts_instead_of_those_that_would_be_found(tmp_path: Path) -> None:
    root = claude(tmp_path / "root", before(denies("found")))
    native = {"version": 1, "events": {"tool:before": [{"command": "echo named >&2; exit 2"}]}}
    config = project(tmp_path / "else", {".dsh-hooks.json": native}) / ".dsh-hooks.json"
    home = claude(tmp_path / "home", before(denies("user")))
    (reply,) = said(root, lines(fired("PreToolUse", "Bash")), "--config", config, "--home", home)
    assert [(run["hook"]["vendor"], run["outcome"]["reason"]) for run in reply["runs"]] == [("native", "named")]


def test_whose_a_named_file_is_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "any.json").write_text(json.dumps(before("cat > told; exit 2")))
    request = lines(fired("PreToolUse", "Bash"))
    (refusal,) = said(tmp_path, request, "--config", tmp_path / "any.json")
    assert "Say it with --vendor" in refusal["error"]
    (reply,) = said(tmp_path, request, "--config", tmp_path / "any.json", "--vendor", "codex")
    assert [run["hook"]["vendor"] for run in reply["runs"]] == ["codex"]


def test_a_named_file_that_is_not_there_is_an_error_of_each_request_until_it_is(tmp_path: Path) -> None:
    with listening(tmp_path, "--config", tmp_path / ".dsh-hooks.json") as server:
        assert server.dispatch("PreToolUse")["code"] == "INVALID_FILE"
        assert server.ask(op="reload")["code"] == "INVALID_FILE"
        assert server.ask(op="ping") == PONG
        project(tmp_path, {".dsh-hooks.json": {"version": 1, "events": {}}})
        assert server.ask(op="reload") == {"ok": True, "diagnostics": []}


FAILS = {
    "a command that is not found": command("/nonexistent/guard"),
    "a time-out": command("exec sleep 300", timeout=0.1),
    "an answer that is void": command("echo '{'"),
}


@pytest.mark.parametrize("handler", FAILS.values(), ids=FAILS)
def test_a_guard_that_fails_lets_the_call_go_on_with_a_warning_and_refuses_it_under_the_strict_policy(
    tmp_path: Path, handler: dict[str, object]
) -> None:
    claude(tmp_path, grouped("PreToolUse", handler))
    request = lines(fired("PreToolUse", "Bash"))
    (usual,) = said(tmp_path, request)
    assert usual["outcome"]["decision"] == "none"
    assert usual["outcome"]["problems"]
    (strict,) = said(tmp_path, request, "--policy", "strict")
    assert strict["outcome"]["decision"] == "deny"
    assert "a hook failed" in strict["outcome"]["reason"]


def test_the_bridged_events_can_go_the_native_way(tmp_path: Path) -> None:
    """The native way tells a stop that it comes from a block; the official bridge never does."""
    claude(tmp_path, grouped("Stop", command("cat >> told; echo >> told; exit 2")))
    stop = fired("Stop", payload={"session_id": "s"})

    def flags(*arguments: str) -> list[bool]:
        (tmp_path / "told").write_text("")
        said(tmp_path, lines(stop, stop), *arguments)
        texts = filter(None, (tmp_path / "told").read_text().splitlines())
        return [json.loads(text)["stop_hook_active"] for text in texts]

    assert flags() == [False, False]
    assert flags("--bridge", "native") == [False, True]


def test_a_stop_that_was_blocked_before_a_reload_still_counts(tmp_path: Path) -> None:
    claude(tmp_path, grouped("Stop", command("cat > told; exit 2")))
    stop = fired("Stop", payload={"session_id": "s"})
    said(tmp_path, lines(stop, {"op": "reload"}, stop), "--bridge", "native")
    assert json.loads((tmp_path / "told").read_text())["stop_hook_active"] is True


# -- handlers of the native form, end to end


def native(root: Path, *handlers: dict[str, object]) -> Path:
    return project(root, {".dsh-hooks.json": {"version": 1, "events": {"tool:before": list(handlers)}}})


def test_the_runner_of_a_proxy_gets_the_payload_and_the_prompt(tmp_path: Path) -> None:
    runner = """cat > told; printf %s "$DSH_COMPAT_PROMPT" > prompt; printf '{"decision":"block","reason":"proxy"}'"""
    native(tmp_path, {"type": "proxy", "command": runner, "prompt": "judge $ARGUMENTS, 'quoted'"})
    (reply,) = said(tmp_path, lines(fired("PreToolUse", "Bash")))
    assert (reply["outcome"]["decision"], reply["outcome"]["reason"]) == ("deny", "proxy")
    assert json.loads((tmp_path / "told").read_text())["event"] == "tool:before"
    assert (tmp_path / "prompt").read_text() == "judge $ARGUMENTS, 'quoted'"


def mock_llm(server: Callable[[str], None]) -> None:
    """Run something with the address of a `dsh-compat mock-llm`."""
    command_line = [sys.executable, "-m", "dsh_compat_adapter", "mock-llm"]
    with subprocess.Popen(command_line, stdout=subprocess.PIPE, env=environment()) as model:
        try:
            assert model.stdout is not None
            server(json.loads(model.stdout.readline())["base_url"])
        finally:
            model.send_signal(signal.SIGINT)
        assert model.wait(PATIENCE_S) == 130


def test_an_oracle_asks_the_mock_model_and_its_key_is_never_shown(tmp_path: Path) -> None:
    def asks(base_url: str) -> None:
        oracle: dict[str, object] = {"type": "oracle", "baseUrl": base_url, "model": "mock", "keyVariable": "KEY"}
        denying = {**oracle, "matcher": "bash", "prompt": "DENY it: $ARGUMENTS"}
        native(tmp_path, denying, {**oracle, "matcher": "read", "prompt": "let it pass"})
        requests = lines(fired("PreToolUse", "Bash"), fired("PreToolUse", "Read"), {"op": "reload"})
        denied, passed, reloaded = said(tmp_path, requests, KEY="s3cret")
        assert (denied["outcome"]["decision"], denied["outcome"]["reason"]) == ("deny", "mock denied")
        assert passed["outcome"] == NOTHING
        assert "s3cret" not in json.dumps([denied, passed, reloaded])

    mock_llm(asks)
