"""`authoring.sources`: the YAML that people write, read and validated, with every finding of every file at once."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_compat_adapter.catalog.authoring.sources import Finding, SourceError, read, surface_files
from tests.checkout import ROOT, sources


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The source files of the checkout, to be damaged."""
    for part in ("vendors", "rules", "adapter/dsh_compat_adapter/hosts"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    return tmp_path


def findings(root: Path) -> tuple[Finding, ...]:
    with pytest.raises(SourceError) as raised:
        read(root)
    return raised.value.findings


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_the_sources_of_the_checkout_validate_and_each_file_is_read() -> None:
    found = sources()
    assert set(found.vendors) | {"losses", "points"} == {path.stem for path in (ROOT / "vendors").iterdir()}
    assert set(found.rules) == {path.stem for path in (ROOT / "rules").iterdir()}
    assert len(found.surfaces) == len(surface_files(ROOT))
    assert next(iter(found.surfaces)) == "embedded-0.1"


def test_vendors_and_rules_hold_yaml_and_nothing_else() -> None:
    for folder in ("vendors", "rules"):
        assert {path.suffix for path in (ROOT / folder).iterdir()} == {".yaml"}


def test_a_copy_of_the_sources_reads_the_same(root: Path) -> None:
    again = read(root)
    assert (again.vendors, again.rules, again.surfaces, again.losses, again.points) == (
        sources().vendors,
        sources().rules,
        sources().surfaces,
        sources().losses,
        sources().points,
    )


def damage_key(root: Path) -> None:
    replace(root / "vendors/claude.yaml", "title: Claude Code", "titel: Claude Code")


def damage_type(root: Path) -> None:
    replace(root / "vendors/codex.yaml", "aliases: [openai-codex]", "aliases: openai-codex")


def damage_capability(root: Path) -> None:
    replace(root / "vendors/claude.yaml", "  PreToolUse:\n", "  PreToolUse:\n    capability: DIRECT\n")


def damage_seconds(root: Path) -> None:
    replace(root / "vendors/claude.yaml", "timeout_s: 600", "timeout_s: 0")


def damage_duplicate(root: Path) -> None:
    replace(root / "vendors/claude.yaml", "title: Claude Code", "title: Claude Code\ntitle: Claude")


def damage_event_twice(root: Path) -> None:
    with (root / "vendors/claude.yaml").open("a", encoding="utf-8") as file:
        file.write("  PreToolUse: {}\n")


def damage_syntax(root: Path) -> None:
    replace(root / "rules/codex.yaml", "vendor: codex", "vendor: [codex")


def damage_empty(root: Path) -> None:
    (root / "vendors/codex.yaml").write_text("# nothing here\n", encoding="utf-8")


def damage_list(root: Path) -> None:
    (root / "rules/codex.yaml").write_text("- vendor: codex\n", encoding="utf-8")


def damage_encoding(root: Path) -> None:
    (root / "rules/codex.yaml").write_bytes("vendor: codéx\n".encode("latin-1"))


def damage_date(root: Path) -> None:
    path = root / "rules/codex.yaml"
    path.write_text(re.sub(r"date: \d{4}-\d\d", "date: 2026-13", path.read_text(encoding="utf-8")), encoding="utf-8")


def damage_missing(root: Path) -> None:
    (root / "vendors/losses.yaml").unlink()


def damage_code(root: Path) -> None:
    replace(root / "vendors/losses.yaml", "allow-adds-nothing:", "Allow_Adds_Nothing:")


def damage_empty_losses(root: Path) -> None:
    (root / "vendors/losses.yaml").write_text("", encoding="utf-8")


def damage_open_brace(root: Path) -> None:
    replace(root / "vendors/losses.yaml", "{what} goes on in any case", "{what goes on in any case")


def damage_format(root: Path) -> None:
    replace(root / "vendors/losses.yaml", "{what} goes on in any case", "{what:>5} goes on in any case")


def damage_surface_version(root: Path) -> None:
    folder = root / "adapter/dsh_compat_adapter/hosts/dsh/surface"
    shutil.copy(folder / "0.2.1-rc.2.yaml", folder / "0.3.0.yaml")


def damage_evidence(root: Path) -> None:
    replace(root / "vendors/claude.yaml", "evidence: 'surface:pre-tool-no-rewrite'", "evidence: somebody said so")


def damage_no_evidence(root: Path) -> None:
    replace(root / "vendors/claude.yaml", ", evidence: 'surface:pre-tool-no-rewrite'", "")


def damage_no_origin(root: Path) -> None:
    replace(root / "vendors/claude.yaml", "tool_name: tool.name", "tool_name: {encode: json-string}")


def damage_two_origins(root: Path) -> None:
    replace(root / "vendors/claude.yaml", "tool_name: tool.name", "tool_name: {path: tool.name, const: 1}")


def damage_map_of_a_constant(root: Path) -> None:
    replace(root / "vendors/claude.yaml", "tool_name: tool.name", "tool_name: {const: a, map: {a: b}}")


@pytest.mark.parametrize(
    ("damage", "where", "says"),
    [
        (damage_key, "vendors/claude.yaml title", "Field required"),
        (damage_key, "vendors/claude.yaml titel", "Extra inputs are not permitted"),
        (damage_type, "vendors/codex.yaml aliases", "'openai-codex'"),
        (damage_capability, "vendors/claude.yaml events.PreToolUse.capability", "DIRECT"),
        (damage_seconds, "vendors/claude.yaml dialect.timeout_s", "greater than 0"),
        (damage_duplicate, "vendors/claude.yaml", "the key 'title' stands twice"),
        (damage_event_twice, "vendors/claude.yaml", "the key 'PreToolUse' stands twice"),
        (damage_syntax, "rules/codex.yaml", "line 2"),
        (damage_empty, "vendors/codex.yaml", "found None"),
        (damage_list, "rules/codex.yaml", "dictionary"),
        (damage_encoding, "rules/codex.yaml", "utf-8"),
        (damage_date, "rules/codex.yaml", "month must be in 1..12"),
        (damage_missing, "vendors/losses.yaml", "No such file"),
        (damage_code, "vendors/losses.yaml Allow_Adds_Nothing.[key]", "pattern"),
        (damage_empty_losses, "vendors/losses.yaml", "found None"),
        (damage_open_brace, "vendors/losses.yaml allow-adds-nothing.en", "expected '}'"),
        (damage_format, "vendors/losses.yaml allow-adds-nothing.en", "braces of a sentence hold a name only"),
        (damage_surface_version, "adapter/dsh_compat_adapter/hosts/dsh/surface/0.3.0.yaml", "dsh-0.2.1-rc.2 as well"),
        (damage_evidence, "vendors/claude.yaml events.PreToolUse.degradations.0.evidence", "somebody said so"),
        (damage_no_evidence, "vendors/claude.yaml events.PreToolUse.degradations.0.evidence", "Field required"),
        (damage_no_origin, "vendors/claude.yaml events.PreToolUse.payload.tool_name", "either a path or a const"),
        (damage_two_origins, "vendors/claude.yaml events.PreToolUse.payload.tool_name", "either a path or a const"),
        (damage_map_of_a_constant, "vendors/claude.yaml events.PreToolUse.payload.tool_name", "belong to a path"),
    ],
    ids=lambda value: value.__name__ if callable(value) else None,
)
def test_a_damaged_file_is_a_finding_that_names_the_place_and_what_is_expected(
    root: Path, damage: Callable[[Path], None], where: str, says: str
) -> None:
    damage(root)
    found = findings(root)
    assert [one for one in found if one.where.startswith(where) and says in one.message], [str(one) for one in found]


def test_every_finding_of_every_file_is_told_at_once_in_the_order_of_the_files(root: Path) -> None:
    for damage in (damage_code, damage_type, damage_key, damage_syntax, damage_surface_version):
        damage(root)
    files = [finding.where.split()[0] for finding in findings(root)]
    assert list(dict.fromkeys(files)) == [
        "vendors/claude.yaml",
        "vendors/codex.yaml",
        "rules/codex.yaml",
        "adapter/dsh_compat_adapter/hosts/dsh/surface/0.3.0.yaml",
        "vendors/losses.yaml",
    ]


def test_the_error_prints_one_finding_a_line(root: Path) -> None:
    damage_key(root)
    with pytest.raises(SourceError) as raised:
        read(root)
    assert str(raised.value).splitlines() == [str(finding) for finding in raised.value.findings]
