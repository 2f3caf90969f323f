"""Runs one command: writes its stdin, drains both pipes within bounds, and leaves no process behind.

POSIX: the pipes and a pidfd are watched by the event loop, with no thread and no child watcher, which is what keeps
a hook within a few per cent of `subprocess.run`. The answer goes out at the exit of the command, even if a background
child of it still holds a pipe. On time-out or cancellation the whole tree dies first (see `process_tree`).
"""

import asyncio
import errno
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Protocol, Self

from .threads import in_thread, started

MARKER = "DSH_COMPAT_HOOK"  # names the run in the environment of every process that descends from it
OUTPUT_LIMIT = 4 * 1024 * 1024  # bytes kept of each stream; what is more is read and thrown away
CHUNK = 65536
KILL_GRACE_S = 1.0  # between TERM and KILL
# A pipe holds what a quick command prints; only one that runs on is read while it runs. That spares most hooks two
# registrations and two wake-ups of the event loop.
FIRST_READ_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What to run. `argv` is complete; no shell is added here."""

    argv: tuple[str, ...]
    stdin: bytes
    cwd: str
    env: Mapping[str, str]
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How it ended. The fields are independent: a process can exceed its time and still have written output."""

    exit_code: int | None = None  # none: never started, or killed
    signal: int | None = None
    stdout: bytes = b""
    stderr: bytes = b""
    truncated: bool = False  # stdout was longer than the bound
    timed_out: bool = False
    spawn_error: str | None = None
    void: str | None = None  # it answered, and why the answer cannot be one
    duration_s: float = 0.0


class Shell(Protocol):
    """Runs commands for a host. Total: what goes wrong is in the result; only cancellation is raised."""

    async def run(self, command: Command) -> Finished:
        """Run to the end, the time limit, or cancellation; nothing of the command is alive afterwards."""
        ...


class LocalShell:
    """Runs commands as children of this process."""

    def __init__(self) -> None:
        self._killer = _Killer()

    async def run(self, command: Command) -> Finished:
        """See `Shell.run`."""
        started = time.perf_counter()
        marker = os.urandom(16).hex()
        try:
            process = _spawn(command, marker)
        except (OSError, ValueError) as error:  # ValueError: a NUL byte in an argument or variable
            return Finished(spawn_error=str(error), duration_s=time.perf_counter() - started)
        with _Pipes(process, command.stdin) as pipes:
            try:
                timed_out = await _exit(process, command.timeout_s, pipes.watch)
            except asyncio.CancelledError:
                await self._killer.kill(process, marker)
                raise
            if timed_out:
                await self._killer.kill(process, marker)
            pipes.drain()
            code = None if timed_out else process.returncode
            return Finished(
                exit_code=code if code is not None and code >= 0 else None,
                signal=-code if code is not None and code < 0 else None,
                stdout=bytes(pipes.stdout),
                stderr=bytes(pipes.stderr),
                truncated=pipes.truncated,
                timed_out=timed_out,
                duration_s=time.perf_counter() - started,
            )


