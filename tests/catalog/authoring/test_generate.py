"""`authoring.generate` and `scripts/regenerate`: no generated file differs from its source, or it is said."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from dsh_compat_adapter.catalog.authoring.generate import generate
from dsh_compat_adapter.catalog.authoring.schemas import SCHEMAS
from dsh_compat_adapter.catalog.authoring.sources import SourceError
from tests.checkout import PACKAGE, ROOT, copy

DRIFT = "these generated files do not agree with their sources; run scripts/regenerate and commit what it writes"
WORD = "unmistakably"
CATALOG = "adapter/dsh_compat_adapter/catalog/catalog.json"
MATRIX = "adapter/dsh_compat_adapter/catalog/matrix.json"
OBSERVED = "adapter/dsh_compat_adapter/catalog/observed.json"


def regenerate(root: Path, *arguments: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [python, str(root / "scripts/regenerate"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd="/",
    )


def differing(root: Path) -> set[str]:
    """The generated files below a root that are not what their sources make."""
    return {
        str(path)
        for path, text in generate(root).items()
        if not (root / path).exists() or (root / path).read_text(encoding="utf-8") != text
    }


def reword(path: Path, pattern: str, more: str = f"{WORD} ") -> None:
    """Put one more word behind the first place that fits."""
    text, times = re.subn(pattern, lambda match: match[0] + more, path.read_text(encoding="utf-8"), count=1)
    assert times == 1
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the checkout in which everything agrees."""
    root = copy(tmp_path)
    for path, text in generate(root).items():
        (root / path).write_text(text, encoding="utf-8")
    return root


def test_every_generated_file_agrees_with_its_source() -> None:
    assert differing(ROOT) == set(), DRIFT


def test_the_generated_files_are_the_catalog_its_digests_the_schemas_and_both_readmes() -> None:
    schemas = {f"adapter/dsh_compat_adapter/schemas/{name}.json" for name in SCHEMAS}
    assert {str(path) for path in generate(ROOT)} == {CATALOG, MATRIX, OBSERVED, "README.md", "README.zh.md", *schemas}


def test_no_schema_stays_behind_when_its_model_is_gone() -> None:
    assert {path.stem for path in (PACKAGE / "schemas").iterdir()} == set(SCHEMAS)


def test_a_check_of_an_agreeing_checkout_says_so_and_exits_0(checkout: Path) -> None:
    checked = regenerate(checkout, "--check")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert checked.stdout == f"{len(generate(checkout))} generated files agree with their sources\n"


# one word of a degradation, in the row that fills a sentence and in the shared sentence
REWORDED = {
    "a row": ("vendors/claude.yaml", r"code: fires-at, when: '?", {CATALOG, MATRIX, "README.md", "README.zh.md"}),
    "a Chinese sentence": ("vendors/losses.yaml", r"sequential:\n  en: .*\n  zh: '?", {CATALOG, "README.zh.md"}),
    "a surface": ("adapter/dsh_compat_adapter/hosts/embedded/surface.yaml", r"title: ", {CATALOG}),
}


@pytest.mark.parametrize(("file", "pattern", "affected"), REWORDED.values(), ids=REWORDED.keys())
def test_one_changed_word_fails_the_check_which_names_the_files_and_regenerating_repairs_them(
    checkout: Path, file: str, pattern: str, affected: set[str]
) -> None:
    reword(checkout / file, pattern)
    before = {path: (checkout / path).read_text(encoding="utf-8") for path in affected}

    checked = regenerate(checkout, "--check")
    assert checked.returncode == 1
    assert set(checked.stdout.splitlines()) == {f"differs: {path}" for path in affected}
    assert "run scripts/regenerate" in checked.stderr
    # it only looked
    assert {path: (checkout / path).read_text(encoding="utf-8") for path in affected} == before

    written = regenerate(checkout)
    assert written.returncode == 0
    assert set(written.stdout.splitlines()) == {f"wrote: {path}" for path in affected}
    assert all(WORD in (checkout / path).read_text(encoding="utf-8") for path in affected)
    assert differing(checkout) == set()


def test_a_row_that_is_taken_out_of_the_baseline_is_refused_before_anything_is_written(checkout: Path) -> None:
    reword(checkout / "vendors/claude.yaml", r"  WorktreeRemove:\n", "    baseline: false\n")
    before = (checkout / CATALOG).read_text(encoding="utf-8")
    refused = regenerate(checkout)
    assert refused.returncode == 1
    assert "vendors/claude.yaml: baseline rows on native-translate: expected 24, found 23 [baseline]" in refused.stdout
    assert "1 findings: repair the files above, then run scripts/regenerate" in refused.stderr
    assert (checkout / CATALOG).read_text(encoding="utf-8") == before
    with pytest.raises(SourceError, match="expected 24, found 23"):
        generate(checkout)


def test_a_missing_generated_file_is_a_difference_and_is_written(checkout: Path) -> None:
    (checkout / MATRIX).unlink()
    assert regenerate(checkout, "--check").stdout == f"differs: {MATRIX}\n"
    assert regenerate(checkout).returncode == 0
    assert (checkout / MATRIX).exists()


def test_an_edit_of_a_generated_region_is_undone_and_the_prose_around_it_stays(checkout: Path) -> None:
    readme = checkout / "README.md"
    text = readme.read_text(encoding="utf-8")
    readme.write_text(
        f"A line of prose.\n{text.replace('112 baseline events', '113 baseline events')}", encoding="utf-8"
    )
    assert regenerate(checkout).stdout == "wrote: README.md\n"
    assert readme.read_text(encoding="utf-8") == f"A line of prose.\n{text}"


def test_a_block_without_an_end_is_a_finding_about_its_document(checkout: Path) -> None:
    readme = checkout / "README.zh.md"
    readme.write_text(readme.read_text(encoding="utf-8").replace("<!-- /generated:counts -->", ""), encoding="utf-8")
    refused = regenerate(checkout, "--check")
    assert refused.returncode == 1
    assert refused.stdout.startswith("README.zh.md: a `<!-- generated:NAME -->` has no")


def test_without_the_authoring_extra_it_says_how_to_get_it(checkout: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    refused = regenerate(checkout, "--check", python=str(tmp_path / "bare/bin/python"))
    assert refused.returncode == 2
    assert "[authoring]" in refused.stderr
    assert "Traceback" not in refused.stderr
