"""`check` reads a tree and runs nothing of it: traps in every kind of file, and the interpreter watched from inside."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.projects import command, grouped, project

# what a process does that could be somebody else's program, and what would be a trace of this one in the tree
WATCH = """
import json, os, sys
root, seen = os.path.realpath(sys.argv[1]), []
NEVER = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty", "os.startfile", "pty.spawn",
         "socket.connect", "socket.getaddrinfo", "socket.bind", "ctypes.dlopen", "shutil.rmtree", "os.remove", "os.rename")

def watch(event, arguments):
    if event in NEVER:
        seen.append([event, repr(arguments)[:200]])
    elif event == "open" and isinstance(arguments[0], (str, bytes)) and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        seen.append([event, os.fsdecode(arguments[0])])
    elif event == "exec" and getattr(arguments[0], "co_filename", "").startswith(root):
        seen.append([event, arguments[0].co_filename])

sys.addaudithook(watch)
from dsh_compat_adapter.cli import main
code = main(["check", sys.argv[1], "--format", "json", "--home", sys.argv[1]])
sys.stderr.write(json.dumps({"code": code, "seen": seen}))
"""


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """A project in which whatever is executed leaves a file `sprung`."""
    trap = tmp_path / "sprung"
    touch, python = f"touch {trap}", f"open({str(trap)!r}, 'w')\n"
    script = f"require('fs').writeFileSync({str(trap)!r}, '')\n"
    hooks = grouped("PreToolUse", command(touch), command(f"$({touch})"), command(f"`{touch}`", args=[touch]))
    return project(
        tmp_path / "project",
        {
            ".claude/settings.json": hooks,
            ".claude/agents/a.md": f"---\nhooks: !!python/object/apply:os.system ['{touch}']\n---\n",
            ".claude/rules/a.md": f"---\npaths: !!python/object/apply:os.system ['{touch}']\n---\n@$({touch})\n",
            ".claude/skills/s/SKILL.md": f"---\nname: s\n---\n!`{touch}`\n",
            ".claude-plugin/plugin.json": {"hooks": f"$({touch})"},
            "hooks/hooks.json": hooks,
            ".codex/hooks.json": hooks,
            ".codex/config.toml": f'notify = ["sh", "-c", "{touch}"]\n',
            ".codex/rules/default.rules": f'load("{touch}")\nprefix_rule(pattern = ["a"], decision = system("{touch}"))\n',
            ".codebuddy/settings.json": hooks,
            ".github/hooks/a.json": {"hooks": {"preToolUse": [{"bash": touch, "powershell": touch}]}},
            ".opencode/plugins/guard.js": f"{script}module.exports = async () => ({{event() {{ {script} }}}})\n",
            ".opencode/plugin/guard.ts": f"{script}export const Guard = async () => ({{ event: async () => {{}} }})\n",
            "opencode.json": {"plugin": ["./.opencode/plugins/guard.js", "trap@latest"]},
            ".dsh-hooks.json": {"version": 1, "events": {"tool:before": [{"type": "shell", "command": touch}]}},
            "compat.yaml": f"version: 1\nhooks: !!python/object/apply:os.system ['{touch}']\n",
            # what an interpreter, a shell or a package manager would load by itself
            "sitecustomize.py": python,
            "usercustomize.py": python,
            "conftest.py": python,
            "yaml.py": python,
            "json.py": python,
            "package.json": {"scripts": {"preinstall": touch, "prepare": touch}},
            ".envrc": touch,
            ".git/hooks/post-checkout": f"#!/bin/sh\n{touch}\n",
            ".git/config": f"[core]\n\tfsmonitor = {touch}\n\tpager = {touch}\n",
        },
    )


def test_no_program_runs_no_host_is_called_and_nothing_is_written(trapped: Path, tmp_path: Path) -> None:
    before = sorted(str(path) for path in trapped.rglob("*"))
    done = subprocess.run(
        [sys.executable, "-P", "-c", WATCH, str(trapped)],
        cwd=trapped,
        env={"PYTHONPATH": str(ROOT / "adapter"), "PYTHONDONTWRITEBYTECODE": "1", "PATH": f".:{trapped}"},
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stderr)
    assert report == {"code": 1, "seen": []}
    assert {Path(file).name for file in json.loads(done.stdout)["files"]} >= {"guard.js", "guard.ts", "default.rules"}
    assert not (tmp_path / "sprung").exists()
    assert sorted(str(path) for path in trapped.rglob("*")) == before
