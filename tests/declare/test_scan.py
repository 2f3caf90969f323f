"""`declare.scan`: all that a project declares, in the order of its files; whatever is broken is a finding."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.scan import Scan, scan
from dsh_compat_adapter.routes.carry import kind_of
from tests.projects import BOM, CATALOG, as_nobody, command, fifo, grouped, on_disk, project, unreadable

BROKEN = '{"hooks": '
PATTERNS = {
    path
    for one in (*CATALOG.vendors.values(), CATALOG.native)
    for path in (*(kind.path for kind in one.config), *(kind.path for kind in one.rules))
    if not path.startswith(("~", "/", "C:"))
}
PLACES = sorted({pattern.replace("**/", "").replace("*", "x") for pattern in PATTERNS} | {"compat.yaml"})


def scanned(root: Path, *, home: Path | None = None) -> Scan:
    return scan(root, CATALOG, home=home)


def codes(found: Scan) -> list[tuple[str, str]]:
    return [(finding.code, os.path.relpath(finding.where.file, found.root)) for finding in found.findings]


def commands(found: Scan) -> list[object]:
    return [hook.handler["command"] for hook in found.hooks if isinstance(hook.handler, dict)]


def test_hooks_come_in_the_order_in_which_they_are_appended(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    project(home, {".claude/settings.json": grouped("Stop", command("user"))})
    project(
        root,
        {
            "compat.yaml": "version: 1\nhooks: [{vendor: codex, event: Stop, handler: {type: command, command: last}}]",
            ".claude/settings.local.json": grouped("Stop", command("local")),
            ".claude/settings.json": grouped("Stop", command("first"), command("second")),
            ".codex/hooks.json": grouped("Stop", command("codex")),
        },
    )
    assert commands(scanned(root, home=home)) == ["user", "first", "second", "codex", "local", "last"]


def test_a_manifest_alone_stands_in_for_the_files_of_the_project_and_says_so_once(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    project(home, {".claude/settings.json": grouped("Stop", command("user"))})
    entry = "{vendor: codex, event: Stop, handler: {type: command, command: manifest}}"
    project(
        root,
        {
            "compat.yaml": f"version: 1\ndiscover: false\nhooks: [{entry}]",
            ".claude/settings.json": grouped("Stop", command("project")),
            ".claude/settings.local.json": BROKEN,
            "hooks/hooks.json": grouped("Stop", command("plugin")),
            "AGENTS.md": "x",
        },
    )
    found = scanned(root, home=home)
    assert commands(found) == ["user", "manifest"]
    assert [path.name for path in found.files] == ["settings.json", "compat.yaml"]
    [note] = found.findings
    assert (note.code, note.severity, note.where.line) == ("files-not-discovered", Severity.NOTE, 2)
    assert ".claude/settings.json" in note.message
    assert commands(scan(root, CATALOG, manifest=False)) == ["plugin", "project"]


def test_a_manifest_alone_in_an_otherwise_empty_project_has_nothing_to_say(tmp_path: Path) -> None:
    assert codes(scanned(project(tmp_path, {"compat.yaml": "version: 1\ndiscover: false"}))) == []


def test_a_broken_file_hides_no_other(tmp_path: Path) -> None:
    project(
        tmp_path,
        {
            ".claude/settings.json": BROKEN,
            ".codex/hooks.json": grouped("Stop", command("codex")),
            "compat.yaml": "version: 3",
            "AGENTS.md": b"\xff",
        },
    )
    found = scanned(tmp_path)
    assert commands(found) == ["codex"]
    assert codes(found) == [("invalid-file", ".claude/settings.json"), ("invalid-declaration", "compat.yaml")]
    assert {path.name for path in found.files} == {"settings.json", "hooks.json", "AGENTS.md", "compat.yaml"}


def test_a_byte_order_mark_hides_no_hook_and_stays_in_the_file(tmp_path: Path) -> None:
    text = BOM + json.dumps(grouped("Stop", command("marked"))).encode()
    project(tmp_path, {".claude/settings.json": text, ".github/hooks/a.json": BOM + b'{"version": 1, "hooks": {}}'})
    found = scanned(tmp_path)
    assert commands(found) == ["marked"]
    assert found.findings == ()
    assert (tmp_path / ".claude/settings.json").read_bytes() == text


@pytest.mark.parametrize("name", [".claude/settings.json", ".codex/config.toml", "opencode.json", "compat.yaml"])
@pytest.mark.parametrize("make", [Path.mkdir, fifo, unreadable], ids=["folder", "pipe", "unreadable"])
def test_what_is_no_readable_file_is_a_finding_and_is_listed(
    tmp_path: Path, name: str, make: Callable[[Path], object]
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    make(path)
    found = scanned(tmp_path)
    assert codes(found) == [("invalid-file", name)]
    assert found.files == (path,)


def test_settings_of_one_vendor_switch_off_no_hook_of_another(tmp_path: Path) -> None:
    project(
        tmp_path,
        {
            ".claude/settings.json": {"disableAllHooks": True, **grouped("Stop", command("claude"))},
            ".codex/hooks.json": grouped("Stop", command("codex")),
            ".github/hooks/a.json": {"version": 1, "hooks": {"agentStop": [{"bash": "copilot"}]}},
        },
    )
    found = scanned(tmp_path)
    assert [hook.vendor for hook in found.hooks] == ["codex", "copilot"]
    assert codes(found) == [("hooks-disabled", ".claude/settings.json")]


@pytest.mark.parametrize(
    ("project_says", "local_says", "runs"),
    [
        (True, None, False),
        (None, True, False),
        (True, False, True),
        (False, True, False),
        (False, None, True),
        (None, None, True),
    ],
)
def test_the_most_specific_file_that_says_something_switches_hooks_off_or_on(
    tmp_path: Path,
    project_says: bool | None,  # noqa: FBT001
    local_says: bool | None,  # noqa: FBT001
    runs: bool,  # noqa: FBT001
) -> None:
    for name, says in (("settings.json", project_says), ("settings.local.json", local_says)):
        settings = grouped("Stop", command(name))
        project(tmp_path, {f".claude/{name}": settings if says is None else {**settings, "disableAllHooks": says}})
    found = scanned(tmp_path)
    assert commands(found) == (["settings.json", "settings.local.json"] if runs else [])
    off = [finding for finding in found.findings if finding.code == "hooks-disabled"]
    assert len(off) == (0 if runs else 2)  # no file whose hooks do not run is without a word
    by = ".claude/settings.local.json" if local_says else ".claude/settings.json"
    assert all(finding.severity is Severity.NOTE and f"true in {tmp_path / by}" in finding.message for finding in off)


@pytest.mark.parametrize("value", ["true", 1, None, []], ids=repr)
def test_a_switch_that_is_no_boolean_switches_nothing_off(tmp_path: Path, value: object) -> None:
    project(tmp_path, {".claude/settings.json": {"disableAllHooks": value, **grouped("Stop", command("runs"))}})
    found = scanned(tmp_path)
    assert commands(found) == ["runs"]
    assert codes(found) == ([] if value is None else [("wrong-shape", ".claude/settings.json")])


def test_hooks_where_the_vendor_never_looks_do_not_run_and_the_finding_says_where_to_put_them(tmp_path: Path) -> None:
    project(tmp_path, {".claude/hooks.json": grouped("Stop", command("never"))})
    found = scanned(tmp_path)
    assert found.hooks == ()
    [finding] = found.findings
    assert (finding.code, finding.severity) == ("place-not-read", Severity.ERROR)
    assert finding.remedy == "move it to .claude/settings.json"


def test_code_plugins_are_refused_by_name_and_place(tmp_path: Path) -> None:
    project(
        tmp_path,
        {
            "opencode.json": {"plugin": ["some-plugin"]},
            ".opencode/plugin/guard.js": 'export default () => ({\n  "tool.execute.before": async () => {},\n})',
        },
    )
    refused = scanned(tmp_path).refused
    assert [(owner, one.name, one.where.line) for owner, one in refused] == [
        ("opencode", "plugin some-plugin", 1),
        ("opencode", "tool.execute.before", 2),
    ]


def test_rules_are_declared_relative_to_the_project_and_below_it(tmp_path: Path) -> None:
    project(tmp_path, {".claude/rules/[id].md": "x", "CLAUDE.md": "x"})
    found = scanned(tmp_path)
    assert {str(rule.source) for rule in found.rules if rule.vendor == "claude"} == {
        "CLAUDE.md",
        ".claude/rules/[id].md",
    }
    assert {rule.base_dir for rule in found.rules} == {str(tmp_path)}


def test_the_users_rules_are_found_below_a_relative_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {"home/.claude/CLAUDE.md": "x", "project/README.md": "x"})
    monkeypatch.chdir(tmp_path)
    sources = {rule.source for rule in scanned(Path("project"), home=Path("home")).rules}
    assert sources == {str(tmp_path / "home/.claude/CLAUDE.md")}


def test_a_scan_writes_nothing(tmp_path: Path) -> None:
    project(tmp_path, dict.fromkeys(PLACES, BROKEN))
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    scanned(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


contents = st.one_of(
    st.binary(max_size=20),
    st.sampled_from(
        [
            b"{}",
            b"[]",
            b"null",
            b'{"hooks": null}',
            b'{"hooks": []}',
            b'{"hooks": {"Stop": {}}}',
            b'{"hooks": {"Stop": [null, 5, "x", [], {}]}}',
            b'{"hooks": {"PreToolUse": [{"matcher": 5, "hooks": [null, {}, {"type": "command"}]}]}}',
            b'{"events": {"tool:before": [null, {}]}, "version": 1}',
            b'{"plugin": [null, 5, {}, [], ["a"]]}',
            b"[[hooks.Stop]]\nhooks = 5\n[[hooks.Stop.x]]",
            b"version: 1\nhooks: [{}]",
            b"export default () => ({event() {}, ...x, [y]: 1})",
            b"---\npaths: [\n---\n",
        ]
    ),
)


@on_disk
@given(files=st.dictionaries(st.sampled_from(PLACES), contents, max_size=6))
def test_any_files_are_scanned_and_every_finding_names_a_file_that_is_listed(
    tmp_path: Path, files: dict[str, bytes]
) -> None:
    for name in PLACES:
        (tmp_path / name).unlink(missing_ok=True)
    found = scanned(project(tmp_path, dict(files)))
    listed = {str(path) for path in found.files}
    # a file that is mostly about something else is listed only where it declares a hook
    other = [name for name in files if re.search(r"/(agents|commands|skills)/|plugin\.json$", name)]
    assert {str(tmp_path / name) for name in files if name not in other} <= listed
    assert {finding.where.file for finding in found.findings} <= listed
    assert all(hook.where is not None and hook.where.file in listed for hook in found.hooks)


@pytest.mark.parametrize("path", [".codebuddy/settings.json", ".codex/hooks.json"])
def test_a_vendor_whose_engine_does_not_know_the_switch_keeps_its_hooks_on(tmp_path: Path, path: str) -> None:
    project(tmp_path, {path: {"disableAllHooks": True, **grouped("Stop", command("runs"))}})
    found = scanned(tmp_path)
    assert [hook.handler for hook in found.hooks] == [command("runs")]
    assert not [finding for finding in found.findings if finding.code == "hooks-disabled"]


def test_the_folder_of_a_plugin_is_absolute_although_the_project_was_named_relatively(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, {"plugin/hooks/hooks.json": grouped("Stop", command("${CLAUDE_PLUGIN_ROOT}/run"))})
    monkeypatch.chdir(tmp_path)
    assert {hook.plugin_root for hook in scanned(Path("plugin")).hooks} == {str(tmp_path / "plugin")}


def test_a_folder_that_cannot_be_searched_is_an_error_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {".github/hooks/guard.json": grouped("Stop", command()), ".claude/rules/deep/a.md": "x"})
    (tmp_path / ".github/hooks").chmod(0)
    (tmp_path / ".claude/rules/deep").chmod(0)
    with as_nobody(tmp_path, monkeypatch):
        found = scan(Path(), CATALOG)
    missed = [(finding.severity, finding.where.file) for finding in found.findings]
    assert missed == [(Severity.ERROR, ".github/hooks"), (Severity.ERROR, ".claude/rules/deep")]


def test_managed_files_are_read_below_the_machine_that_is_given_and_only_then(tmp_path: Path) -> None:
    settings = grouped("Stop", command("managed"))
    project(tmp_path / "machine", {"etc/claude-code/managed-settings.json": settings, "etc/claude-code/CLAUDE.md": "x"})
    root = project(
        tmp_path / "project", {".claude/settings.json": {"disableAllHooks": True, **grouped("Stop", command())}}
    )
    assert scan(root, CATALOG).hooks == ()
    found = scan(root, CATALOG, machine=tmp_path / "machine")
    assert [hook.handler["command"] for hook in found.hooks if isinstance(hook.handler, dict)] == ["managed"]
    assert [rule.where.file for rule in found.rules if rule.where] == [
        str(tmp_path / "machine/etc/claude-code/CLAUDE.md")
    ]


@pytest.mark.parametrize(
    "folder", ["etc/claude-code", "Library/Application Support/ClaudeCode", "Program Files/ClaudeCode"]
)
def test_managed_files_of_every_system_are_found_below_the_machine(tmp_path: Path, folder: str) -> None:
    settings = grouped("Stop", command("managed"))
    names = ("managed-settings.json", "CLAUDE.md", ".claude/rules/a/b.md")
    project(tmp_path, {f"{folder}/{name}": settings if name.endswith(".json") else "x" for name in names})
    found = scan(tmp_path / "project", CATALOG, machine=tmp_path)
    assert {str(path.relative_to(tmp_path / folder)) for path in found.files} == set(names)
    kinds = [kind_of(str(rule.source), CATALOG.vendor("claude")) for rule in found.rules]
    assert {kind.layer if kind else None for kind in kinds} == {"managed"}


def test_a_file_that_another_one_shadows_is_said_and_not_declared(tmp_path: Path) -> None:
    found = scan(project(tmp_path, {"AGENTS.md": "a", "AGENTS.override.md": "b"}), CATALOG)
    assert [rule.source for rule in found.rules if rule.vendor == "codex"] == ["AGENTS.override.md"]
    assert [finding.code for finding in found.findings] == ["rules-shadowed"]


def test_settings_about_rules_that_cannot_be_read_add_nothing(tmp_path: Path) -> None:
    files: dict[str, object] = {
        "opencode.json": "{",
        ".opencode/opencode.json": {"instructions": "x.md"},
        ".codex/config.toml": "project_doc_max_bytes = true\nproject_doc_fallback_filenames = 3\n",
        "x.md": "x",
    }
    found = scan(project(tmp_path, files), CATALOG)
    assert (found.rules, dict(found.limits)) == ((), {})
    assert {finding.code for finding in found.findings} == {"invalid-file", "wrong-shape"}


def test_the_users_settings_name_rules_anywhere_and_count_beside_a_manifest(tmp_path: Path) -> None:
    home = project(tmp_path / "home", {".config/opencode/opencode.json": {"instructions": ["~/mine.md", "team.md"]}})
    project(home, {"mine.md": "x", ".codex/config.toml": "project_doc_fallback_filenames = ['team.md']"})
    root = project(tmp_path / "project", {"team.md": "x", "compat.yaml": "version: 1\ndiscover: false\n"})
    found = scan(root, CATALOG, home=home)
    assert [rule.source for rule in found.rules] == [str(home / "mine.md"), "team.md"]


def test_a_pattern_with_many_braces_stands_for_no_more_than_a_hundred(tmp_path: Path) -> None:
    listed = {"instructions": ["{a,b}" * 20 + ".md", "{" * 5000, "[a-", "docs/{,**/}x.md"]}
    found = scan(project(tmp_path, {"opencode.json": listed, "docs/x.md": "x", "docs/y/x.md": "y"}), CATALOG)
    assert [rule.source for rule in found.rules] == ["docs/x.md", "docs/**/x.md"]


def test_a_managed_switch_stands_above_that_of_the_project(tmp_path: Path) -> None:
    project(tmp_path / "machine", {"etc/claude-code/managed-settings.json": {"disableAllHooks": True}})
    root = project(
        tmp_path / "project", {".claude/settings.json": {"disableAllHooks": False, **grouped("Stop", command())}}
    )
    assert scan(root, CATALOG, machine=tmp_path / "machine").hooks == ()
