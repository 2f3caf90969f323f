"""Installs a bundle into a profile, and shows that an installed one is in effect, with no `--patch` that brings it."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.live.bundles import deny, hook, manifest
from tests.live.harness import booted, python
from tests.live.verify import DONE, PRESET, call, insert

PACKAGE = "dsh-compat-bundle"
BASE = "@deepseek-ai/dsh-sdk-minimal"


def install(version: str, home: Path, profile: str, bundle: Path) -> str:
    """Install a bundle directory and say how: with `dsh plugin add` where pnpm exists, else by hand."""
    if shutil.which("pnpm"):
        dsh = python(version).with_name("dsh")
        command = [str(dsh), "plugin", "--profile", profile, "add", f"file:{bundle}"]
        home.mkdir(parents=True, exist_ok=True)
        environment = {**os.environ, "DSH_HOME": str(home)}
        subprocess.run(command, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        return "dsh plugin add"
    folder = home / "profiles" / profile
    shutil.copytree(bundle, folder / "node_modules" / PACKAGE)
    package = {
        "name": profile,
        "private": True,
        "dependencies": {PACKAGE: f"file:{bundle}"},
        "dsh": {"profile": {"bundles": [BASE, PACKAGE]}},
    }
    (folder / "package.json").write_text(json.dumps(package), encoding="utf-8")
    return "by hand, since there is no pnpm"


async def effect(version: str, folder: Path, home: Path, profile: str) -> dict[str, Any]:
    """What an installed bundle does: its service, a refusal, a call that is not refused, carried rules and its status."""
    told, status, log, rules = (folder / name for name in ("told.json", "status.json", "log", "rules.md"))
    rules.write_text("Rule of verify-installed.\n", encoding="utf-8")
    declared = {"vendor": "claude", "event": "PreToolUse", "matcher": "Bash", "bridge": "native"}
    answer = deny("PreToolUse", "installed-plugin-denial")
    registrations = [
        {"as": "deny", "hook": {**declared, "handler": hook(log, answer, on="FORBIDDEN")}},
        {"as": "rules", "rules": {"vendor": "codex", "source": str(rules)}},
    ]
    config = {"registrations": registrations, "told": str(told), "status": str(status)}
    row = insert(folder / "probe.yml", {"id": "preset", "name": str(PRESET), "config": config})
    script = [call("bash", command="echo FORBIDDEN"), call("bash", command="echo free"), DONE]
    async with booted(version, folder, patches=[row], script=script, profile=profile, home=home) as dsh:
        done = await dsh.run("work")
    if not told.exists():
        return {"profile": profile, "service": False, "stderr": dsh.stderr}
    results, after = (json.loads(file.read_text(encoding="utf-8")) for file in (told, status))
    carried = [one for one in done.of("user/message") if one["source"]["kind"] == "compat-adapter-rules"]
    return {
        "profile": profile,
        "service": True,
        "deny": {"capability": results["deny"]["capability"], "results": done.results()},
        "rules": {"capability": results["rules"]["capability"], "injected": len(carried)},
        "status": after["counts"],
        "stderr": dsh.stderr,
    }


def in_effect(seen: dict[str, Any]) -> bool:
    """Whether all of it is as it should be."""
    return bool(
        seen["service"]
        and seen["deny"]["results"][0] == "Error: installed-plugin-denial"
        and seen["deny"]["results"][1].startswith("free")
        and seen["rules"]["injected"] == 1
        and seen["stderr"] == []
    )


def sample(folder: Path) -> Path:
    """A project with nothing but a rule, so that what was installed can be told from what the check registers."""
    return manifest(folder / "project", [])
