"""The lock that a process holds on its journal for as long as it lives; the system takes it off a dead one."""

import os
import sys

if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        os.lseek(fd, 1 << 30, os.SEEK_SET)  # beyond what is ever read: a lock there keeps nobody from reading
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(fd: int) -> bool:
    """Take the lock of an open file unless somebody has it who opened the file anew."""
    try:
        _lock(fd)
    except OSError:
        return False
    return True
