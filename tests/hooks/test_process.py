"""`hooks.process`: one command run by a real shell, with both pipes drained and nothing alive afterwards.

Ids such as B28 name the report in `cases.md` that a test stands for.
"""

import asyncio
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from dsh_compat_adapter.hooks.process import MARKER, OUTPUT_LIMIT, Command, Finished, LocalShell
from tests.clock import LIMIT_S, PATIENCE_S, pass_limit
from tests.pool import full_pool

LARGE = b"x" * 5_000_000  # far more than a pipe holds


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder of the command, with a script for a child that writes its pid and ignores TERM."""
    (tmp_path / "stubborn").write_text("trap '' TERM; echo $$ > 2; while :; do sleep 0.05; done\n")
    return tmp_path


def command(
    script: str,
    work: Path,
    *,
    stdin: bytes = b"{}",
    timeout_s: float = PATIENCE_S,
    env: Mapping[str, str] | None = None,
) -> Command:
    environment = {"PATH": os.environ["PATH"]} if env is None else env
    return Command(argv=("/bin/sh", "-c", script), stdin=stdin, cwd=str(work), env=environment, timeout_s=timeout_s)


async def run(script: str, work: Path, *, stdin: bytes = b"{}", timeout_s: float = PATIENCE_S) -> Finished:
    return await LocalShell().run(command(script, work, stdin=stdin, timeout_s=timeout_s))


def is_alive(pid: int) -> bool:
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def pid_in(file: Path) -> int:
    return int(file.read_text())


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that a process outside of this loop does."""
    while not holds():  # noqa: ASYNC110 - a process cannot set an event
        await asyncio.sleep(0.01)


def written(*files: Path) -> Callable[[], bool]:
    return lambda: all(file.exists() and file.read_text().endswith("\n") for file in files)


async def overdue(script: str, work: Path, ready: Callable[[], bool]) -> Finished:
    """Run a command whose time limit is up as soon as `ready` holds."""
    running = asyncio.ensure_future(run(script, work, timeout_s=LIMIT_S))
    await until(ready)
    pass_limit()
    return await running


