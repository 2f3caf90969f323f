"""A real DSH of each version runs a bundle whose hook, behind the connector, refuses one tool."""

from pathlib import Path

import pytest

from tests.live.bundles import built, deny, hook, manifest, read
from tests.live.harness import VERSIONS, booted

pytestmark = pytest.mark.live


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_hook_behind_the_connector_refuses_a_tool_and_the_model_reads_why(version: str, tmp_path: Path) -> None:
    log, ran = tmp_path / "log", tmp_path / "ran"
    declared = {"vendor": "claude", "event": "PreToolUse", "matcher": "Bash", "bridge": "native"}
    project = manifest(tmp_path / "project", [{**declared, "handler": hook(log, deny("PreToolUse", "no bash here"))}])
    patch = built(project, tmp_path / "bundle", version, "--add-shell")
    call = {"tool": "bash", "input": {"command": f"touch {ran}"}}
    async with booted(version, tmp_path, patches=[patch], script=[[call], [{"text": "so be it"}]]) as dsh:
        done = await dsh.run("touch a file")
    assert (done.finish, done.final) == ("completed", "so be it")
    assert done.results() == ["Error: no bash here"]
    assert "no bash here" in dsh.said()
    assert not ran.exists()
    (payload,) = read(log)
    assert (payload["tool_name"], payload["tool_input"]) == ("Bash", {"command": f"touch {ran}"})
    assert payload["session_id"] == done.session
    assert dsh.stderr == []
