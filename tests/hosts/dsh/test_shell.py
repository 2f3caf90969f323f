"""`hosts.dsh.shell`: commands on the shell of the harness, and what is left of them: nothing."""

import asyncio
import os
from pathlib import Path

import pytest

from dsh_compat_adapter.hooks.process import Command
from dsh_compat_adapter.hosts.dsh.shell import DshShell, kill_marked
from tests.clock import LIMIT_S, pass_limit
from tests.hosts.dsh.connector import connected
from tests.listening import alive, told

INHERITED = {"PATH": "/usr/bin:/bin", "TOKEN_OF_DSH": "secret"}


def command(script: str, *, stdin: bytes = b"", timeout_s: float = 60.0, **env: str) -> Command:
    given = {"PATH": "/usr/bin:/bin", **env}
    return Command(argv=("/bin/sh", "-c", script), stdin=stdin, cwd="/", env=given, timeout_s=timeout_s)


async def test_a_command_gets_its_stdin_its_folder_and_its_variables() -> None:
    _, calls = connected()
    finished = await DshShell(calls, INHERITED).run(command('cat; pwd; echo "$MINE"', stdin=b"in ", MINE="it's"))
    assert (finished.exit_code, finished.stdout) == (0, b"in /\nit's\n")


async def test_what_the_engine_has_taken_out_does_not_come_back_from_the_harness() -> None:
    _, calls = connected()
    finished = await DshShell(calls, INHERITED).run(command('echo "<${TOKEN_OF_DSH-unset}>"'))
    assert finished.stdout == b"<unset>\n"


async def test_exit_code_stderr_and_signal_are_told() -> None:
    _, calls = connected()
    shell = DshShell(calls, INHERITED)
    failed = await shell.run(command("echo why >&2; exit 2"))
    assert (failed.exit_code, failed.stderr) == (2, b"why\n")
    killed = await shell.run(command("kill -TERM $$"))
    assert (killed.exit_code, killed.signal) == (None, 15)


async def test_a_harness_that_refuses_is_a_command_that_did_not_start() -> None:
    connector, calls = connected()
    connector.refuses["shell"] = "the sandbox is closed"
    finished = await DshShell(calls, INHERITED).run(command("true"))
    assert finished.spawn_error == "the sandbox is closed"


STAYS = 'setsid sleep 300 & echo $$ $! >"$1"; sleep 300'


def staying(fifo: Path, timeout_s: float = 60.0) -> Command:
    os.mkfifo(fifo)
    argv = ("/bin/sh", "-c", STAYS, "sh", str(fifo))
    return Command(argv=argv, stdin=b"", cwd="/", env={"PATH": "/usr/bin:/bin"}, timeout_s=timeout_s)


async def test_a_cancelled_command_is_dead_with_its_grandchild_in_another_session(tmp_path: Path) -> None:
    _, calls = connected()
    running = asyncio.create_task(DshShell(calls, INHERITED).run(staying(tmp_path / "fifo")))
    pids = await asyncio.to_thread(told, tmp_path / "fifo", 2)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert alive(pids) == []


async def test_a_command_beyond_its_time_is_dead_too_and_says_so(tmp_path: Path) -> None:
    _, calls = connected()
    waiting = asyncio.create_task(DshShell(calls, INHERITED).run(staying(tmp_path / "fifo", timeout_s=LIMIT_S)))
    pids = await asyncio.to_thread(told, tmp_path / "fifo", 2)
    pass_limit()
    finished = await waiting
    assert (finished.timed_out, finished.exit_code) == (True, None)
    assert alive(pids) == []


async def test_what_a_dead_process_of_ours_has_left_is_found_by_its_marker(tmp_path: Path) -> None:
    connector, calls = connected()
    running = asyncio.create_task(DshShell(calls, INHERITED).run(staying(tmp_path / "fifo")))
    pids = await asyncio.to_thread(told, tmp_path / "fifo", 2)
    await kill_marked([str(connector.asked[0]["token"])])
    assert alive(pids) == []
    ended = await running
    assert 15 in (ended.signal, (ended.exit_code or 0) - 128)  # whichever of the shell and its child is found first


async def test_no_marker_kills_nobody() -> None:
    await kill_marked([])