def _spawn(command: Command, marker: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        # always UTF-8: in another locale Python could not pass on a command that holds other letters
        [part.encode("utf-8", "surrogateescape") for part in command.argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=command.cwd,
        env={**command.env, MARKER: marker},
        start_new_session=True,
        bufsize=0,
    )


async def _exit(process: subprocess.Popen[bytes], timeout_s: float, runs_on: Callable[[], None]) -> bool:
    """Wait for the exit of the process itself; true when the time was up first. `runs_on` is called if it is not quick.

    The two moments share a timer, since most processes see neither.
    """
    loop = asyncio.get_running_loop()
    exited: asyncio.Future[bool] = loop.create_future()
    timer: asyncio.TimerHandle

    def settle(*, timed_out: bool) -> None:
        if not exited.done():
            exited.set_result(timed_out)

    def first_read() -> None:
        nonlocal timer
        runs_on()
        timer = loop.call_at(began + timeout_s, partial(settle, timed_out=True))

    began = loop.time()
    unwatch = _watch_exit(process, partial(settle, timed_out=False))
    timer = loop.call_at(began + min(FIRST_READ_S, timeout_s), first_read)
    try:
        timed_out = await exited
    finally:
        timer.cancel()
        unwatch()
    if not timed_out:
        process.wait()
    return timed_out


def _watch_exit(process: subprocess.Popen[bytes], exited: Callable[[], None]) -> Callable[[], None]:
    """Call back when the process has ended; returns what stops that."""
    loop = asyncio.get_running_loop()
    if not hasattr(os, "pidfd_open"):  # only Linux has it; elsewhere a thread waits, and ends with the process
        started(process.wait).add_done_callback(lambda _: exited())
        return lambda: None
    pidfd = os.pidfd_open(process.pid)
    loop.add_reader(pidfd, exited)

    def unwatch() -> None:
        loop.remove_reader(pidfd)
        os.close(pidfd)

    return unwatch


class _Killer:
    """Kills commands with their trees in a thread, so that other hooks go on; those of one moment share a scan."""

    def __init__(self) -> None:
        self._targets: dict[int, str] = {}
        self._batch: asyncio.Task[None] | None = None

    async def kill(self, process: subprocess.Popen[bytes], marker: str) -> None:
        """Return when the whole tree is dead, also when a cancellation comes meanwhile; then raise that."""
        # not even a TERM before the scan: a child of a dead parent could not be told from others any more
        self._targets[process.pid] = marker
        if self._batch is None:
            self._batch = asyncio.ensure_future(self._kill_batch())
        batch, cancelled = self._batch, False
        while not batch.done():
            try:
                await asyncio.shield(batch)
            except asyncio.CancelledError:  # quiescence comes first
                cancelled = True
        process.wait()
        if cancelled:
            raise asyncio.CancelledError

    async def _kill_batch(self) -> None:
        from .process_tree import kill_trees  # noqa: PLC0415 - start-up: only a hook that is killed needs psutil

        await asyncio.sleep(0)  # what is cancelled in the same moment comes into the same batch
        targets, self._targets, self._batch = self._targets, {}, None
        try:
            await in_thread(partial(kill_trees, targets, MARKER, KILL_GRACE_S))
        except RuntimeError:  # no thread can be started, perhaps because of what is to be killed
            kill_trees(targets, MARKER, KILL_GRACE_S)


class _Pipes:
    """The three pipes of one child while it runs."""

    def __init__(self, process: subprocess.Popen[bytes], payload: bytes) -> None:
        assert process.stdin is not None  # all three are PIPE
        assert process.stdout is not None
        assert process.stderr is not None
        self._loop = asyncio.get_running_loop()
        self._files = (process.stdin, process.stdout, process.stderr)
        self._stdin, self._out, self._err = (file.fileno() for file in self._files)
        self._payload = memoryview(payload)
        self._open = {self._out, self._err}
        self._watched: set[int] = set()
        self._writing = False  # the event loop says when the child reads on
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.truncated = False

    def __enter__(self) -> Self:
        for fd in (self._stdin, self._out, self._err):
            os.set_blocking(fd, False)
        self._write()
        return self

    def __exit__(self, *_: object) -> None:
        for fd in self._watched:
            self._loop.remove_reader(fd)
        self._stop_writing()
        for file in self._files:
            file.close()

    def drain(self) -> None:
        """Take what is in the pipes now; a writer that outlives the command is not waited for."""
        for fd in tuple(self._open):
            for _ in range(OUTPUT_LIMIT // CHUNK + 1):  # a background child may write for ever
                if not self._read(fd):
                    break

    def watch(self) -> None:
        """Read while the child runs, as the pipes may fill."""
        for fd in self._open:
            self._loop.add_reader(fd, self._read, fd)
        self._watched = set(self._open)

    def _read(self, fd: int) -> bool:
        """Read one chunk; false when there is no more for now."""
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return False
        if not data:
            self._open.discard(fd)
            if fd in self._watched:
                self._watched.discard(fd)
                self._loop.remove_reader(fd)
            return False
        kept = self.stdout if fd == self._out else self.stderr
        room = OUTPUT_LIMIT - len(kept)
        kept += data[:room]
        if len(data) > room and fd == self._out:
            self.truncated = True
        return True

    def _write(self) -> None:
        """Write on; a child that does not read its stdin, or closed it, is its own affair."""
        while self._payload:
            try:
                self._payload = self._payload[os.write(self._stdin, self._payload) :]
            except BlockingIOError:
                if not self._writing:
                    self._loop.add_writer(self._stdin, self._write)
                    self._writing = True
                return
            except OSError as error:
                if error.errno not in (errno.EPIPE, errno.ECONNRESET):
                    raise
                break
        self._stop_writing()
        self._files[0].close()

    def _stop_writing(self) -> None:
        if self._writing:
            self._loop.remove_writer(self._stdin)
            self._writing = False
