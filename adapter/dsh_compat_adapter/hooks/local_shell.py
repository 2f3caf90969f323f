"""The shell of this machine."""

import sys

from .process import LocalShell, Shell
from .process_windows import ThreadedShell


def local_shell() -> Shell:
    """Runs commands as children of this process, in the way of this operating system."""
    return ThreadedShell() if sys.platform == "win32" else LocalShell()
