"""`hooks.process_windows`: the shell for Windows, with another way to end a tree, since taskkill is not everywhere.

What `test_process` asks of the other shell is asked of this one too, as far as Windows can do it.
"""

import asyncio
import os
import select
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from dsh_compat_adapter.hooks.process import OUTPUT_LIMIT, Command, Finished
from dsh_compat_adapter.hooks.process_windows import ThreadedShell, taskkill
from tests.clock import LIMIT_S, PATIENCE_S, pass_limit
from tests.listening import alive, told
from tests.projects import fifo

LARGE = b"x" * 5_000_000  # far more than a pipe holds


def end_tree(pid: int) -> None:
    """What `taskkill /T /F` does: the process and its descendants, at once; returns when they have ended."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        ends: list[int] = []
        for one in [*process.children(recursive=True), process]:
            with suppress(psutil.NoSuchProcess, ProcessLookupError):
                ends.append(os.pidfd_open(one.pid))
                one.kill()
        for end in ends:  # a signal takes a moment, and only the process itself is waited for by its parent
            select.select([end], [], [], PATIENCE_S)
            os.close(end)


def nothing(_: int) -> None:
    """A way to end a tree that fails."""


async def run(
    script: str,
    folder: Path,
    *,
    stdin: bytes = b"{}",
    timeout_s: float = PATIENCE_S,
    kill: Callable[[int], None] = end_tree,
) -> Finished:
    command = Command(
        argv=("/bin/sh", "-c", script),
        stdin=stdin,
        cwd=str(folder),
        env={"PATH": os.environ["PATH"], "GIVEN": "g"},
        timeout_s=timeout_s,
    )
    return await ThreadedShell(kill).run(command)


async def heard(pipe: Path, count: int = 1) -> list[int]:
    return await asyncio.to_thread(told, pipe, count)


@pytest.fixture
def pids(tmp_path: Path) -> Path:
    return fifo(tmp_path / "pids")


# -- ending


@pytest.mark.parametrize("code", [0, 1, 2, 127])
async def test_exit_code_and_both_streams_are_in_the_result(tmp_path: Path, code: int) -> None:
    finished = await run(f"printf out; printf err >&2; exit {code}", tmp_path)
    assert (finished.exit_code, finished.stdout, finished.stderr) == (code, b"out", b"err")
    assert (finished.timed_out, finished.truncated, finished.spawn_error) == (False, False, None)
    assert finished.duration_s > 0


async def test_a_command_runs_where_and_with_what_it_is_told(tmp_path: Path) -> None:
    finished = await run('pwd; printf "$GIVEN"; env | grep -c HOME', tmp_path)
    assert finished.stdout == f"{tmp_path}\ng0\n".encode()


async def test_a_payload_of_many_megabytes_arrives_whole_and_is_closed(tmp_path: Path) -> None:
    finished = await run("wc -c", tmp_path, stdin=LARGE)
    assert finished.stdout.split() == [str(len(LARGE)).encode()]


@pytest.mark.parametrize(
    "script",
    ["printf done; exit 4", "exec 0<&-; sleep 0.1; printf done; exit 4", "head -c 10 >/dev/null; printf done; exit 4"],
    ids=["never reads", "closes stdin", "reads a part"],
)
async def test_a_command_that_does_not_read_its_stdin_ends_as_it_wants(tmp_path: Path, script: str) -> None:
    """B34."""
    finished = await run(script, tmp_path, stdin=LARGE)
    assert (finished.exit_code, finished.stdout) == (4, b"done")


async def test_output_is_read_to_the_end_and_kept_up_to_the_bound(tmp_path: Path) -> None:
    finished = await run("head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2; exit 6", tmp_path)
    assert finished.exit_code == 6
    assert (len(finished.stdout), len(finished.stderr), finished.truncated) == (OUTPUT_LIMIT, OUTPUT_LIMIT, True)


@pytest.mark.parametrize(("size", "truncated"), [(OUTPUT_LIMIT, False), (OUTPUT_LIMIT + 1, True)])
async def test_the_bound_itself_is_not_over_the_bound(tmp_path: Path, size: int, *, truncated: bool) -> None:
    finished = await run(f"head -c {size} /dev/zero", tmp_path)
    assert (len(finished.stdout), finished.truncated) == (OUTPUT_LIMIT, truncated)


async def test_what_was_printed_right_before_the_exit_is_not_lost(tmp_path: Path) -> None:
    finished = await asyncio.gather(*(run("printf answer", tmp_path) for _ in range(20)))
    assert [one.stdout for one in finished] == [b"answer"] * 20


@pytest.mark.parametrize("child", ["sleep 300", "yes"], ids=["holds stdout", "writes for ever"])
async def test_a_command_is_answered_at_its_exit_although_a_child_holds_its_stdout(
    tmp_path: Path, pids: Path, child: str
) -> None:
    """DESIGN 7: answered at its exit; that child is not killed."""
    running = asyncio.ensure_future(run(f"printf said; {child} & echo $! > pids; exit 2", tmp_path))
    children = await heard(pids)
    finished = await running
    assert (finished.exit_code, finished.timed_out) == (2, False)
    assert finished.stdout.startswith(b"said")
    assert alive(children) == children


async def test_two_commands_can_wait_for_each_other_and_many_more_can(tmp_path: Path) -> None:
    """No pool of threads is in between, which as many hanging hooks would block."""
    names = [f"fifo{number}" for number in range(20)]
    for name in names:
        fifo(tmp_path / name)
    waiting = [asyncio.ensure_future(run(f"cat {name}", tmp_path)) for name in names]
    opening = [run(f"echo go > {name}", tmp_path) for name in reversed(names)]
    await asyncio.gather(*opening)
    assert [(await one).stdout for one in waiting] == [b"go\n"] * 20


@pytest.mark.parametrize(
    "broken",
    [
        {"cwd": "/nonexistent/folder"},
        {"argv": ("/nonexistent/program",)},
        {"argv": ("/etc/passwd",)},
        {"argv": ("/bin/sh", "-c", "true\0")},
        {"env": {"A": "a\0b"}},
    ],
    ids=["cwd", "program", "no exec bit", "NUL", "NUL in a variable"],
)
async def test_a_command_that_cannot_be_started_is_a_result(tmp_path: Path, broken: dict[str, object]) -> None:
    given: dict[str, object] = {"argv": ("/bin/sh", "-c", "true"), "stdin": b"", "cwd": str(tmp_path), "env": {}}
    command = Command(**{**given, "timeout_s": PATIENCE_S, **broken})  # type: ignore[arg-type] # a broken command
    finished = await ThreadedShell(end_tree).run(command)
    assert finished.spawn_error
    assert (finished.exit_code, finished.timed_out) == (None, False)


# -- time limit and cancellation

TREES = {
    "plain": ("echo $$ > pids; exec sleep 300", 1),
    "B28, a grandchild": ("sh -c 'sleep 300 & echo $$ $! > pids; sleep 300'; true", 2),
    "setsid": ("setsid sh -c 'exec sleep 300' & echo $$ $! > pids; wait", 2),
    "ignores TERM": ("trap '' TERM; echo $$ > pids; while :; do sleep 0.05; done", 1),
    "writes for ever": ("echo $$ > pids; exec yes", 1),
}


@pytest.mark.parametrize(("script", "count"), TREES.values(), ids=TREES)
async def test_nothing_of_a_command_is_alive_when_its_time_limit_is_answered(
    tmp_path: Path, pids: Path, script: str, count: int
) -> None:
    running = asyncio.ensure_future(run(script, tmp_path, timeout_s=LIMIT_S))
    processes = await heard(pids, count)
    pass_limit()
    finished = await running
    assert alive(processes) == []
    assert (finished.timed_out, finished.exit_code) == (True, None)
    assert len(finished.stdout) <= OUTPUT_LIMIT


@pytest.mark.parametrize(("script", "count"), TREES.values(), ids=TREES)
async def test_a_cancelled_command_is_dead_before_the_cancellation_is_raised(
    tmp_path: Path, pids: Path, script: str, count: int
) -> None:
    running = asyncio.ensure_future(run(script, tmp_path))
    processes = await heard(pids, count)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert alive(processes) == []


async def test_what_a_command_printed_before_its_time_limit_is_kept(tmp_path: Path, pids: Path) -> None:
    script = "printf part; printf why >&2; echo $$ > pids; exec sleep 300"
    running = asyncio.ensure_future(run(script, tmp_path, timeout_s=LIMIT_S))
    await heard(pids)
    pass_limit()
    finished = await running
    assert (finished.timed_out, finished.stdout, finished.stderr) == (True, b"part", b"why")


@pytest.mark.parametrize("timed_out", [False, True], ids=["cancelled twice", "cancelled while it is killed"])
async def test_a_cancellation_while_a_command_is_killed_is_raised_when_it_is_dead(
    tmp_path: Path, pids: Path, *, timed_out: bool
) -> None:
    """STYLE 21: a cancellation is never swallowed."""
    fifo(tmp_path / "killing")
    fifo(tmp_path / "go")

    def slowly(pid: int) -> None:
        (tmp_path / "killing").write_text("1")
        (tmp_path / "go").read_text()
        end_tree(pid)

    running = asyncio.ensure_future(run("echo $$ > pids; exec sleep 300", tmp_path, timeout_s=LIMIT_S, kill=slowly))
    processes = await heard(pids)
    if timed_out:
        pass_limit()
    else:
        running.cancel()
    await heard(tmp_path / "killing")
    running.cancel()
    await asyncio.to_thread((tmp_path / "go").write_text, "1")
    with pytest.raises(asyncio.CancelledError):
        await running
    assert alive(processes) == []


async def test_other_commands_go_on_while_one_is_killed(tmp_path: Path, pids: Path) -> None:
    fifo(tmp_path / "go")

    def slowly(pid: int) -> None:
        (tmp_path / "go").read_text()
        end_tree(pid)

    slow = asyncio.ensure_future(run("echo $$ > pids; exec sleep 300", tmp_path, timeout_s=LIMIT_S, kill=slowly))
    await heard(pids)
    pass_limit()
    assert (await run("printf other", tmp_path)).stdout == b"other"
    assert not slow.done()
    await asyncio.to_thread((tmp_path / "go").write_text, "1")
    assert (await slow).timed_out


async def test_the_command_itself_dies_although_the_way_to_end_its_tree_fails(tmp_path: Path, pids: Path) -> None:
    running = asyncio.ensure_future(run("echo $$ > pids; exec sleep 300", tmp_path, timeout_s=LIMIT_S, kill=nothing))
    processes = await heard(pids)
    pass_limit()
    assert (await running).timed_out
    assert alive(processes) == []


async def test_a_child_that_escaped_the_kill_does_not_hold_up_the_answer(tmp_path: Path, pids: Path) -> None:
    script = "sleep 300 & echo $$ $! > pids; wait"
    running = asyncio.ensure_future(run(script, tmp_path, timeout_s=LIMIT_S, kill=nothing))
    processes = await heard(pids, 2)
    pass_limit()
    assert (await running).timed_out
    assert alive(processes) == processes[1:]


async def test_where_there_is_no_taskkill_it_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    await asyncio.to_thread(taskkill, 2**22 + 1)


async def test_many_commands_leave_no_descriptor_and_no_child(tmp_path: Path) -> None:
    await run("true", tmp_path)
    before, children = descriptors(), psutil.Process().children(recursive=True)
    scripts = ["exit 0", "printf x; exit 2", "exec 0<&-; exit 1", "head -c 100000 /dev/zero", "exec sleep 300"]
    finished = await asyncio.gather(
        *(
            run(scripts[number % 5], tmp_path, stdin=LARGE[:200_000], timeout_s=PATIENCE_S if number % 5 < 4 else 0.2)
            for number in range(50)
        )
    )
    assert [one.exit_code for one in finished] == [0, 2, 1, 0, None] * 10
    while descriptors() != before:  # noqa: ASYNC110 - a thread closes its pipe a moment after the end
        await asyncio.sleep(0.01)
    assert psutil.Process().children(recursive=True) == children


def descriptors() -> int:
    return psutil.Process().num_fds()
