"""Kills commands with everything that came from them, also what left its process group or its parent.

A descendant is found in three ways, since each can be escaped: by parent, by the session of the command, and by a
variable in its environment. A process that escapes all three (double fork, own session, wiped environment) is
outside what an unprivileged parent can see.
"""

import os
import signal
import time
from collections.abc import Mapping

import psutil

POLL_S = 0.02
KILL_WAIT_S = 5.0  # a killed process that is not gone by then hangs in the kernel


def kill_trees(targets: Mapping[int, str], variable: str, grace_s: float) -> None:
    """TERM, up to `grace_s` seconds, KILL, and wait until all are gone. Blocks and never raises.

    `targets` are the pids of the commands with the value that `variable` has in their environments. One scan serves
    them all. A command itself may be left as a zombie: its owner reaps it.
    """
    known: set[psutil.Process] = set()  # who was found once stays known, also when its parent is gone
    for number, wait_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, KILL_WAIT_S)):
        deadline = time.monotonic() + wait_s
        signalled: set[psutil.Process] = set()
        # the scan is repeated until it finds nobody: what is forked meanwhile gets the signal as well
        while True:
            known = _alive(known | _family(targets, variable, {other.pid for other in known}))
            if not known:
                return
            for other in known - signalled:
                _signal(other, number)
            signalled |= known
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_S)


def _family(targets: Mapping[int, str], variable: str, known: set[int]) -> set[psutil.Process]:
    everybody = {other.pid: other for other in psutil.process_iter(["ppid"])}
    roots = targets.keys() | known
    values = set(targets.values())
    return {
        other
        for pid, other in everybody.items()
        if pid in targets
        or _session(pid) in targets
        or _descends(pid, everybody, roots)
        or _variable(other, variable) in values
    }


def _descends(pid: int, everybody: Mapping[int, psutil.Process], roots: set[int]) -> bool:
    seen: set[int] = set()
    while pid in everybody and pid not in seen:
        seen.add(pid)
        pid = everybody[pid].info["ppid"] or 0
        if pid in roots:
            return True
    return False


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:  # gone, or somebody else's
        return None


def _variable(other: psutil.Process, variable: str) -> str | None:
    try:
        return other.environ().get(variable)
    except (psutil.Error, OSError):
        return None


def _alive(processes: set[psutil.Process]) -> set[psutil.Process]:
    return {other for other in processes if _lives(other)}


def _lives(other: psutil.Process) -> bool:
    try:
        return other.is_running() and other.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False


def _signal(other: psutil.Process, number: signal.Signals) -> None:
    try:
        other.send_signal(number)
    except (psutil.Error, OSError):
        return
