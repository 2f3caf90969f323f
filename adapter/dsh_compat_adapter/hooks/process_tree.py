"""Kills a command with everything that came from it, also what left its process group or its parent.

A descendant is found in three ways, since each can be escaped: by parent, by the session of the command, and by a
variable in its environment. A process that escapes all three (double fork, own session, wiped environment) is
outside what an unprivileged parent can see.
"""

import os
import signal
import time

import psutil

POLL_S = 0.02
KILL_WAIT_S = 5.0  # a killed process that is not gone by then hangs in the kernel


def kill_tree(pid: int, variable: str, value: str, grace_s: float) -> None:
    """TERM, up to `grace_s` seconds, KILL, and wait until all are gone. Blocks and never raises.

    The command itself may be left as a zombie: its owner reaps it.
    """
    for number, wait_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, KILL_WAIT_S)):
        deadline = time.monotonic() + wait_s
        signalled: set[psutil.Process] = set()
        # the scan is repeated until it finds nobody: what is forked meanwhile gets the signal as well
        while family := {other for other in psutil.process_iter() if _belongs(other, pid, variable, value)}:
            for other in family - signalled:
                _signal(other, number)
            signalled |= family
            if time.monotonic() > deadline:
                break
            time.sleep(POLL_S)


def _belongs(other: psutil.Process, pid: int, variable: str, value: str) -> bool:
    try:
        if other.status() == psutil.STATUS_ZOMBIE:
            return False
        return (
            other.pid == pid
            or os.getsid(other.pid) == pid
            or other.environ().get(variable) == value
            or any(parent.pid == pid for parent in other.parents())
        )
    except (psutil.Error, OSError):  # gone, or somebody else's
        return False


def _signal(other: psutil.Process, number: signal.Signals) -> None:
    try:
        other.send_signal(number)
    except (psutil.Error, OSError):
        return
