"""`cli.formats.text`: file by file, with the line of each finding, and counts at the end."""

from pathlib import Path

import pytest

from dsh_compat_adapter.checking import check
from dsh_compat_adapter.cli.formats.text import render
from dsh_compat_adapter.declare.findings import Finding
from tests.findings import checked, finding, options
from tests.projects import CATALOG, SURFACE, command, fifo, grouped, project


def report(root: Path, *some: Finding, verbose: bool = False) -> str:
    return "\n".join(render(checked(some, root), options(root, verbose=verbose)))


@pytest.fixture(autouse=True)
def columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def test_a_finding_stands_below_its_file_with_its_line_and_a_way_out(tmp_path: Path) -> None:
    project(tmp_path, {"a.json": '{\n  "hooks": 1\n}\n'})
    text = report(tmp_path, finding(str(tmp_path / "a.json"), 2, 12, remedy="mend it"))
    assert text == (
        "a.json\n"
        "  error: 2:12: it is wrong [wrong-shape]\n"
        '        2 |   "hooks": 1\n'
        "          |            ^\n"
        "    do: mend it\n"
        "\n"
        "1 files: 0 hooks adapted, 0 rules carried, 0 unsupported, 0 refused; 1 errors, 0\n"
        "  warnings, 0 notes."
    )


def test_a_rule_names_the_files_that_do_not_stand_there_themselves(tmp_path: Path) -> None:
    listed = "".join(f"@docs/{number}.md\n" for number in range(12))
    files: dict[str, object] = {"CLAUDE.md": listed, "opencode.json": {"instructions": ["docs/0.md"]}}
    project(tmp_path, {**files, **{f"docs/{number}.md": "x" for number in range(12)}})
    text = "\n".join(render(check(tmp_path, CATALOG, SURFACE), options(tmp_path)))
    lines = [line.strip() for line in text.splitlines()]
    assert "carries: docs/0.md" in lines
    assert " ".join(lines).count("with its imports: docs/0.md, docs/1.md,") == 1
    assert "docs/9.md, and 2 more" in " ".join(lines)


def test_findings_of_a_file_come_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = report(tmp_path, finding("a", 9), finding("b", 1), finding("a", 2))
    assert [line.split(":")[1].strip() for line in text.splitlines() if "error: " in line] == ["2", "9", "1"]


@pytest.mark.parametrize("kind", ["gone", "a pipe", "too large", "no text"])
def test_a_file_that_cannot_be_shown_any_more_costs_only_its_frame(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.json"
    match kind:
        case "a pipe":
            fifo(path)
        case "too large":
            path.write_bytes(b"x" * 50_000_000)
        case "no text":
            path.write_bytes(b"\xff" * 10)
    text = report(tmp_path, finding(str(path), 1, 1))
    assert "error: 1:1: it is wrong [wrong-shape]" in text
    assert (" | " in text) == (kind == "no text")


def test_what_is_ignored_is_counted_and_listed_by_verbose(tmp_path: Path) -> None:
    found = checked([], tmp_path, [finding(str(tmp_path / "a"), 3, message="known")])
    object.__setattr__(found, "files", ("a",))  # a check of no file asks whether it is a project
    text, verbose = ("\n".join(render(found, options(tmp_path, verbose=verbose))) for verbose in (False, True))
    assert "1 ignored." in text
    assert "ignored: a:3: known [wrong-shape]" in verbose
    assert "known" not in text


def test_on_a_narrow_terminal_nothing_that_can_be_cut_is_wider(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    project(tmp_path, {"a.json": "x " * 100})
    lines = report(tmp_path, finding(str(tmp_path / "a.json"), 1, 90, message="it is wrong in a long way")).splitlines()
    assert [line for line in lines if len(line) > 20 and " " in line.strip()] == []


def test_losses_that_all_hooks_of_a_file_share_are_said_once(tmp_path: Path) -> None:
    files = {".claude/settings.json": grouped("Stop", command("a"), command("b")), "GEMINI.md": "x"}
    found = check(project(tmp_path, files), CATALOG, SURFACE)
    text = "\n".join(render(found, options(tmp_path)))
    assert text.count("each of these also loses: ") == 1
    assert text.count("stop-loop-unlimited") == 1
    assert "stop-loop-unlimited" in "\n".join(render(found, options(tmp_path, verbose=True)))


def test_a_hundred_thousand_findings_are_each_shown_once(tmp_path: Path) -> None:
    project(tmp_path, {"a.json": "x" * 1000})
    some = [finding(str(tmp_path / "a.json"), 1, number % 1000 + 1) for number in range(100_000)]
    shown = render(checked(some, tmp_path), options(tmp_path))
    assert sum(line.startswith("  error: ") for line in shown) == 100_000
