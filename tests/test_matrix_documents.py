"""`matrix`: the generated parts of both READMEs, which repeat what the catalog says and nothing else."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_compat_adapter.catalog.load import FILE, Catalog
from dsh_compat_adapter.catalog.loss import Degradation
from dsh_compat_adapter.catalog.matrix import matrix
from dsh_compat_adapter.matrix import BLOCKS, LANGUAGES, TEMPLATES, WORDS, fill, render_block
from tests.checkout import ROOT

CATALOG = Catalog.load()
MATRIX = matrix(CATALOG)
BASELINE, ALL = MATRIX.counts(baseline=True), MATRIX.counts(baseline=False)
ROUTES = ["official-bridge", "native-translate", "native-seam", "builtin-bridge"]
DOCUMENTS = {document: (ROOT / document).read_text(encoding="utf-8") for document in LANGUAGES}
RENDERED = {language: render_block(CATALOG, "matrix", language) for language in LANGUAGES.values()}


def block(document: str, name: str) -> str:
    """What stands between the markers of a document."""
    found = re.findall(f"<!-- generated:{name} -->\n(.*?)\n<!-- /generated:{name} -->", DOCUMENTS[document], re.DOTALL)
    assert len(found) == 1
    return str(found[0])


def cells(line: str) -> list[str]:
    return [cell.strip().strip("*") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def summary(rendered: str) -> dict[str, list[int]]:
    """The summary table: numbers by vendor title, the total under its own word."""
    lines = rendered.partition("\n\n")[0].splitlines()[2:]
    return {cells(line)[0]: [int(cell) for cell in cells(line)[1:]] for line in lines}


def sections(rendered: str) -> dict[str, str]:
    """The part of each vendor by its title."""
    found = re.findall(r"<summary><b>(.*?)</b>.*?</summary>(.*?)</details>", rendered, re.DOTALL)
    return dict(found)


def sentence(degradation: Degradation, language: str) -> str:
    text = degradation.loss if language == "en" else degradation.loss_zh
    return text.replace("|", "\\|").replace("<", "&lt;")


@pytest.mark.parametrize("document", LANGUAGES)
@pytest.mark.parametrize("name", BLOCKS)
def test_both_readmes_have_each_block_once_as_it_is_generated(document: str, name: str) -> None:
    assert block(document, name) == render_block(CATALOG, name, LANGUAGES[document]), "run scripts/regenerate"


def test_both_readmes_have_the_same_structure() -> None:
    shapes = []
    for text in DOCUMENTS.values():
        prose = re.sub(r"```.*?```", "```", text, flags=re.DOTALL)
        shapes.append(re.findall(r"^(#+ |```|<!-- /?generated:[a-z]+ -->)", prose, re.MULTILINE))
    assert shapes[0] == shapes[1]
    assert len(shapes[0]) > 2 * len(BLOCKS)


@pytest.mark.parametrize("document", LANGUAGES)
def test_the_prose_counts_what_the_catalog_has(document: str) -> None:
    numbers = [int(number) for number in re.findall(r"\d+", block(document, "counts"))]
    routes = [BASELINE.by_route[route] for route in ROUTES]
    unsupported = ALL.by_capability["UNSUPPORTED"]
    assert numbers == [BASELINE.rows, *routes, BASELINE.approximate, ALL.rows - BASELINE.rows, unsupported]


@pytest.mark.parametrize("language", WORDS)
def test_the_summary_counts_each_vendor_by_route_and_the_totals_are_the_sums(language: str) -> None:
    table = summary(RENDERED[language])
    total = table.pop(WORDS[language]["total"])
    assert list(table) == [vendor.title for vendor in CATALOG.vendors.values()]
    for vendor in CATALOG.vendors.values():
        rows = [row for row in vendor.rows.values() if row.baseline]
        by_route = [sum(row.plan is not None and row.plan.route == route for row in rows) for route in ROUTES]
        approximate = sum(row.approximate for row in rows)
        assert table[vendor.title] == [*by_route, len(rows), approximate, len(vendor.rows) - len(rows)]
    assert total == [sum(column) for column in zip(*table.values(), strict=True)]
    assert total[:4] == [BASELINE.by_route[route] for route in ROUTES]


@pytest.mark.parametrize("language", WORDS)
def test_each_event_has_one_row_with_its_route_seams_effects_and_every_loss(language: str) -> None:
    found = sections(RENDERED[language])
    assert list(found) == [vendor.title for vendor in CATALOG.vendors.values()]
    for vendor in CATALOG.vendors.values():
        lines = [line for line in found[vendor.title].splitlines() if line.startswith("| `")]
        assert len(lines) == len(vendor.rows)
        for line, row in zip(lines, vendor.rows.values(), strict=True):
            event, seams, works, lost = cells(line)
            assert event.startswith(f"`{row.event}`")
            assert (" *<br>" in event) == (not row.baseline)
            if row.plan is None or row.reason is not None:
                assert row.reason is not None
                assert "UNSUPPORTED" in event
                assert lost == f"{sentence(row.reason, language)} (`{row.reason.code}`)"
                continue
            assert event.endswith(row.plan.route.value)
            assert re.findall(r"`([^`]+)`", seams) == list(row.plan.seams)
            assert works == (", ".join(sorted(row.plan.honours)) or WORDS[language]["observes"])
            own = [d for d in row.degradations if d not in vendor.everywhere]
            assert lost.split("<br>") == [f"{sentence(d, language)} (`{d.code}`)" for d in own]


@pytest.mark.parametrize("language", WORDS)
def test_what_every_event_of_a_vendor_loses_is_said_once_above_its_table(language: str) -> None:
    found = sections(RENDERED[language])
    for vendor in CATALOG.vendors.values():
        listed = [line.removeprefix("- ") for line in found[vendor.title].splitlines() if line.startswith("- ")]
        assert listed == [f"{sentence(d, language)} (`{d.code}`)" for d in vendor.everywhere]


def test_workbuddys_part_says_that_the_desktop_app_has_no_public_hook_api() -> None:
    assert "The WorkBuddy desktop app has no public hook API" in sections(RENDERED["en"])["WorkBuddy"]
    assert "WorkBuddy" in sections(RENDERED["zh"])["WorkBuddy"]


def test_the_two_languages_have_the_same_words_to_say_and_chinese_is_chinese() -> None:
    assert WORDS["en"].keys() == WORDS["zh"].keys()
    chinese = re.compile("[一-鿿]")
    assert all(chinese.search(word) for word in WORDS["zh"].values())
    assert not any(chinese.search(word) for word in WORDS["en"].values())
    assert not chinese.search(RENDERED["en"])


def test_each_template_makes_a_block() -> None:
    assert {path.name.partition(".")[0] for path in Path(TEMPLATES).iterdir()} == set(BLOCKS)


prose = st.text(alphabet=st.characters(exclude_characters="<"))


@settings(max_examples=30)
@given(st.lists(st.tuples(prose, st.just("counts")), max_size=4), prose, prose)
def test_filling_makes_each_block_anew_keeps_the_prose_and_is_idempotent(
    parts: list[tuple[str, str]], old: str, end: str
) -> None:
    def document(content: str) -> str:
        return "".join(f"{text}<!-- generated:{n} -->{content}<!-- /generated:{n} -->" for text, n in parts) + end

    made = f"\n{render_block(CATALOG, 'counts', 'en')}\n"
    once = fill(document(old), CATALOG, "en")
    assert once == document(made)
    assert fill(once, CATALOG, "en") == once


def test_a_cell_holds_no_character_that_would_end_it() -> None:
    data = json.loads(FILE.read_text(encoding="utf-8"))
    data["losses"]["fires-at"]["en"] = "Either a | or <b>\nsomewhere"
    assert "Either a \\| or &lt;b> somewhere (`fires-at`)" in render_block(Catalog(data), "matrix", "en")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("<!-- generated:matrx --><!-- /generated:matrx -->", "no generated block 'matrx'"),
        ("<!-- generated:counts -->", "has no"),
        ("<!-- generated:counts --><!-- generated:counts --><!-- /generated:counts -->", "has no"),
        ("<!-- generated:counts --><!-- /generated:matrix -->", "has no"),
    ],
)
def test_a_block_that_could_never_be_made_again_is_an_error(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        fill(text, CATALOG, "en")
