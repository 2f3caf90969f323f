"""What `dsh-compat audit` says of a store that a harness has written."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def audited(store: Path, *arguments: str) -> Any:
    """The document that it prints."""
    command = [sys.executable, "-m", "dsh_compat_adapter", "audit", "--facts", str(store), "--format", "json"]
    return json.loads(subprocess.run([*command, *arguments], capture_output=True, check=True).stdout)
