"""The settings of profile `sdk` under which tools run without a sandbox and every ask reaches an answerer."""

import json
from pathlib import Path

PROVOKE = Path(__file__).with_name("provoke.mjs")


def open_profile(folder: Path, workspace: Path, *, answerer: bool = True, questions: bool = True) -> Path:
    """A patch for profile `sdk`. `answerer` adds the plugin that answers and provokes."""
    rows: list[object] = [
        {"id": "sandbox-policy", "config": {"mode": "danger-full-access", "workspaceRoot": str(workspace)}},
        {"id": "approval", "config": {"policy": "ask"}},
        {"id": "permission", "disabled": True},
    ]
    inserted: list[object] = []
    if questions:
        inserted.append({"id": "ask-user", "name": "@deepseek-ai/dsh-tool-ask-user"})
    if answerer:
        inserted.append({"id": "provoke", "name": str(PROVOKE)})
    folder.mkdir(parents=True, exist_ok=True)
    patch = folder / "open profile.yml"
    patch.write_text(json.dumps([*rows, {"insert": inserted}]), encoding="utf-8")
    return patch
