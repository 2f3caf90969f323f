"""Trees that no editor makes: each oddity is reported, nothing hangs or grows, and what is beside it is still read."""

import os
import stat
from pathlib import Path

import pytest

from dsh_compat_adapter.checking import Checked, check
from tests.projects import CATALOG, SURFACE, command, fifo, grouped, project, unreadable

GOOD = {".codex/hooks.json": grouped("Stop", command("true"))}


def found(root: Path) -> set[str]:
    """The findings as `code file`, once it is sure that the good file beside the odd one was read."""
    checked = check(root, CATALOG, SURFACE)
    assert [item.name for item in checked.items if item.result and item.result.executable] == ["codex Stop"]
    return codes(checked, root)


def codes(checked: Checked, root: Path) -> set[str]:
    return {f"{finding.code} {os.path.relpath(finding.where.file, root)}" for finding in checked.findings}


def test_a_settings_file_of_50_megabytes_is_reported_and_not_read(tmp_path: Path) -> None:
    project(tmp_path, GOOD)
    with (project(tmp_path, {".claude/settings.json": "{"}) / ".claude/settings.json").open("r+b") as file:
        file.truncate(50 * 1024 * 1024)
    assert found(tmp_path) == {"too-large .claude/settings.json"}


def test_a_rules_file_of_50_megabytes_is_reported_and_not_carried(tmp_path: Path) -> None:
    project(tmp_path, {**GOOD, ".claude/rules/a.md": "x"})
    os.truncate(tmp_path / ".claude/rules/a.md", 50 * 1024 * 1024)
    assert found(tmp_path) == {"too-large .claude/rules/a.md"}


def test_ten_thousand_rules_files_are_carried_each_once(tmp_path: Path) -> None:
    project(tmp_path, GOOD)
    for folder in range(100):
        (tmp_path / f".claude/rules/{folder}").mkdir(parents=True)
        for number in range(100):
            (tmp_path / f".claude/rules/{folder}/{number}.md").write_text(f"@{number}.md rule")
    checked = check(tmp_path, CATALOG, SURFACE)
    carried = [file.path for item in checked.items if item.result for file in item.result.files]
    assert (len(carried), len(set(carried))) == (10_000, 10_000)
    assert {code.split()[0] for code in codes(checked, tmp_path)} == {"import-cycle"}


def test_links_that_lead_in_a_circle_are_reported_where_a_file_should_stand(tmp_path: Path) -> None:
    project(tmp_path, {**GOOD, ".claude/rules/a.md": "x"})
    (tmp_path / ".claude/settings.json").symlink_to("settings.json")
    (tmp_path / ".claude/rules/one").symlink_to("two")
    (tmp_path / ".claude/rules/two").symlink_to("one")
    (tmp_path / ".claude/rules/up").symlink_to("../..")
    (tmp_path / ".claude/rules/loop.md").symlink_to("loop.md")
    assert found(tmp_path) == {"invalid-file .claude/settings.json", "invalid-file .claude/rules/loop.md"}


