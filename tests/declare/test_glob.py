"""`declare.glob`: what a pattern names, every folder read once, and nothing that could not be seen left unsaid."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.glob import MAX_FOLDERS, fits, glob, glob_all
from tests.projects import as_nobody, on_disk, project

TREE = ("a.md", "b.txt", "sub/a.md", "sub/deep/a.md", "sub/deep/.hidden.md", "other/a.md")


def names(root: Path, pattern: str) -> list[str]:
    return [str(path.relative_to(root)) for path in glob(root, pattern).files]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a.md", ["a.md"]),
        ("*.md", ["a.md"]),
        ("?.*", ["a.md", "b.txt"]),
        ("[ab].md", ["a.md"]),
        ("*/a.md", ["other/a.md", "sub/a.md"]),
        ("**/a.md", ["a.md", "other/a.md", "sub/a.md", "sub/deep/a.md"]),
        ("sub/**/*.md", ["sub/a.md", "sub/deep/.hidden.md", "sub/deep/a.md"]),
        ("**/**/deep/**/*.md", ["sub/deep/.hidden.md", "sub/deep/a.md"]),
        ("sub/../a.md", ["sub/../a.md"]),
        ("./sub//a.md", ["sub/a.md"]),
        ("sub/**", []),
        ("A.md", []),
        ("no/*.md", []),
        ("a.md/*.md", []),
    ],
)
def test_a_pattern_names_files_in_the_order_of_their_folders(tmp_path: Path, pattern: str, found: list[str]) -> None:
    project(tmp_path, dict.fromkeys(TREE, "x"))
    assert names(tmp_path, pattern) == found


@on_disk
@given(parts=st.lists(st.sampled_from(["**", "*", "sub", "deep", "a.md", "*.md", "?ub"]), min_size=1, max_size=5))
def test_any_pattern_finds_what_the_standard_library_finds(tmp_path: Path, parts: list[str]) -> None:
    project(tmp_path, dict.fromkeys(TREE, "x"))
    pattern = "/".join(parts)
    expected = {str(path.relative_to(tmp_path)) for path in tmp_path.glob(pattern) if path.is_file()}
    assert {name for name in names(tmp_path, pattern) if (tmp_path / name).is_file()} == expected


@pytest.mark.parametrize("pattern", ["*/" * 2000 + "x", "**/" * 200 + "nowhere", "**/*/" * 50 + "x", "**/x" * 300])
def test_a_pattern_of_many_parts_neither_recurses_nor_grows(tmp_path: Path, pattern: str) -> None:
    project(tmp_path, {"/".join(["x"] * 60) + "/a.md": "x"})
    assert glob(tmp_path, pattern) == ([], [])


def test_a_linked_folder_is_searched_once_and_under_its_own_name_where_it_has_one(tmp_path: Path) -> None:
    project(tmp_path, {"shared/team.md": "x", "rules/own/a.md": "x"})
    (tmp_path / "rules/linked").symlink_to("../shared")
    (tmp_path / "rules/again").symlink_to("../shared")
    (tmp_path / "rules/alias").symlink_to("own")
    (tmp_path / "rules/up").symlink_to("..")
    assert names(tmp_path, "rules/**/*.md") == ["rules/again/team.md", "rules/own/a.md"]


def test_a_pattern_that_begins_with_any_depth_stays_in_the_tree(tmp_path: Path) -> None:
    project(tmp_path, {"out/a.md": "x", "in/sub/a.md": "x"})
    (tmp_path / "in/link").symlink_to("../out")
    assert names(tmp_path / "in", "**/a.md") == ["sub/a.md"]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    project(tmp_path, {"rules/a/x.md": "x"})
    (tmp_path / "rules/b").symlink_to("c")
    (tmp_path / "rules/c").symlink_to("b")
    (tmp_path / "rules/a/self").symlink_to(".")
    assert names(tmp_path, "rules/**/*.md") == ["rules/a/x.md"]


def test_several_patterns_are_answered_each_for_itself(tmp_path: Path) -> None:
    project(tmp_path, dict.fromkeys(TREE, "x"))
    files, _ = glob_all(tmp_path, ["*.md", "**/deep/*.md", "none"])
    assert [[path.name for path in found] for found in files] == [["a.md"], [".hidden.md", "a.md"], []]


def test_a_skipped_folder_is_entered_only_where_its_name_is_spelled_out(tmp_path: Path) -> None:
    project(tmp_path, {"node_modules/a.md": "x", "src/node_modules/a.md": "x", "src/a.md": "x"})
    (anywhere, named), _ = glob_all(tmp_path, ["**/a.md", "node_modules/*.md"], skip=frozenset({"node_modules"}))
    assert [str(path.relative_to(tmp_path)) for path in anywhere] == ["src/a.md"]
    assert [str(path.relative_to(tmp_path)) for path in named] == ["node_modules/a.md"]


@pytest.mark.parametrize("mode", [0o000, 0o600, 0o300], ids=["closed", "no search", "no list"])
def test_a_folder_that_cannot_be_searched_is_named(tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch) -> None:
    project(tmp_path, {"rules/open/a.md": "x", "rules/shut/sub/b.md": "x"})
    (tmp_path / "rules/shut").chmod(mode)
    with as_nobody(tmp_path, monkeypatch):
        found = glob(Path(), "rules/**/*.md")
    assert [path.name for path in found.files] == ["a.md"]
    assert {str(folder.path).split("/")[1] for folder in found.unsearched} == {"shut"}
    assert all(folder.why == "Permission denied" for folder in found.unsearched)


def test_a_walk_of_too_many_folders_stops_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dsh_compat_adapter.declare.glob.MAX_FOLDERS", 20)
    for number in range(30):
        (tmp_path / str(number)).mkdir()
    assert glob(tmp_path, "**/x.md").unsearched[0].why == "more than 20 folders"
    assert MAX_FOLDERS > 20


def test_names_that_are_not_utf_8_are_found(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.md")
    project(tmp_path, {name: "x"})
    assert names(tmp_path, "*.md") == [name]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("**/CLAUDE.md", "/CLAUDE.md", True),
        ("**/CLAUDE.md", "/a/b/CLAUDE.md", True),
        ("**/other/*.md", "/a/other/x.md", True),
        ("**/other/*.md", "/a/other/b/x.md", False),
        ("/a/**", "/a/.claude/rules/x.md", True),
        ("/a/*", "/a/b/x.md", False),
        ("/a/**/b/**/x.md", "/a/b/x.md", True),
        ("/a", "/a", True),
        ("/b", "/a", False),
        ("/a/b", "/a", False),
        ("a/x.md", "/a/x.md", False),
        ("x.md", "/x.md", False),
    ],
)
def test_a_pattern_fits_whole_absolute_paths_only(pattern: str, path: str, expected: bool) -> None:  # noqa: FBT001 - a column
    assert fits(path, pattern) is expected
