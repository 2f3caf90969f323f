"""The trees of `tests/cases`: made after what people reported or have on disk, each with the findings it is to give."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from dsh_compat_adapter.checking import Checked, check
from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.findings import Finding
from tests.checkout import ROOT
from tests.projects import CATALOG, SURFACE, project

FOLDER = ROOT / "tests/cases"
KEYS = {"id", "files", "links", "modes", "home", "findings", "grades", "says", "scopes", "imported"}
CASES: list[dict[str, Any]] = [
    case for file in sorted(FOLDER.glob("*.yaml")) for case in yaml.safe_load(file.read_text(encoding="utf-8"))
]


def tree(root: Path, case: dict[str, Any]) -> Checked:
    """Make the tree of a case and check it."""
    project(root, case.get("files", {}))
    for name, target in case.get("links", {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    for name, mode in case.get("modes", {}).items():
        (root / name).chmod(int(str(mode), 8))
    return check(root, CATALOG, SURFACE, home=root / case["home"] if "home" in case else None)


def line(finding: Finding, root: Path) -> str:
    file = Path(finding.where.file)
    name = file.relative_to(root) if file.is_relative_to(root) else file
    return f"{finding.code} {name}" + (f":{finding.where.line}" if finding.where.line else "")


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_tree_gives_the_findings_of_its_case(tmp_path: Path, case: dict[str, Any]) -> None:
    checked = tree(tmp_path, case)
    expected = Counter(case["findings"])
    found = Counter(line(finding, tmp_path) for finding in checked.findings)
    loud = {line(finding, tmp_path) for finding in checked.findings if finding.severity is not Severity.NOTE}
    assert {name: found[name] for name in {*expected, *loud}} == {name: expected[name] for name in {*expected, *loud}}
    messages = "\n".join(f"{finding.message} {finding.remedy}" for finding in checked.findings)
    assert [text for text in case.get("says", ()) if text not in messages] == []
    carried = [file for item in checked.items if item.result for file in item.result.files]
    for name, scope in case.get("scopes", {}).items():
        assert {file.scope for file in carried if file.path == str(tmp_path / name)} == {tuple(scope)}
    imported = {file.path: file.imported_by for file in carried if file.imported_by is not None}
    expected_imports = case.get("imported", {}).items()
    assert imported == {str(tmp_path / name): str(tmp_path / by) for name, by in expected_imports}
    counts = checked.counts()
    assert {grade: counts[grade] for grade in case.get("grades", {})} == case.get("grades", {})


def test_every_case_has_known_keys_and_a_name_of_its_own() -> None:
    assert [set(case) - KEYS for case in CASES if set(case) - KEYS] == []
    assert len({case["id"] for case in CASES}) == len(CASES)