def test_a_link_out_of_the_project_is_not_carried(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    root = project(tmp_path / "project", GOOD)
    (root / "CLAUDE.md").symlink_to("../secret.md")
    assert found(root) == {"outside-base-dir CLAUDE.md"}


@pytest.mark.parametrize("place", [".claude/settings.json", ".claude/rules/a.md", ".github/hooks/a.json", "CLAUDE.md"])
@pytest.mark.parametrize("make", [fifo, unreadable], ids=["pipe", "unreadable"])
def test_what_is_no_readable_file_is_reported_and_never_opened_to_wait(
    tmp_path: Path, place: str, make: object
) -> None:
    assert callable(make)
    project(tmp_path, GOOD)
    make(tmp_path / place)
    assert f"invalid-file {place}" in {code.replace("outside-base-dir", "invalid-file") for code in found(tmp_path)}


def test_a_device_is_reported_and_never_opened(tmp_path: Path) -> None:
    project(tmp_path, {**GOOD, ".claude/rules/a.md": "x"})
    try:
        os.mknod(tmp_path / ".claude/settings.json", stat.S_IFCHR | 0o600, os.makedev(1, 5))  # endless zeros
    except PermissionError:
        (tmp_path / ".claude/settings.json").symlink_to("/dev/zero")
    assert found(tmp_path) == {"invalid-file .claude/settings.json"}


def test_a_file_that_changes_while_it_is_read_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reader asks the open file for its state before and after; here it changes in between."""
    project(tmp_path, {**GOOD, ".claude/settings.json": "{}"})
    target, real = tmp_path / ".claude/settings.json", os.fstat

    def written_meanwhile(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        if os.path.samestat(status, target.stat()):
            target.write_text("{} ")
        return status

    monkeypatch.setattr(os, "fstat", written_meanwhile)
    assert found(tmp_path) == {"invalid-file .claude/settings.json"}


def test_names_that_are_not_utf_8_are_read_and_printed_as_json(tmp_path: Path) -> None:
    name = os.fsdecode(b".claude/rules/caf\xe9.md")
    project(tmp_path, {**GOOD, name: "Be brief.", os.fsdecode(b".github/hooks/\xff.json"): "{"})
    assert found(tmp_path) == {os.fsdecode(b"invalid-file .github/hooks/\xff.json")}
    assert "caf\\udce9.md" in ascii(check(tmp_path, CATALOG, SURFACE).to_dict())


def test_windows_line_ends_and_paths_are_read_and_each_place_is_right(tmp_path: Path) -> None:
    text = (
        '{\r\n"hooks": {"PreToolUse": [{"hooks": [\r\n'
        '{"type": "command", "command": "C:\\\\hooks\\\\guard.bat"},\r\n'
        '{"type": "command", "command": "python3 C:\\\\hooks\\\\guard.py", "blocking": true}]}]}}\r\n'
    )
    project(tmp_path, {".claude/settings.json": text})
    checked = check(tmp_path, CATALOG, SURFACE)
    expected = {("path-of-windows", 3), ("option-unknown", 4), ("path-of-windows", 4), ("needs-program", 4)}
    assert {(finding.code, finding.where.line) for finding in checked.findings} == expected
    assert [item.where.line for item in checked.items] == [3, 4]


def test_a_hundred_thousand_imports_of_one_file_are_bounded_and_said(tmp_path: Path) -> None:
    many = " ".join(f"@gone{number}.md" for number in range(60_000))
    project(tmp_path, {**GOOD, "CLAUDE.md": many, "CODEBUDDY.md": many, "a.md": "a"})
    assert found(tmp_path) == {
        "import-not-carried CLAUDE.md",  # nobody looks for imports in so long a text
        "import-not-carried CODEBUDDY.md",
        "import-missing CODEBUDDY.md",
        "rules-too-long CODEBUDDY.md",
    }


def test_imports_that_lead_to_thousands_of_files_are_bounded_and_said(tmp_path: Path) -> None:
    files: dict[str, object] = {f"docs/{number}.md": f"@{number + 1}.md\n" + "x" * 500 for number in range(1000)}
    project(tmp_path, {**GOOD, **files, "CLAUDE.md": "".join(f"@docs/{number}.md\n" for number in range(0, 1000, 4))})
    checked = check(tmp_path, CATALOG, SURFACE)
    carried = [file.path for item in checked.items if item.result for file in item.result.files if file.imported_by]
    assert (len(carried), len(set(carried))) == (200, 200)
    assert {code.split()[0] for code in codes(checked, tmp_path)} == {"import-not-carried", "import-too-deep"}


@pytest.mark.parametrize("make", [fifo, unreadable], ids=["pipe", "unreadable"])
def test_an_import_of_what_is_no_readable_file_is_reported_and_never_opened_to_wait(
    tmp_path: Path, make: object
) -> None:
    assert callable(make)
    project(tmp_path, {**GOOD, "CLAUDE.md": "@docs/odd.md @docs/good.md", "docs/good.md": "good"})
    make(tmp_path / "docs/odd.md")
    assert {code.replace("import-outside", "import-not-carried") for code in found(tmp_path)} == {
        "import-not-carried CLAUDE.md"
    }


FRONT_MATTER = {
    "an anchor": "enabled: &no true\npaths: *no",
    "a tag": "enabled: !!bool false",
    "a key twice": "enabled: false\nenabled: true",
    "a list": "- enabled",
    "a NUL": "enabled: \0",
    "deep": "paths: " + "[" * 200,
    "no end": "enabled: false\n--",
}


@pytest.mark.parametrize("text", FRONT_MATTER.values(), ids=FRONT_MATTER)
def test_odd_front_matter_switches_nothing_off_and_is_said_where_it_cannot_be_read(tmp_path: Path, text: str) -> None:
    project(tmp_path, {**GOOD, ".codebuddy/rules/a.md": f"\ufeff---\n{text}\n---\n@b.md", ".codebuddy/rules/b.md": "b"})
    assert found(tmp_path) <= {"invalid-file .codebuddy/rules/a.md", "rules-conditional .codebuddy/rules/a.md"}
    carried = [item for item in check(tmp_path, CATALOG, SURFACE).items if item.name == "workbuddy rules"]
    assert len(carried) == 2


def test_globs_with_braces_and_negation_are_said_as_they_stand(tmp_path: Path) -> None:
    globs = ["src/{a,b}/**/*.{ts,tsx}", "!src/gen/**", "[ab]?.md", "{", "a,b"]
    front = "".join(f"  - '{one}'\n" for one in globs)
    project(tmp_path, {**GOOD, ".claude/rules/a.md": f"---\npaths:\n{front}---\nx"})
    [scope] = [
        file.scope for item in check(tmp_path, CATALOG, SURFACE).items if item.result for file in item.result.files
    ]
    assert scope == tuple(globs)
