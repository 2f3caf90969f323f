"""Runs commands on the shell of the harness, so that its sandbox and its rules for the environment count for hooks.

The harness kills a process group; what a command has moved out of it is found by a variable in its environment, as
on the local shell.
"""

import asyncio
import os
import re
import shlex
import time
from collections.abc import Mapping

from ...hooks.process import KILL_GRACE_S, MARKER, OUTPUT_LIMIT, Command, Finished
from .calls import CallError, Calls

SPARE_S = 30.0  # the harness's own limit stands behind the one that is kept here
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
NOBODY = -1  # no pid: the command is known by the variable alone


class DshShell:
    """A `Shell` behind the connector. `inherited` is the environment that the harness gives a command anyway."""

    def __init__(self, calls: Calls, inherited: Mapping[str, str]) -> None:
        self._calls = calls
        self._inherited = dict(inherited)

    async def run(self, command: Command) -> Finished:
        """See `Shell.run`."""
        started = time.perf_counter()
        marker = os.urandom(16).hex()
        running = asyncio.ensure_future(self._calls.call("shell", self._args(command, marker), marker))
        try:
            done, _ = await asyncio.wait({running}, timeout=command.timeout_s)
        except asyncio.CancelledError:
            await _end(running, marker)
            raise
        if not done:
            await _end(running, marker)
            return Finished(timed_out=True, duration_s=time.perf_counter() - started)
        try:
            ended = await running
        except CallError as error:
            await kill_marked([marker])
            return Finished(spawn_error=str(error), duration_s=time.perf_counter() - started)
        return _finished(ended, time.perf_counter() - started)

    def _args(self, command: Command, marker: str) -> dict[str, object]:
        wanted = {**command.env, MARKER: marker}
        added = {name: value for name, value in wanted.items() if self._inherited.get(name) != value}
        # what the engine has taken out must not come in again from the harness's own environment
        taken = [name for name in self._inherited if name not in wanted and NAME.fullmatch(name)]
        unset = f"unset {' '.join(taken)}; " if taken else ""
        return {
            "command": f"{unset}exec {shlex.join(command.argv)}",
            "cwd": command.cwd,
            "env": added,
            "stdin": command.stdin.decode("ascii"),
            "timeout_ms": round((command.timeout_s + SPARE_S) * 1000),
            "max_bytes": OUTPUT_LIMIT,
        }


async def kill_marked(markers: list[str]) -> None:
    """Kill every process that has one of these markers in its environment."""
    from ...hooks.process_tree import kill_trees  # noqa: PLC0415 - start-up: only a hook that is killed needs psutil

    targets = {NOBODY - number: marker for number, marker in enumerate(markers)}
    await asyncio.to_thread(kill_trees, targets, MARKER, KILL_GRACE_S)


async def _end(running: asyncio.Future[object], marker: str) -> None:
    """Kill the command with all that came from it; returns when it is dead, also when a cancellation comes meanwhile.

    The tree first: after the harness has killed the command, its children could not be told from others by parent.
    """
    killing = asyncio.ensure_future(_killed(running, marker))
    cancelled = False
    while not killing.done():
        try:
            await asyncio.shield(killing)
        except asyncio.CancelledError:  # quiescence comes first
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError


async def _killed(running: asyncio.Future[object], marker: str) -> None:
    await kill_marked([marker])
    running.cancel()
    await asyncio.wait({running})
    if not running.cancelled():
        running.exception()  # nobody else looks at it
    await kill_marked([marker])  # one that the harness was only about to start


def _finished(ended: object, duration_s: float) -> Finished:
    if not isinstance(ended, Mapping):
        return Finished(spawn_error="the harness gave no result", duration_s=duration_s)
    code, stdout, stderr = (ended.get(key) for key in ("exit_code", "stdout", "stderr"))
    number = code if isinstance(code, int) else None
    return Finished(
        exit_code=number,
        signal=_signal(ended.get("signal")) if number is None else None,
        stdout=str(stdout or "").encode("utf-8", "surrogatepass"),
        stderr=str(stderr or "").encode("utf-8", "surrogatepass"),
        truncated=ended.get("truncated") is True,
        timed_out=ended.get("timed_out") is True,
        duration_s=duration_s,
    )


def _signal(name: object) -> int:
    import signal  # noqa: PLC0415 - start-up: few commands end by a signal

    return int(getattr(signal, str(name), signal.SIGKILL))
