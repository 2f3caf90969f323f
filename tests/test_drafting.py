"""`drafting`: a manifest from what a project declares, with the same grades, and everything that is left out said."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatAdapter, EmbeddedHost
from dsh_compat_adapter.checking import Checked, Item, check
from dsh_compat_adapter.declare.manifest import read_manifest
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.drafting import Draft, draft
from dsh_compat_adapter.hosts.dsh.bundle import Bundle, collect, versions
from tests.checkout import ROOT
from tests.projects import CATALOG, SURFACE, command, grouped, on_disk, project
from tests.test_cases import CASES, tree

HERE = "compat.yaml"


def drafted(root: Path) -> Draft:
    return draft(root, CATALOG, SURFACE)


def grades(found: Checked) -> list[Any]:
    """What hooks and rules come to, without the places, which a manifest changes; refused things are no entries."""
    return [
        (item.name, item.matcher, item.result.to_dict())
        for item in found.items
        if item.result is not None and item.result.code != "handler-is-code"
    ]


def copied(root: Path, to: Path) -> Path:
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.name != HERE:
            (to / path.relative_to(root)).parent.mkdir(parents=True, exist_ok=True)
            (to / path.relative_to(root)).write_bytes(path.read_bytes())
    return to


EVERYTHING: dict[str, object] = {
    ".claude/settings.json": {
        "hooks": {
            "PreToolUse": [
                {"matcher": "Write", "hooks": [command("a 'b' \"c\" # d: {e} [f], *g !h", timeout=5)]},
                {"matcher": "", "hooks": [command("line\nline"), command("1e3", once=True)]},
            ],
            "PreSkillShellCommand": [{"hooks": [command()]}],
        }
    },
    ".claude/settings.local.json": grouped("Stop", command("mine")),
    ".claude-plugin/plugin.json": {"name": "p"},
    "hooks/hooks.json": grouped("Stop", command("sh ${CLAUDE_PLUGIN_ROOT}/x")),
    ".codex/config.toml": "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = 'command'\ncommand = 'true'\ntimeout = 7\n",
    ".github/hooks/a.json": {"version": 1, "hooks": {"preToolUse": [{"bash": "true", "matcher": "bash"}]}},
    ".dsh-hooks.json": {"version": 1, "events": {"tool:before": [{"command": "true", "env": {"A": "on"}}]}},
    "CLAUDE.md": "x",
    ".claude/rules/a [b] *.md": "x",
    "AGENTS.md": "x",
}


@pytest.mark.parametrize("source", ["examples", "everything"])
def test_the_manifest_comes_to_the_same_grades_as_the_files(tmp_path: Path, source: str) -> None:
    root = copied(ROOT / "examples/team", tmp_path) if source == "examples" else project(tmp_path, EVERYTHING)
    before = check(root, CATALOG, SURFACE)
    found = drafted(root)
    (root / HERE).write_text(found.text)
    after = check(root, CATALOG, SURFACE)
    assert grades(after) == grades(before) != []
    assert (found.hooks, found.rules) == (
        len([one for one in grades(after) if one[2]["event"]]),
        len([one for one in grades(after) if not one[2]["event"]]),
    )
    assert {Path(item.where.file).name for item in after.items} == {HERE}
    again = drafted(root)
    assert (again.exists, again.diff, again.text) == (True, (), found.text)


def declared(found: Bundle) -> dict[str, object]:
    """What a bundle runs and carries, without the places that its declarations stand at."""
    return {
        "hooks": [replace(hook, where=None) for hook in found.hooks],
        "rules": [replace(rule, where=None) for rule in found.rules],
        "bridges": found.bridges,
        "seams": found.seams,
        "results": [
            (item.name, item.result.to_dict()) for item in found.items if item.result.capability != "UNSUPPORTED"
        ],
    }


async def registered(root: Path) -> list[dict[str, object]]:
    async with CompatAdapter(EmbeddedHost(str(root)), facts=False) as adapter:
        project = await adapter.register_project()
    return [result.to_dict() | {"id": None} for result in project.results if result.code not in NO_ENTRY]


# of what is no entry of a manifest: code, and hooks that belong to an agent or a skill
NO_ENTRY = ("handler-is-code", "hook-of-component")
# a manifest is of a project, not of a user
TREES = [case for case in CASES if HERE not in case.get("files", {}) and "home" not in case]


@pytest.mark.parametrize("case", [*TREES, None], ids=[*(case["id"] for case in TREES), "examples/broken"])
async def test_check_build_and_run_come_to_the_same_by_the_manifest_as_by_the_files(
    tmp_path: Path, case: dict[str, Any] | None
) -> None:
    before = (
        check(copied(ROOT / "examples/broken", tmp_path), CATALOG, SURFACE) if case is None else tree(tmp_path, case)
    )
    surfaces = versions(CATALOG).values()
    bundles = [declared(collect(scan(tmp_path, CATALOG), CATALOG, surface)) for surface in surfaces]
    run = await registered(tmp_path)
    draft_of_files = drafted(tmp_path)
    (tmp_path / HERE).write_text(draft_of_files.text, encoding="utf-8")
    after = check(tmp_path, CATALOG, SURFACE)
    said = {finding.where.file for finding in draft_of_files.left_out}
    missing = [item for item in before.items if item.result is None or item.result.code in NO_ENTRY]
    assert {item.where.file for item in missing} <= said
    assert [entry(item) for item in after.items] == [entry(item) for item in before.items if item not in missing]
    assert [declared(collect(scan(tmp_path, CATALOG), CATALOG, surface)) for surface in surfaces] == bundles
    assert await registered(tmp_path) == run


def entry(item: Item) -> tuple[object, ...]:
    """What one hook or rules file comes to, without its place, which a manifest changes."""
    return item.name, item.matcher, item.result and item.result.to_dict()


def test_a_manifest_that_is_there_is_compared_and_stays_as_it_is(tmp_path: Path) -> None:
    root = copied(ROOT / "examples/broken", tmp_path)
    text = (ROOT / "examples/broken" / HERE).read_bytes()
    (root / HERE).write_bytes(text)
    found = drafted(root)
    assert found.exists
    assert {line[:7] for line in found.diff if line[0] in "+-" and line[1] not in "+-"} >= {
        "+hooks:",
        "+rules:",
        "-hooks:",
    }
    assert (root / HERE).read_bytes() == text


async def test_an_adapter_takes_the_drafted_manifest_whole(tmp_path: Path) -> None:
    found = drafted(project(tmp_path, EVERYTHING))
    (tmp_path / HERE).write_text(found.text)
    async with CompatAdapter(EmbeddedHost(str(tmp_path))) as adapter:
        assert len(await adapter.register_manifest(tmp_path / HERE)) == found.hooks + found.rules


def test_what_a_manifest_cannot_hold_is_said_with_its_place(tmp_path: Path) -> None:
    files: dict[str, object] = {
        ".claude/settings.json": {
            "hooks": {
                "Nope": [{"hooks": [command()]}],
                "Stop": [{"hooks": [{"type": "prompt", "prompt": "x"}, 5, command("\ud800"), command("kept")]}],
            }
        },
        ".claude/settings.local.json": grouped("Stop", command("mine")),
        ".codex/hooks.json": "{",
        ".opencode/plugins/a.js": "export default () => ({ event() {} })",
        "AGENTS.md": b"\xff",
    }
    found = drafted(project(tmp_path, files))
    said = [(finding.code, os.path.relpath(finding.where.file, tmp_path)) for finding in found.left_out]
    assert set(said) >= {
        ("unknown-event", ".claude/settings.json"),
        ("invalid-handler", ".claude/settings.json"),
        ("wrong-shape", ".claude/settings.json"),
        ("invalid-file", ".codex/hooks.json"),
        ("handler-is-code", ".opencode/plugins/a.js"),
        ("not-text", "AGENTS.md"),
        ("personal-file", ".claude/settings.local.json"),
    }
    assert "kept" in found.text
    assert found.hooks == 2


def test_what_yaml_would_read_as_something_else_is_left_out_and_said(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/rules"
    folder.mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_text("x")
    found = drafted(tmp_path)
    assert [finding.code for finding in found.left_out] == ["not-in-manifest"]
    assert found.rules == 0


def test_hooks_that_a_switch_turns_off_are_said(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": {"disableAllHooks": True, **grouped("Stop", command())}})
    found = drafted(tmp_path)
    assert [finding.code for finding in found.left_out] == ["hooks-disabled"]
    assert found.hooks == 0


def test_a_second_draft_shows_what_has_changed_since_entry_by_entry(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("Stop", command("one"), command("two"))})
    (tmp_path / HERE).write_text("# my own words\n" + drafted(tmp_path).text.replace("{vendor", "{  vendor"))
    assert drafted(tmp_path).diff == ()
    project(tmp_path, {".claude/settings.json": grouped("Stop", command("one"), command("three"))})
    changes = [line for line in drafted(tmp_path).diff if line[0] in "+-" and line[1] not in "+-"]
    assert changes == [
        "-hooks: {vendor: claude, event: Stop, handler: {type: command, command: two}}",
        "+hooks: {vendor: claude, event: Stop, handler: {type: command, command: three}}",
    ]


def test_a_manifest_beside_which_the_files_count_as_well_differs(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("Stop", command())})
    (tmp_path / HERE).write_text(drafted(tmp_path).text.replace("discover: false", "discover: true"))
    assert "+discover: false" in drafted(tmp_path).diff


def test_a_name_cannot_break_out_of_its_comment(tmp_path: Path) -> None:
    folder = ".github/hooks/x\nhooks: []\n#"
    project(tmp_path, {f"{folder}.json": {"version": 1, "hooks": {"agentStop": [{"bash": "true"}]}}})
    found = drafted(tmp_path)
    (tmp_path / HERE).write_text(found.text)
    assert len(read_manifest(tmp_path / HERE).hooks) == found.hooks == 1


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
handlers = st.fixed_dictionaries(
    {"type": st.just("command"), "command": texts.map(lambda text: f"x{text}")},
    optional={
        "timeout": st.integers(1, 99),
        "note": st.recursive(texts | st.floats() | st.none(), st.lists, max_leaves=4),
    },
)


@given(hooks=st.lists(handlers, min_size=1, max_size=4), matcher=st.sampled_from(["Write", "on", "1e3", "*", ""]))
@on_disk
def test_every_hook_that_can_be_graded_is_in_the_draft_with_its_grade_or_is_said(
    tmp_path: Path, hooks: list[dict[str, object]], matcher: str
) -> None:
    (tmp_path / HERE).unlink(missing_ok=True)
    settings = {"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": hooks}]}}
    project(tmp_path, {".claude/settings.json": json.dumps(settings)})
    before = grades(check(tmp_path, CATALOG, SURFACE))
    found = drafted(tmp_path)
    (tmp_path / HERE).write_text(found.text, encoding="utf-8", newline="")
    after = grades(check(tmp_path, CATALOG, SURFACE))
    lost = [finding for finding in found.left_out if finding.code == "not-in-manifest"]
    assert len(after) + len(lost) == len(before)
    in_order = iter(before)
    assert all(one in in_order for one in after)
