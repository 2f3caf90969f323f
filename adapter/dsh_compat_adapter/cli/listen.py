"""`dsh-compat listen`: serve the hooks of a project over stdin and stdout."""

import argparse
import asyncio
import os
import signal
import stat
import sys
from collections.abc import Callable

from ..hooks.stop_guard import StopGuard
from ..hosts.stdio.server import Project, Server

STDIN, STDOUT = 0, 1


def run(arguments: argparse.Namespace) -> int:
    """Serve until `bye`, the end of stdin, SIGTERM, or until nobody reads the replies."""
    # the protocol has the real stdout; whatever else prints goes to stderr
    out = os.dup(STDOUT)
    os.dup2(sys.stderr.fileno(), STDOUT)
    shared = [fd for fd in (STDIN, out) if _may_be_non_blocking(fd)]
    for fd in shared:
        os.set_blocking(fd, False)
    try:
        return asyncio.run(_serve(arguments, out))
    finally:
        for fd in shared:
            os.set_blocking(fd, True)


async def _serve(arguments: argparse.Namespace, out: int) -> int:
    server = Server(_loader(arguments), STDIN, out)
    serving = asyncio.ensure_future(server.serve())
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


def _loader(arguments: argparse.Namespace) -> Callable[[], Project]:
    """Reads the project anew at each call; the first request pays for it, so that a ping is answered at once."""
    guard = StopGuard()

    def load() -> Project:
        from .project import served  # noqa: PLC0415 - start-up

        return served(arguments, guard)

    return load


def _may_be_non_blocking(fd: int) -> bool:
    """Pipes and sockets only: a terminal is shared with the shell, and a file never blocks."""
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
