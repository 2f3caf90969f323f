"""`declare.scan_file`: one file that somebody named, read as the vendor's whose it is."""

from pathlib import Path

import pytest

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.declare.scan import Scan
from dsh_compat_adapter.declare.scan_file import scan_file
from tests.projects import CATALOG, command, grouped, project


def scanned(root: Path, name: str, owner: str | None = None) -> Scan:
    return scan_file(root / name, root, CATALOG, owner)


@pytest.mark.parametrize(
    ("name", "owner"),
    [(".claude/settings.json", "claude"), (".codex/hooks.json", "codex"), (".codebuddy/settings.json", "workbuddy")],
)
def test_a_file_in_the_place_of_one_vendor_is_that_vendors(tmp_path: Path, name: str, owner: str) -> None:
    project(tmp_path, {name: grouped("Stop", command())})
    assert [hook.vendor for hook in scanned(tmp_path, name).hooks] == [owner]


def test_a_file_of_another_name_is_read_as_the_given_vendors(tmp_path: Path) -> None:
    project(tmp_path, {"codex.hooks.json": grouped("Stop", command())})
    assert [hook.vendor for hook in scanned(tmp_path, "codex.hooks.json", "codex").hooks] == ["codex"]


@pytest.mark.parametrize("name", ["x.json", "hooks/hooks.json", "x.toml"])
def test_a_file_that_may_be_anybodys_is_a_question_back(tmp_path: Path, name: str) -> None:
    project(tmp_path, {name: "{}"})
    with pytest.raises(CompatError, match=r"whose file is .*--vendor: claude") as caught:
        scanned(tmp_path, name)
    assert caught.value.code is ErrorCode.INVALID_INPUT


def test_a_kind_of_file_that_the_vendor_never_reads_is_refused(tmp_path: Path) -> None:
    project(tmp_path, {"x.toml": ""})
    with pytest.raises(CompatError, match="OpenCode keeps no hooks in a file of this kind") as caught:
        scanned(tmp_path, "x.toml", "opencode")
    assert caught.value.code is ErrorCode.INVALID_INPUT


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="is no file") as caught:
        scanned(tmp_path, "no.json", "claude")
    assert caught.value.code is ErrorCode.INVALID_FILE


def test_a_manifest_brings_its_rules_and_its_policy(tmp_path: Path) -> None:
    text = "version: 1\npolicy: strict\nhooks: [{vendor: claude, event: Stop, handler: 'true'}]\n"
    project(tmp_path, {"my.yml": text + "rules: [{vendor: codex, source: AGENTS.md}]"})
    found = scanned(tmp_path, "my.yml")
    assert found.manifest is not None
    assert found.manifest.policy == "strict"
    assert (len(found.hooks), len(found.rules)) == (1, 1)


def test_a_broken_manifest_is_an_error_with_its_place(tmp_path: Path) -> None:
    project(tmp_path, {"my.yaml": "version: 2"})
    with pytest.raises(CompatError, match=r"my\.yaml:1:10: version must be 1"):
        scanned(tmp_path, "my.yaml")


def test_a_plugin_file_is_refused_and_not_dropped(tmp_path: Path) -> None:
    project(tmp_path, {".opencode/plugins/a.js": "export const P = async () => ({ event: async () => {} })"})
    found = scanned(tmp_path, ".opencode/plugins/a.js")
    assert [(owner, one.name) for owner, one in found.refused] == [("opencode", "event")]


def test_a_broken_file_is_a_finding(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": "{"})
    assert [finding.code for finding in scanned(tmp_path, ".claude/settings.json").findings] == ["invalid-file"]


def test_a_file_that_switches_its_hooks_off_says_so(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": {"disableAllHooks": True, **grouped("Stop", command())}})
    found = scanned(tmp_path, ".claude/settings.json")
    assert found.hooks == ()
    assert [finding.code for finding in found.findings] == ["hooks-disabled"]


def test_a_switch_that_the_vendor_does_not_have_switches_nothing_off(tmp_path: Path) -> None:
    project(tmp_path, {".codebuddy/settings.json": {"disableAllHooks": True, **grouped("Stop", command())}})
    found = scanned(tmp_path, ".codebuddy/settings.json")
    assert (len(found.hooks), [finding.code for finding in found.findings]) == (1, ["switch-without-effect"])
