"""A `dsh-compat` whose results go to a full disk."""

import subprocess
import sys
from pathlib import Path

from tests.listening import environment

SAID = (2, "dsh-compat: the output cannot be written: No space left on device\n")


def on_full_disk(*arguments: str | Path, cwd: Path, **variables: str) -> tuple[int, str]:
    """Its exit code, and what it says about that."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dsh_compat_adapter", *map(str, arguments)],
            cwd=cwd,
            env=environment(**variables),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    return done.returncode, done.stderr
