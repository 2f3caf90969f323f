"""`dsh-compat listen`: serve the hooks of a project over stdin and stdout."""

import argparse
import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable, Coroutine
from typing import Protocol

from ..errors import CompatError, ErrorCode
from ..hosts.stdio.server import Project, Server
from .talk import Talk

STDIN, STDOUT, STDERR = 0, 1, 2


class Served(Protocol):
    """A project that is served: what outlives a reload of it."""

    def load(self) -> Project:
        """Read the project."""
        ...

    def close(self) -> None:
        """Write what there is to write; called once, at the end."""
        ...


def run(arguments: argparse.Namespace) -> int:
    """Serve until `bye`, the end of stdin, SIGTERM, or until nobody reads the replies."""
    return serve("listen", lambda stdin, out: _listen(_Loading(arguments), stdin, out))


def serve(name: str, door: Callable[[int, int], Coroutine[None, None, None]]) -> int:
    """Run a door on stdin and the real stdout until it ends or a signal ends it; returns the exit code."""
    if not (_is_open(STDIN) and _is_open(STDOUT)):
        raise CompatError(ErrorCode.INVALID_INPUT, f"{name} needs an open stdin and stdout")
    # where there is no stderr, its number must not go to the copy of stdout
    talk = STDERR if _is_open(STDERR) else os.open(os.devnull, os.O_WRONLY)
    # the protocol has the real stdout; whatever else prints goes to stderr
    out = os.dup(STDOUT)
    os.dup2(talk, STDOUT)
    sys.stderr = Talk(talk)
    shared = [fd for fd in (STDIN, out) if _may_be_non_blocking(fd)]
    for fd in shared:
        os.set_blocking(fd, False)
    try:
        return asyncio.run(_serve(door(STDIN, out)))
    finally:
        for fd in shared:
            os.set_blocking(fd, True)


async def _serve(door: Coroutine[None, None, None]) -> int:
    serving = asyncio.ensure_future(door)
    loop = asyncio.get_running_loop()
    ended_by: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        ended_by.append(number)
        serving.cancel()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        loop.add_signal_handler(number, end, number)
    try:
        await serving
    except asyncio.CancelledError:
        return 128 + ended_by[0] if ended_by else 1
    return 0


async def _listen(loading: "_Loading", stdin: int, out: int) -> None:
    try:
        await Server(loading.load, stdin, out).serve()
    finally:
        loading.close()


class _Loading:
    """Reads the project anew at each call; the first request pays for it, so that a ping is answered at once."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._served: Served | None = None

    def load(self) -> Project:
        from .project import ServedProject  # noqa: PLC0415 - start-up

        if self._served is None:
            self._served = ServedProject(self._arguments)
        return self._served.load()

    def close(self) -> None:
        if self._served is not None:
            self._served.close()


def _is_open(fd: int) -> bool:
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def _may_be_non_blocking(fd: int) -> bool:
    """Pipes and sockets only: a terminal is shared with the shell, and a file never blocks."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
