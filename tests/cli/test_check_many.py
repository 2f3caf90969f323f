"""`dsh-compat check --from-file`: as a process with real workers, readers that leave or do not read, and signals."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.checkout import PACKAGE
from tests.cli.full_disk import SAID, on_full_disk
from tests.projects import command, grouped, project

GOOD = grouped("Stop", command())
ENOUGH = 100  # repositories, of which the line of each one alone fills a pipe
FULL = 60_000  # bytes that nobody has read; the next write waits


def argv(*arguments: str) -> list[str]:
    return [sys.executable, "-P", "-m", "dsh_compat_adapter", "check", *arguments]


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "COLUMNS": "100"}


def many(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        argv("--from-file", "list", *arguments),
        cwd=folder,
        env=environment(),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def listed(folder: Path, *roots: str) -> None:
    (folder / "list").write_bytes(b"".join(os.fsencode(root) + b"\n" for root in roots))


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], list[psutil.Process]]]:
    """A run that has printed something, and its workers."""
    with subprocess.Popen(
        argv("--from-file", "list", "--format", "jsonl", *arguments),
        cwd=folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert process.stdout is not None
            os.read(process.stdout.fileno(), 1)
            yield process, psutil.Process(process.pid).children(recursive=True)
        finally:
            process.kill()


def fleet(folder: Path) -> None:
    project(folder, {"r/.claude/settings.json": grouped("Stop", *[command(str(one)) for one in range(100)])})
    listed(folder, *["r"] * ENOUGH)


def test_each_repository_is_a_line_and_the_worst_one_decides_the_exit_code(tmp_path: Path) -> None:
    project(
        tmp_path,
        {
            "good/.claude/settings.json": GOOD,
            "warned/.claude/settings.json": grouped("PreToolUse", command(), matcher="bash"),
            "bad/.claude/settings.json": "{",
        },
    )
    listed(tmp_path, "good", "", "# bad", "warned", "\udcff", "bad\r")
    done = many(tmp_path, "--format", "jsonl", "-j", "2")
    assert (done.returncode, done.stderr) == (1, "")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["root"] for line in lines] == ["good", "warned", "\udcff", "bad"]
    assert [line.get("error", {}).get("code") for line in lines] == [None, None, "INVALID_INPUT", None]
    assert many(tmp_path, "--fail-on", "never").returncode == 1, "one of them was not checked"
    listed(tmp_path, "good", "warned", "bad")
    assert many(tmp_path, "--fail-on", "never").returncode == 0
    listed(tmp_path, "good", "warned")
    assert many(tmp_path, "--fail-on", "error").returncode == 0
    assert many(tmp_path).returncode == 1


def test_a_person_gets_a_short_line_each_and_a_sum(tmp_path: Path) -> None:
    project(tmp_path, {"good/.claude/settings.json": GOOD, "bad/.claude/settings.json": "{"})
    listed(tmp_path, "good", "bad", "\x1b[31m")
    assert many(tmp_path).stdout.splitlines() == [
        "good: 0 errors, 0 warnings; 1 hooks adapted, 0 rules carried, 0 unsupported",
        "bad: 1 errors, 0 warnings; 0 hooks adapted, 0 rules carried, 0 unsupported",
        "\\x1b[31m: not checked: no folder that can be read (No such file or directory) [INVALID_INPUT]",
        "3 repositories: 1 fine, 1 with findings, 1 not checked",
    ]


def test_of_a_thousand_repositories_each_is_a_line_whatever_is_wrong_with_one(tmp_path: Path) -> None:
    """Among them one with broken files, one that is not there, one that is a file and one that is named twice."""
    for number in range(1000):
        (tmp_path / f"r{number}").mkdir()
        (tmp_path / f"r{number}/CLAUDE.md").write_text(f"rule {number}")
    broken: dict[str, object] = {
        ".claude/settings.json": "{",
        "AGENTS.md": b"\xff",
        ".codex/config.toml": "[[",
        "CLAUDE.md": "@CLAUDE.md",
        "compat.yaml": "version: 2",
        ".codex/rules/a.rules": "while True: pass",
    }
    project(tmp_path / "r500", broken)
    roots = [f"r{number}" for number in range(1000)]
    roots[10], roots[20], roots[30] = "gone", "list", "r31"
    (tmp_path / "list").write_bytes(b"\xef\xbb\xbf" + "\r\n".join(roots).encode())
    done = many(tmp_path, "-j", "2", "--format", "jsonl")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["root"] for line in lines] == roots
    assert {line["root"] for line in lines if "error" in line} == {"gone", "list"}
    assert lines[30] == lines[31]
    codes = {finding["code"] for finding in lines[500]["findings"]}
    assert codes >= {"invalid-file", "not-text", "import-cycle", "invalid-declaration", "policy-invalid"}
    fine = [line for number, line in enumerate(lines) if "error" not in line and number != 500]
    assert {line["counts"]["carried"] for line in fine} == {3}
    assert done.returncode == 1


def test_a_file_that_names_nothing_is_fine(tmp_path: Path) -> None:
    listed(tmp_path, "# nothing")
    done = many(tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 repositories: none\n", "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--from-file", "gone"], "--from-file 'gone' cannot be read"),
        (["--from-file", "list", "--format", "sarif"], "--from-file prints text or jsonl, not sarif"),
        (["--from-file", "list", "--home", "."], "--home is about one PATH"),
        (["--from-file", "list", "--verbose"], "--verbose is about one PATH"),
        (["--from-file", "list", "."], "not allowed with argument"),
        ([], "required"),
        ([".", "-j", "2"], "-j is for --from-file"),
        (["--from-file", "list", "-j", "0"], "a number of processes is 1 or more, found '0'"),
        (["--from-file", "list", "-j", "-1"], "a number of processes is 1 or more, found '-1'"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(tmp_path: Path, arguments: list[str], says: str) -> None:
    listed(tmp_path)
    done = subprocess.run(
        argv(*arguments), cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_and_its_workers_even_while_nobody_reads(tmp_path: Path, number: signal.Signals) -> None:
    fleet(tmp_path)
    with running(tmp_path, "-j", "2") as (process, workers):
        assert len(workers) == 2
        assert process.stdout is not None
        pipe = process.stdout.fileno()
        until(lambda: int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder) > FULL)
        process.send_signal(number)
        assert process.wait(60) == 130
        assert psutil.wait_procs(workers, timeout=60)[1] == []
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_when_the_reader_leaves_it_ends_and_says_nothing(tmp_path: Path) -> None:
    fleet(tmp_path)
    with running(tmp_path, "-j", "2") as (process, workers):
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 0
        assert psutil.wait_procs(workers, timeout=60)[1] == []
        assert process.stderr is not None
        assert process.stderr.read() == b""


def test_workers_do_not_outlive_a_run_that_was_killed(tmp_path: Path) -> None:
    fleet(tmp_path)
    with running(tmp_path, "-j", "2") as (process, workers):
        process.kill()
        process.wait()
        assert psutil.wait_procs(workers, timeout=60)[1] == []


def test_a_full_disk_ends_it_in_one_line(tmp_path: Path) -> None:
    fleet(tmp_path)
    assert on_full_disk("check", "--from-file", "list", cwd=tmp_path) == SAID


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
def test_closed_streams_cost_the_text_and_not_the_exit_code(tmp_path: Path, closed: str) -> None:
    project(tmp_path, {"bad/.claude/settings.json": "{"})
    listed(tmp_path, "bad")
    line = f'exec "$@" {closed}'
    done = subprocess.run(
        ["sh", "-c", line, "sh", *argv("--from-file", "list")], cwd=tmp_path, env=environment(), check=False
    )
    assert done.returncode == 1
