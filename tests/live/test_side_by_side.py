"""The same hook on the official bridge and behind the connector, in DSH 0.1.5-rc.1: one decision, and nearly one payload."""

from pathlib import Path
from typing import Any

import pytest

from tests.live.bundles import built, deny, hook, manifest, read
from tests.live.harness import booted
from tests.live.verify import call

pytestmark = [pytest.mark.live, pytest.mark.timeout(300)]
VERSION = "0.1.5-rc.1"
# the losses payload-values-of-host, permission-mode-of-host, model-only-if-configured and payload-fields-missing of the rows
OTHERWISE = {
    "claude": {"tool_name", "transcript_path", "prompt_id"},
    "codex": {"tool_name", "transcript_path", "model", "permission_mode"},
}


async def guarded(vendor: str, bridge: str, folder: Path) -> tuple[list[str], dict[str, Any]]:
    """The results of two tool calls under a hook that refuses the first, and what it read of that one."""
    log = folder / bridge
    handler = hook(log, deny("PreToolUse", "not this one"), on="FORBIDDEN")
    declared = {"vendor": vendor, "event": "PreToolUse", "matcher": "Bash", "handler": handler, "bridge": bridge}
    patch = built(
        manifest(folder / f"project {bridge}", [declared]), folder / f"bundle {bridge}", VERSION, "--add-shell"
    )
    script = [call("bash", command="echo FORBIDDEN"), call("bash", command="echo free"), [{"text": "done"}]]
    home = folder / f"home {bridge}"
    async with booted(VERSION, home, patches=[patch], script=script, workspace=folder / "work") as dsh:
        done = await dsh.run("work", "the same session")
    assert dsh.stderr == []
    return done.results(), read(log)[0]


@pytest.mark.parametrize("vendor", OTHERWISE)
async def test_both_ways_decide_the_same_and_read_the_same_but_for_what_the_rows_list(
    vendor: str, tmp_path: Path
) -> None:
    results, official = await guarded(vendor, "official", tmp_path)
    native_results, native = await guarded(vendor, "native", tmp_path)
    assert results == native_results
    assert results[0] == "Error: not this one"
    assert {key for key in {*official, *native} if official.get(key) != native.get(key)} == OTHERWISE[vendor]
