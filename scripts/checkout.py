"""Shared by the Python scripts beside it: where the checkout is, and its own environment."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_VENV = ROOT / ".venv"


def enter_environment() -> None:
    """Start this script anew in `.venv` if `scripts/test` or `scripts/demo` has made one; else stay where we are."""
    python = _VENV / "bin/python"
    if python.exists() and Path(sys.prefix) != _VENV:
        os.execv(python, [str(python), *sys.argv])  # noqa: S606 - a program, no shell text
    sys.path.insert(0, str(ROOT / "adapter"))
