"""Runs one command on Windows, behind the interface of `process`: threads serve the pipes, `taskkill` ends the tree."""

import asyncio
import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import IO

from .closing import to_the_end
from .process import CHUNK, MARKER, OUTPUT_LIMIT, Command, Finished
from .threads import in_thread

AFTER_EXIT_S = 0.2  # for what is still in the pipes; a background child that holds one is not waited for


def taskkill(pid: int) -> None:
    """End a process with everything that it started. Blocks."""
    with suppress(OSError):
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], capture_output=True, check=False)  # noqa: S607


class ThreadedShell:
    """Runs commands as children of this process, with threads for each."""

    def __init__(self, kill: Callable[[int], None] = taskkill) -> None:
        self._kill = kill

    async def run(self, command: Command) -> Finished:
        """See `Shell.run`."""
        started = time.perf_counter()
        try:
            process = subprocess.Popen(  # noqa: ASYNC220 - starting is quick, and its pipes are served by threads
                command.argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=command.cwd,
                env={**command.env, MARKER: os.urandom(16).hex()},
                bufsize=0,
            )
        except (OSError, ValueError) as error:
            return Finished(spawn_error=str(error), duration_s=time.perf_counter() - started)
        talk = _Talk(process, command.stdin)
        try:
            done, _ = await asyncio.wait({talk.ended}, timeout=command.timeout_s)
        except asyncio.CancelledError:
            await to_the_end(self._end(process, talk))
            raise
        if not done:
            await to_the_end(self._end(process, talk))
        return Finished(
            exit_code=process.returncode if done else None,
            stdout=bytes(talk.stdout),
            stderr=bytes(talk.stderr),
            truncated=talk.truncated,
            timed_out=not done,
            duration_s=time.perf_counter() - started,
        )

    async def _end(self, process: "subprocess.Popen[bytes]", talk: "_Talk") -> None:
        def kill() -> None:
            self._kill(process.pid)
            process.kill()  # the child itself, should the other way have failed

        await in_thread(kill)
        await talk.ended


class _Talk:
    """The pipes of one child while it runs.

    Its threads are daemons: one that a background child of the hook blocks must not hold up the end of this program.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", payload: bytes) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._loop = asyncio.get_running_loop()
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self.stdout = bytearray()
        self.stderr = bytearray()
        self.truncated = False
        _start(partial(_write, process.stdin, payload))
        self._readers = (
            _start(partial(self._read, process.stdout, self.stdout)),
            _start(partial(self._read, process.stderr, self.stderr)),
        )
        _start(self._wait)

    def _read(self, pipe: IO[bytes], kept: bytearray) -> None:
        """Read to the end, and keep as much as the bound allows."""
        with pipe, suppress(OSError):
            while data := pipe.read(CHUNK):
                room = OUTPUT_LIMIT - len(kept)
                kept += data[:room]
                if len(data) > room and kept is self.stdout:
                    self.truncated = True

    def _wait(self) -> None:
        self._process.wait()
        deadline = time.monotonic() + AFTER_EXIT_S
        for reader in self._readers:
            reader.join(max(0.0, deadline - time.monotonic()))
        with suppress(RuntimeError):  # the event loop is gone, and with it whoever waited
            self._loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        if not self.ended.done():
            self.ended.set_result(None)


def _write(pipe: IO[bytes], payload: bytes) -> None:
    """Write the payload; a child that does not read it, or closed its stdin, is its own affair."""
    rest = memoryview(payload)
    with pipe, suppress(OSError):
        while rest:
            rest = rest[pipe.write(rest) :]


def _start(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread
