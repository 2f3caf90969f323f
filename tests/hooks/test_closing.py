"""A shell that can be closed: it runs commands as the host's shell does, until it is closed."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from dsh_compat_adapter.hooks.closing import ClosingShell
from dsh_compat_adapter.hooks.process import Command, Finished, LocalShell
from tests.mounting import alive, heard


def command(text: str, folder: Path) -> Command:
    return Command(argv=("/bin/sh", "-c", text), stdin=b"", cwd=str(folder), env=dict(os.environ), timeout_s=60)


@pytest.fixture
def started(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "started")
    return tmp_path / "started"


async def test_a_command_ends_as_on_the_hosts_shell(tmp_path: Path) -> None:
    finished = await ClosingShell(LocalShell()).run(command("echo out; echo err >&2; exit 3", tmp_path))
    assert (finished.exit_code, finished.stdout, finished.stderr) == (3, b"out\n", b"err\n")


async def test_closing_kills_what_runs_and_it_ends_as_killed(tmp_path: Path, started: Path) -> None:
    shell = ClosingShell(LocalShell())
    running = asyncio.ensure_future(shell.run(command("echo $$ > started; sleep 30", tmp_path)))
    pid = await heard(started)
    await shell.aclose()
    assert not alive(pid)
    finished = await running
    assert (finished.signal, finished.exit_code, finished.spawn_error) == (signal.SIGTERM, None, None)


async def test_closing_kills_everything_that_runs(tmp_path: Path, started: Path) -> None:
    shell = ClosingShell(LocalShell())
    waiting = command("exec 3> started; echo $$ >&3; exec 3>&-; sleep 30", tmp_path)
    running, pids = [], []
    for _ in range(3):
        running.append(asyncio.ensure_future(shell.run(waiting)))
        pids.append(await heard(started))
    await shell.aclose()
    assert [alive(pid) for pid in pids] == [False] * 3
    assert {(await one).signal for one in running} == {signal.SIGTERM}


async def test_after_closing_nothing_is_started(tmp_path: Path) -> None:
    shell = ClosingShell(LocalShell())
    await shell.aclose()
    await shell.aclose()
    finished = await shell.run(command("touch ran", tmp_path))
    assert finished.spawn_error == "the adapter was disposed"
    assert not (tmp_path / "ran").exists()


async def test_the_cancellation_of_a_caller_stays_one(tmp_path: Path, started: Path) -> None:
    shell = ClosingShell(LocalShell())
    running = asyncio.ensure_future(shell.run(command("echo $$ > started; sleep 30", tmp_path)))
    pid = await heard(started)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not alive(pid)
    await shell.aclose()


async def test_what_the_hosts_shell_raises_passes(tmp_path: Path) -> None:
    class Broken:
        async def run(self, command: Command) -> Finished:
            raise ConnectionError(command.argv[-1])

    with pytest.raises(ConnectionError, match="true"):
        await ClosingShell(Broken()).run(command("true", tmp_path))
