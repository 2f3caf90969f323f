"""A bundle that is installed in a profile, and one that the Python SDK is given, are in effect."""

import asyncio
import json
from pathlib import Path

import pytest

from dsh_compat_adapter.mock_llm import MockModel, Request
from tests.checkout import ROOT
from tests.live.bundles import built, deny, hook, manifest
from tests.live.harness import VERSIONS, Reply, python
from tests.live.installed import effect, in_effect, install, sample

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_installed_bundle_is_in_effect(version: str, tmp_path: Path) -> None:
    bundle = built(sample(tmp_path), tmp_path / "bundle", version, "--add-shell").parent
    install(version, tmp_path / "home", "sdk-minimal", bundle)
    seen = await effect(version, tmp_path, tmp_path / "home", "sdk-minimal")
    assert in_effect(seen), seen


async def test_a_profile_without_the_bundle_is_not(tmp_path: Path) -> None:
    seen = await effect(next(iter(VERSIONS)), tmp_path, tmp_path / "home", "sdk-minimal")
    assert not in_effect(seen)
    assert not seen["service"]


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_example_runs_a_projects_hooks_through_the_sdk(version: str, tmp_path: Path) -> None:
    handler = hook(tmp_path / "log", deny("PreToolUse", "not through the SDK"))
    project = manifest(tmp_path / "project", [{"vendor": "claude", "event": "PreToolUse", "handler": handler}])
    script: list[Reply] = [[{"tool": "bash", "input": {"command": "ls"}}], [{"text": "so be it"}]]
    requests: list[Request] = []

    def reply(request: Request) -> Reply:
        requests.append(request)
        return script[min(len(requests), len(script)) - 1]

    async with MockModel(script=reply) as model:
        argv = ["examples/dsh_sdk.py", str(project), str(tmp_path / "home"), f"http://127.0.0.1:{model.port}"]
        run = await asyncio.create_subprocess_exec(python(version), *argv, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
        out, _ = await run.communicate()
    assert run.returncode == 0
    assert out.decode() == "ADAPTED claude PreToolUse \nso be it\n"
    assert "not through the SDK" in json.dumps(requests[1]["messages"])
