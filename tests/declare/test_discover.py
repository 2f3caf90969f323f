"""`declare.discover`: which files of a project are whose, in the order in which their hooks are appended."""

from pathlib import Path

import pytest

from dsh_compat_adapter.declare.discover import LAYERS, config_files, rules_files, stands
from tests.projects import CATALOG, as_nobody, fifo, project, unreadable

EVERYWHERE = {
    ".claude/settings.json": "claude",
    ".claude/settings.local.json": "claude",
    ".codex/hooks.json": "codex",
    ".codex/config.toml": "codex",
    ".github/hooks/guard.json": "copilot",
    ".github/copilot/settings.json": "copilot",
    ".codebuddy/settings.json": "workbuddy",
    "opencode.json": "opencode",
    ".opencode/plugins/guard.ts": "opencode",
    ".dsh-hooks.json": "native",
}


def configs(root: Path, home: Path | None = None) -> list[tuple[str, str]]:
    found = [config for config in config_files(root, CATALOG, home).files if config.kind.of is None]
    return [(config.vendor.name, str(config.path)) for config in found]


def rules(root: Path, home: Path | None = None) -> list[tuple[str, str]]:
    return [(found.vendor.name, str(found.path.relative_to(root))) for found in rules_files(root, CATALOG, home).files]


@pytest.mark.parametrize(("path", "owner"), EVERYWHERE.items())
def test_each_vendors_file_is_found_at_its_place_and_is_only_its_own(tmp_path: Path, path: str, owner: str) -> None:
    project(tmp_path, {path: "{}"})
    assert configs(tmp_path) == [(owner, str(tmp_path / path))]


def test_an_empty_project_has_no_files(tmp_path: Path) -> None:
    assert configs(tmp_path) == []
    assert rules(tmp_path) == []


@pytest.mark.parametrize(
    "path",
    [
        "settings.json",
        "sub/.claude/settings.json",
        ".claude/settings.json.bak",
        ".claude/Settings.json",
        ".github/hooks/sub/guard.json",
        ".github/hooks/guard.jsonc",
        "node_modules/x/.claude/settings.json",
    ],
)
def test_a_file_that_only_looks_like_one_is_nobodys(tmp_path: Path, path: str) -> None:
    project(tmp_path, {path: "{}"})
    assert configs(tmp_path) == []


def test_every_json_file_of_the_copilot_folder_counts_whatever_its_name(tmp_path: Path) -> None:
    project(tmp_path, {f".github/hooks/{name}.json": "{}" for name in ("b", "a", "sondera", "[x]", "ü")})
    names = [Path(path).name for _, path in configs(tmp_path)]
    assert names == sorted(["b.json", "a.json", "sondera.json", "[x].json", "ü.json"])


