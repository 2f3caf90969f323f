"""Shared by the Python scripts beside it: where the checkout is, and its own environment."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_VENV = ROOT / ".venv"


def enter_environment() -> None:
    """Start this script anew in `.venv` if there is one; else stay where we are."""
    python = _VENV / "bin/python"
    if python.exists() and Path(sys.prefix) != _VENV:
        os.execv(python, [str(python), *sys.argv])  # noqa: S606 - a program, no shell text
    sys.path.insert(0, str(ROOT / "adapter"))


def make_environment() -> None:
    """Start this script anew in `.venv` with the test extra, made if need be; stay in another one that has it."""
    installed = all(map(find_spec, ("dsh_compat_adapter", "hypothesis", "psutil")))
    if Path(sys.prefix) != _VENV and (_VENV.exists() or not installed):
        subprocess.run(["/bin/sh", "-euc", '. scripts/environment; prepare "[test]"'], cwd=ROOT, check=True)
    enter_environment()
