"""`declare.ignores`: findings that somebody has decided to leave, in the manifest or by a comment."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.findings import Finding
from dsh_compat_adapter.declare.ignores import Ignore, Sorted, sort_out
from dsh_compat_adapter.errors import Where
from tests.projects import on_disk, project


def finding(code: str, file: Path, line: int | None = 1) -> Finding:
    return Finding(code=code, severity=Severity.WARNING, where=Where(str(file), line, 1), message="m")


def entry(code: str, file: str | None = None) -> Ignore:
    return Ignore(code=code, file=file, where=Where("compat.yaml", 3, 5))


def codes(found: Sorted) -> tuple[list[str], list[str]]:
    return [one.code for one in found.kept], [one.code for one in found.ignored]


@pytest.mark.parametrize(
    ("entries", "kept", "ignored"),
    [
        ([], ["a", "a", "b"], []),
        ([entry("a")], ["b"], ["a", "a"]),
        ([entry("a", ".claude/*")], ["a", "b"], ["a"]),
        ([entry("a", "*/settings.json"), entry("b", "AGENTS.md")], ["a"], ["a", "b"]),
        ([entry("a", "settings.json")], ["a", "a", "b", "ignore-unused"], []),
        ([entry("c")], ["a", "a", "b", "ignore-unused"], []),
    ],
)
def test_an_entry_leaves_out_its_code_in_its_files(
    tmp_path: Path, entries: list[Ignore], kept: list[str], ignored: list[str]
) -> None:
    findings = [
        finding("a", tmp_path / ".claude/sub/settings.json"),
        finding("a", tmp_path / "AGENTS.md"),
        finding("b", tmp_path / "AGENTS.md"),
    ]
    assert codes(sort_out(findings, tmp_path, entries)) == (kept, ignored)


def test_an_entry_that_leaves_out_nothing_names_the_nearest_code(tmp_path: Path) -> None:
    found = sort_out([finding("matcher-ignored", tmp_path / "a")], tmp_path, [entry("matcher-ignord")])
    unused = found.kept[-1]
    assert (unused.code, unused.severity, unused.where.line) == ("ignore-unused", Severity.NOTE, 3)
    assert "Did you mean 'matcher-ignored'?" in unused.message


# one way to write it for each format that has comments
STYLES = {
    "a.jsonc": ("// dsh-compat: ignore[a]", "/* dsh-compat: ignore[a] */"),
    "a.toml": ("# dsh-compat: ignore[a]",),
    "a.yaml": ("#dsh-compat:ignore[ a ,b]",),
    "a.ts": ("//  dsh-compat:  ignore[b,a]",),
    "a.md": ("<!-- dsh-compat: ignore[a] -->",),
}


@pytest.mark.parametrize(("name", "comment"), [(name, one) for name, some in STYLES.items() for one in some])
def test_a_comment_counts_for_its_line_or_for_the_line_below_when_it_stands_alone(
    tmp_path: Path, name: str, comment: str
) -> None:
    project(tmp_path, {name: f"x {comment}\nx\n  {comment}\nx\nx\n"})
    findings = [finding("a", tmp_path / name, line) for line in range(1, 6)]
    found = sort_out(findings, tmp_path, [])
    assert [one.where.line for one in found.ignored] == [1, 4]


def test_comments_that_stand_alone_add_up(tmp_path: Path) -> None:
    project(tmp_path, {"a": "# dsh-compat: ignore[a]\n# dsh-compat: ignore[b]\nx # dsh-compat: ignore[c]\n"})
    findings = [finding(code, tmp_path / "a", 3) for code in "abcd"]
    assert codes(sort_out(findings, tmp_path, [])) == (["d"], ["a", "b", "c"])


@pytest.mark.parametrize(
    "text",
    [
        "dsh-compat: ignore[a]",
        "# dsh-compat: ignore",
        "# ignore[a]",
        "# dsh-compat: ignore[b]",
        "# dsh-compat: ignore[a",
    ],
)
def test_what_is_no_such_comment_leaves_out_nothing(tmp_path: Path, text: str) -> None:
    project(tmp_path, {"x": f"x {text}\n"})
    assert codes(sort_out([finding("a", tmp_path / "x")], tmp_path, [])) == (["a"], [])


def test_a_finding_without_a_line_is_one_of_the_first_line(tmp_path: Path) -> None:
    project(tmp_path, {"x": "# dsh-compat: ignore[a]\n"})
    project(tmp_path, {"y": "x # dsh-compat: ignore[a]\n"})
    findings = [finding("a", tmp_path / name, None) for name in "xy"]
    assert [Path(one.where.file).name for one in sort_out(findings, tmp_path, []).ignored] == ["y"]


def test_a_file_that_is_gone_has_no_comments(tmp_path: Path) -> None:
    assert codes(sort_out([finding("a", tmp_path / "gone")], tmp_path, [])) == (["a"], [])


PIECES = ["# dsh-compat: ignore[a]", "// dsh-compat: ignore[b, a]", "x", "\n", " ", "ignore[", "\r\n"]


@given(pieces=st.lists(st.sampled_from(PIECES)), places=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9))))
@on_disk
def test_each_finding_is_kept_or_ignored_and_keeps_its_order(
    tmp_path: Path, pieces: list[str], places: list[tuple[str, int]]
) -> None:
    (tmp_path / "x").write_text("".join(pieces), newline="")
    findings = [finding(code, tmp_path / "x", line) for code, line in places]
    found = sort_out(findings, tmp_path, [])
    kept, ignored = iter(found.kept), iter(found.ignored)
    again = [next(kept if one not in found.ignored else ignored) for one in findings]
    assert again == findings
    assert not list(itertools.chain(kept, ignored))