def test_files_come_by_layer_user_before_project_before_local(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    project(home, {".claude/settings.json": "{}", ".codex/hooks.json": "{}"})
    project(root, {".claude/settings.local.json": "{}", ".claude/settings.json": "{}", ".codex/hooks.json": "{}"})
    found = [config for config in config_files(root, CATALOG, home).files if config.kind.of is None]
    assert [LAYERS.index(one.kind.layer) for one in found] == sorted(LAYERS.index(one.kind.layer) for one in found)
    assert [str(one.path.relative_to(tmp_path)) for one in found] == [
        "home/.claude/settings.json",
        "home/.codex/hooks.json",
        "project/.claude/settings.json",
        "project/.codex/hooks.json",
        "project/.claude/settings.local.json",
    ]


def test_the_users_files_are_left_alone_unless_a_home_is_given(tmp_path: Path) -> None:
    home, root = tmp_path / "home", tmp_path / "project"
    project(home, {".claude/settings.json": "{}", ".claude/CLAUDE.md": "x"})
    project(root, {"README.md": "x"})
    assert configs(root) == []
    assert rules(root) == []
    assert [owner for owner, _ in configs(root, home)] == ["claude"]


def test_a_place_where_people_put_hooks_and_the_vendor_never_looks_is_found_and_marked(tmp_path: Path) -> None:
    project(tmp_path, {".claude/hooks.json": "{}"})
    [found] = config_files(tmp_path, CATALOG, None).files
    assert (found.vendor.name, found.kind.read) == ("claude", False)


def test_each_path_comes_once_for_a_vendor(tmp_path: Path) -> None:
    project(tmp_path, dict.fromkeys([*EVERYWHERE, "hooks/hooks.json", "hooks.json"], "{}"))
    found = configs(tmp_path)
    assert len(found) == len(set(found))


def test_rules_are_found_in_nested_folders_and_by_odd_names(tmp_path: Path) -> None:
    names = ["testing.md", "sub/deep/[id].md", "sp ace.md", "日本.md"]
    project(tmp_path, {f".claude/rules/{name}": "x" for name in names})
    assert sorted(path for _, path in rules(tmp_path)) == sorted(f".claude/rules/{name}" for name in names)


def test_one_file_may_be_a_rule_of_several_vendors(tmp_path: Path) -> None:
    project(tmp_path, {"AGENTS.md": "x"})
    owners = [owner for owner, _ in rules(tmp_path)]
    assert len(owners) == len(set(owners))
    assert {"codex", "copilot", "workbuddy"} <= set(owners)


def test_what_is_no_readable_file_is_found_so_that_its_reader_says_so(tmp_path: Path) -> None:
    (tmp_path / ".claude/settings.json").mkdir(parents=True)
    (tmp_path / ".claude/settings.local.json").symlink_to("nowhere")
    fifo(tmp_path / ".codex/hooks.json")
    unreadable(tmp_path / ".codebuddy/settings.json")
    assert [owner for owner, _ in configs(tmp_path)] == ["claude", "codex", "workbuddy", "claude"]


def test_a_folder_among_the_files_of_a_pattern_is_no_file(tmp_path: Path) -> None:
    (tmp_path / ".github/hooks/old.json").mkdir(parents=True)
    assert configs(tmp_path) == []


def test_a_file_in_the_place_of_a_folder_hides_nothing_else(tmp_path: Path) -> None:
    project(tmp_path, {".claude": "no folder", ".github": "no folder", ".codex/hooks.json": "{}"})
    assert configs(tmp_path) == [("codex", str(tmp_path / ".codex/hooks.json"))]


def test_a_link_to_itself_is_found_and_a_link_to_its_parent_is_not_followed_for_ever(tmp_path: Path) -> None:
    project(tmp_path, {".claude/rules/a.md": "x", ".github/instructions/a.instructions.md": "x"})
    (tmp_path / ".claude/settings.json").symlink_to("settings.json")
    (tmp_path / ".claude/rules/up").symlink_to("..")
    (tmp_path / ".github/instructions/up").symlink_to("..")
    assert [path for _, path in configs(tmp_path)] == [str(tmp_path / ".claude/settings.json")]
    assert len(rules(tmp_path)) == 2


def test_something_stands_in_a_place_unless_nothing_does(tmp_path: Path) -> None:
    project(tmp_path, {"file": "x"})
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    there = {
        name: stands(tmp_path / name)
        for name in ("file", "dangling", "loop", "loop/x", "no", "file/x", "n" * 300, "a\0b")
    }
    assert there == {
        "file": True,
        "dangling": True,
        "loop": True,
        "loop/x": True,
        "no": False,
        "file/x": False,
        "n" * 300: True,
        "a\0b": False,
    }


def test_nested_folders_are_searched_where_the_vendor_reads_them(tmp_path: Path) -> None:
    project(
        tmp_path, {"tests/AGENTS.md": "x", "src/.claude/rules/a.md": "x", "src/CODEBUDDY.md": "x", "src/GEMINI.md": "x"}
    )
    found = rules(tmp_path)
    assert {owner for owner, path in found if path == "tests/AGENTS.md"} == {"claude", "codex", "copilot", "opencode"}
    assert ("claude", "src/.claude/rules/a.md") in found
    assert ("workbuddy", "src/CODEBUDDY.md") in found
    assert "src/GEMINI.md" not in {path for _, path in found}


@pytest.mark.parametrize("folder", ["node_modules/pkg", ".git/x", "web/node_modules/pkg", ".venv/lib"])
def test_folders_that_hold_other_projects_have_no_rules_of_this_one(tmp_path: Path, folder: str) -> None:
    project(tmp_path, {f"{folder}/CLAUDE.md": "x", f"{folder}/.claude/rules/a.md": "x"})
    assert rules(tmp_path) == []


def test_a_linked_folder_of_rules_is_read_and_a_linked_folder_of_the_project_is_not(tmp_path: Path) -> None:
    project(tmp_path / "shared", {"team.md": "x", "AGENTS.md": "x"})
    project(tmp_path / "project", {".claude/rules/own.md": "x"})
    (tmp_path / "project/.claude/rules/team").symlink_to(tmp_path / "shared")
    (tmp_path / "project/vendored").symlink_to(tmp_path / "shared")
    assert rules(tmp_path / "project") == [
        ("claude", ".claude/rules/own.md"),
        ("claude", ".claude/rules/team/AGENTS.md"),
        ("claude", ".claude/rules/team/team.md"),
    ]


def test_a_folder_that_cannot_be_searched_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {".github/hooks/guard.json": "{}", ".claude/rules/a.md": "x"})
    (tmp_path / ".github/hooks").chmod(0)
    (tmp_path / ".claude").chmod(0)
    with as_nobody(tmp_path, monkeypatch):
        configs_missed = config_files(Path(), CATALOG, None).unsearched
        rules_missed = rules_files(Path(), CATALOG, None).unsearched
    assert Path(".github/hooks") in {folder.path for folder in configs_missed}
    assert {folder.path for folder in rules_missed} == {Path(".claude"), Path(".github/hooks")}