# what stays until the test has seen its TERM, and lets it go
LEAVES_WHEN_TOLD = (
    "trap 'echo t > term; while ! [ -e go ]; do sleep 0.01; done; exit' TERM; echo $$ > 1; while :; do sleep 0.05; done"
)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A TERM is followed by a KILL only when all is lost."""
    monkeypatch.setattr("dsh_compat_adapter.hooks.process.KILL_GRACE_S", PATIENCE_S)


class TestEnding:
    async def test_exit_code_and_both_streams_are_in_the_result(self, work: Path) -> None:
        finished = await run("printf out; printf err >&2; exit 3", work)
        assert (finished.exit_code, finished.stdout, finished.stderr) == (3, b"out", b"err")
        assert (finished.signal, finished.timed_out, finished.truncated, finished.spawn_error) == (
            None,
            False,
            False,
            None,
        )

    async def test_a_command_that_a_signal_ends_has_no_exit_code(self, work: Path) -> None:
        finished = await run("printf out; kill -9 $$", work)
        assert (finished.exit_code, finished.signal, finished.stdout) == (None, 9, b"out")

    async def test_a_command_that_signals_its_process_group_does_not_reach_the_caller(self, work: Path) -> None:
        assert (await run("kill -TERM 0", work)).signal == signal.SIGTERM

    async def test_bytes_that_are_no_utf_8_arrive_as_they_are(self, work: Path) -> None:
        finished = await run(r"printf '\377\000\376'; printf '\200' >&2", work)
        assert (finished.stdout, finished.stderr) == (b"\xff\x00\xfe", b"\x80")

    async def test_a_command_runs_where_and_with_what_it_is_told_and_nothing_else(self, work: Path) -> None:
        shell = LocalShell()
        finished = await shell.run(command('pwd; printf %s "$GIVEN"; env | grep -c HOME', work, env={"GIVEN": "g", "PATH": os.environ["PATH"]}))  # fmt: skip
        assert finished.stdout == f"{work}\ng0\n".encode()

    async def test_every_run_is_marked_in_its_environment(self, work: Path) -> None:
        first, second = await run(f"printf %s ${MARKER}", work), await run(f"printf %s ${MARKER}", work)
        assert first.stdout
        assert first.stdout != second.stdout


class TestStdin:
    async def test_a_payload_of_many_megabytes_arrives_whole_and_is_closed(self, work: Path) -> None:
        finished = await run("wc -c", work, stdin=LARGE)
        assert finished.stdout.split() == [str(len(LARGE)).encode()]

    async def test_an_empty_payload_is_an_end_of_file(self, work: Path) -> None:
        assert (await run("cat; printf end", work, stdin=b"")).stdout == b"end"

    async def test_a_command_that_never_reads_its_stdin_ends_as_it_wants(self, work: Path) -> None:
        finished = await run("sleep 0.1; printf done; exit 4", work, stdin=LARGE)
        assert (finished.exit_code, finished.stdout) == (4, b"done")

    async def test_a_command_that_closes_its_stdin_ends_as_it_wants(self, work: Path) -> None:
        """B34."""
        finished = await run("exec 0<&-; sleep 0.1; printf done", work, stdin=LARGE)
        assert (finished.exit_code, finished.stdout) == (0, b"done")

    async def test_a_command_that_reads_a_part_and_ends_is_answered(self, work: Path) -> None:
        assert (await run("head -c 10 >/dev/null; exit 5", work, stdin=LARGE)).exit_code == 5

    async def test_a_command_that_does_not_read_yet_holds_up_no_other(self, work: Path) -> None:
        """B35: the first reads only after the second has run."""
        slow = run("while ! [ -e go ]; do sleep 0.01; done; wc -c", work, stdin=LARGE)
        fast = run("touch go; exit 2", work, stdin=LARGE)
        first, second = await asyncio.gather(slow, fast)
        assert first.stdout.split() == [str(len(LARGE)).encode()]
        assert second.exit_code == 2


class TestOutput:
    async def test_output_of_many_megabytes_is_read_to_the_end_and_kept_up_to_the_bound(self, work: Path) -> None:
        finished = await run("head -c 20000000 /dev/zero; head -c 20000000 /dev/zero >&2; exit 6", work)
        assert finished.exit_code == 6
        assert (len(finished.stdout), len(finished.stderr)) == (OUTPUT_LIMIT, OUTPUT_LIMIT)
        assert finished.truncated

    @pytest.mark.parametrize(("size", "truncated"), [(OUTPUT_LIMIT, False), (OUTPUT_LIMIT + 1, True)])
    async def test_the_bound_itself_is_not_over_the_bound(self, work: Path, size: int, *, truncated: bool) -> None:
        finished = await run(f"head -c {size} /dev/zero", work)
        assert (len(finished.stdout), finished.truncated) == (OUTPUT_LIMIT, truncated)

    async def test_a_long_stderr_alone_makes_no_answer_too_long(self, work: Path) -> None:
        assert not (await run("head -c 5000000 /dev/zero >&2", work)).truncated

    async def test_what_was_printed_right_before_the_exit_is_not_lost(self, work: Path) -> None:
        finished = await asyncio.gather(*(run("printf answer; exit 0", work) for _ in range(20)))
        assert [one.stdout for one in finished] == [b"answer"] * 20

    async def test_a_command_that_writes_for_ever_is_bounded_and_ends_at_its_time_limit(self, work: Path) -> None:
        script = f"head -c {OUTPUT_LIMIT + 1} /dev/zero; echo $$ > 1; exec yes"
        finished = await overdue(script, work, written(work / "1"))
        assert (len(finished.stdout), finished.truncated, finished.timed_out) == (OUTPUT_LIMIT, True, True)


class TestBackgroundChildren:
    @pytest.mark.parametrize("child", ["sleep 300", "yes"], ids=["holds-stdout", "writes-for-ever"])
    async def test_a_command_is_answered_at_its_exit_although_a_child_holds_its_stdout(
        self, work: Path, child: str
    ) -> None:
        """DESIGN 7: answered at its exit, even if a background child of it still holds a pipe."""
        finished = await run(f"printf said; {child} & echo $! > pid; exit 2", work)
        pid = pid_in(work / "pid")
        try:
            assert finished.exit_code == 2
            assert finished.stdout.startswith(b"said")
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    async def test_that_child_is_not_killed(self, work: Path) -> None:
        await run("sleep 300 & echo $! > pid", work)
        pid = pid_in(work / "pid")
        assert is_alive(pid)
        os.kill(pid, signal.SIGKILL)


# each writes the pids of its processes to files named 1, 2
TREES = {
    "plain": ("echo $$ > 1; exec sleep 300", 1),
    "B28-grandchild": ("echo $$ > 1; sh -c 'sleep 300 & echo $! > 2; sleep 300'", 2),
    "setsid": ("echo $$ > 1; setsid sh -c 'echo $$ > 2; exec sleep 300' & wait", 2),
    "setsid-orphan": ("echo $$ > 1; (setsid sh -c 'echo $$ > 2; exec sleep 300' &); exec sleep 300", 2),
    "ignores-term": ("echo $$ > 1; exec sh stubborn", 2),
    "setsid-ignores-term": ("echo $$ > 1; setsid sh stubborn & wait", 2),
    "setsid-clean-environment": ("echo $$ > 1; env -i PATH=$PATH setsid sleep 300 & echo $! > 2; wait", 2),
    "setsid-clean-environment-ignores-term": ("echo $$ > 1; env -i PATH=$PATH setsid sh stubborn & wait", 2),
}


class TestTimeLimit:
    @pytest.mark.parametrize("tree", ["plain", "B28-grandchild", "setsid", "setsid-ignores-term"])
    async def test_nothing_of_a_command_is_alive_when_its_time_limit_is_answered(self, work: Path, tree: str) -> None:
        script, count = TREES[tree]
        files = [work / str(number + 1) for number in range(count)]
        finished = await overdue(script, work, written(*files))
        pids = [pid_in(file) for file in files]
        try:
            assert (finished.timed_out, finished.exit_code, finished.signal) == (True, None, None)
            assert [pid for pid in pids if is_alive(pid)] == []
        finally:
            for pid in filter(is_alive, pids):
                os.kill(pid, signal.SIGKILL)

    async def test_what_a_command_printed_before_is_kept(self, work: Path) -> None:
        script = "printf part; printf why >&2; echo $$ > 1; exec sleep 300"
        finished = await overdue(script, work, written(work / "1"))
        assert (finished.timed_out, finished.stdout, finished.stderr) == (True, b"part", b"why")

    async def test_a_command_that_ends_by_itself_on_term_is_still_one_that_was_too_slow(self, work: Path) -> None:
        script = "trap 'exit 0' TERM; echo $$ > 1; while :; do sleep 0.05; done"
        finished = await overdue(script, work, written(work / "1"))
        assert (finished.timed_out, finished.exit_code) == (True, None)


class TestCancellation:
    @pytest.mark.parametrize("tree", TREES)
    async def test_a_cancelled_command_is_dead_before_the_cancellation_is_raised(self, work: Path, tree: str) -> None:
        script, count = TREES[tree]
        running = asyncio.ensure_future(run(script, work))
        files = [work / str(number + 1) for number in range(count)]
        await until(written(*files))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        pids = [pid_in(file) for file in files]
        try:
            assert [pid for pid in pids if is_alive(pid)] == []
        finally:
            for pid in filter(is_alive, pids):
                os.kill(pid, signal.SIGKILL)

    @pytest.mark.usefixtures("patient")
    async def test_a_second_cancellation_does_not_leave_the_command_alive(self, work: Path) -> None:
        running = asyncio.ensure_future(run(LEAVES_WHEN_TOLD, work))
        await until(written(work / "1"))
        running.cancel()
        await until(written(work / "term"))
        running.cancel()
        (work / "go").touch()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not is_alive(pid_in(work / "1"))

    @pytest.mark.usefixtures("patient")
    async def test_a_cancellation_while_a_slow_command_is_being_killed_is_raised_after_it_is_dead(
        self, work: Path
    ) -> None:
        """STYLE 21: a cancellation is never swallowed."""
        running = asyncio.ensure_future(run(LEAVES_WHEN_TOLD, work, timeout_s=LIMIT_S))
        await until(written(work / "1"))
        pass_limit()
        await until(written(work / "term"))
        running.cancel()
        (work / "go").touch()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not is_alive(pid_in(work / "1"))


class TestSpawnFailure:
    @pytest.mark.parametrize(
        "broken",
        [
            {"cwd": "/nonexistent/folder"},
            {"argv": ("/nonexistent/program",)},
            {"argv": ("/etc/passwd",)},
            {"argv": ("/bin/sh", "-c", "true\0")},
            {"argv": ("/bin/sh", "-c", "\ud800")},
            {"argv": ("/bin/sh", "-c", "true " + "x" * 3_000_000)},
            {"env": {"A": "a\0b"}},
            {"env": {"A=B": "c"}},
        ],
        ids=["cwd", "program", "no-exec-bit", "nul", "surrogate", "too-long", "nul-in-variable", "variable-name"],
    )
    async def test_a_command_that_cannot_be_started_is_a_result(self, work: Path, broken: dict[str, object]) -> None:
        """B17."""
        given: dict[str, object] = {
            "argv": ("/bin/sh", "-c", "true"),
            "stdin": b"",
            "cwd": str(work),
            "env": {},
            "timeout_s": PATIENCE_S,
        }
        finished = await LocalShell().run(Command(**{**given, **broken}))  # type: ignore[arg-type] # a broken command
        assert finished.spawn_error
        assert (finished.exit_code, finished.signal, finished.timed_out) == (None, None, False)


class TestManyAtOnce:
    async def test_a_hundred_commands_leave_no_descriptor_and_no_child(self, work: Path) -> None:
        await run("true", work)
        descriptors, children = open_descriptors(), psutil.Process().children(recursive=True)
        scripts = ["exit 0", "printf x; exit 2", "exec 0<&-; exit 1", "head -c 100000 /dev/zero", "kill -9 $$"]
        finished = await asyncio.gather(*(run(scripts[n % 5], work, stdin=LARGE[:200_000]) for n in range(100)))
        assert [one.exit_code for one in finished] == [0, 2, 1, 0, None] * 20
        assert open_descriptors() == descriptors
        assert psutil.Process().children(recursive=True) == children

    async def test_commands_that_are_killed_leave_no_descriptor_and_no_child_either(self, work: Path) -> None:
        await run("exec sleep 300", work, timeout_s=0.01)
        descriptors, children = open_descriptors(), psutil.Process().children(recursive=True)
        finished = await asyncio.gather(*(run("exec sleep 300", work, timeout_s=0.05) for _ in range(8)))
        assert all(one.timed_out for one in finished)
        assert open_descriptors() == descriptors
        assert psutil.Process().children(recursive=True) == children


def open_descriptors() -> set[str]:
    """What this process has open, by number and what it is."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that lists
            found.add(f"{entry.name} {entry.readlink()}")
    return found


async def test_a_time_limit_kills_although_the_pool_of_the_loop_is_full(work: Path) -> None:
    async with full_pool():
        finished = await overdue("echo $$ > 1; exec sleep 300", work, written(work / "1"))
    assert finished.timed_out
    assert not is_alive(pid_in(work / "1"))


async def test_without_a_pidfd_an_exit_is_noticed_although_the_pool_of_the_loop_is_full(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    async with full_pool():
        assert (await run("exit 3", work)).exit_code == 3
