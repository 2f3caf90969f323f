"""Projects with hooks, and bundles of them, for the live suite."""

import io
import json
import shlex
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from dsh_compat_adapter.cli import main

# appends what it reads on stdin to a log, and answers if a word stands in it
HOOK = """p=$(cat); printf '%s\\n' "$p" >>"$1"; case $p in *"$2"*) printf %s "$3";; esac"""


def hook(log: Path, answer: object = "", *, on: str = "") -> str:
    """A command that records its payload, and answers if `on` stands in it."""
    said = answer if isinstance(answer, str) else json.dumps(answer)
    return shlex.join(["sh", "-c", HOOK, "sh", str(log), on, said])


def deny(event: str, reason: str) -> dict[str, Any]:
    """The nested answer that refuses a tool."""
    return {
        "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }
    }


def context(event: str, text: str) -> dict[str, Any]:
    """The nested answer that adds context."""
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def manifest(folder: Path, hooks: Sequence[Mapping[str, object]], rules: Sequence[Mapping[str, object]] = ()) -> Path:
    """A project of one `compat.yaml` (JSON is YAML)."""
    folder.mkdir(parents=True, exist_ok=True)
    declared = {"version": 1, "hooks": list(hooks), "rules": list(rules)}
    (folder / "compat.yaml").write_text(json.dumps(declared), encoding="utf-8")
    return folder


def built(project: Path, directory: Path, version: str, *options: str) -> Path:
    """The patch of a bundle for a version."""
    argv = ["build", str(project), "-o", str(directory), "--dsh", version, "--format", "json", *options]
    printed = io.StringIO()
    with redirect_stdout(printed):
        code = main(argv)
    assert code == 0, printed.getvalue()
    return directory / "cordis.patch.yml"


def read(log: Path) -> list[dict[str, Any]]:
    """What hooks have recorded, in order."""
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
