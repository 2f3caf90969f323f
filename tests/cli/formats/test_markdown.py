"""`cli.formats.markdown`: a report in which nothing from a project is Markdown or a mention."""

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.cli.formats.markdown import MAX_ROWS, render
from dsh_compat_adapter.declare.findings import Finding
from tests.findings import ODD, checked, finding, findings, harmless, options

HERE = Path("/repository")


def report(*some: Finding) -> list[str]:
    return list(render(checked(some, HERE), options(HERE)))


def test_findings_stand_in_one_table_a_file_below_the_counts() -> None:
    found = report(
        finding("b.json", message="second"), finding("/repository/a.json", 2, 3, message="first", remedy="mend")
    )
    assert found == [
        "# dsh-compat check",
        "",
        "2 files: 0 hooks adapted, 0 rules carried, 0 unsupported, 0 refused; 2 errors, 0 warnings, 0 notes.",
        "",
        "## `a.json`",
        "",
        "| Severity | Place | Finding | What to do |",
        "|---|---|---|---|",
        "| error | 2:3 | first `wrong-shape` | mend |",
        "",
        "## `b.json`",
        "",
        "| Severity | Place | Finding | What to do |",
        "|---|---|---|---|",
        "| error | 1:1 | second `wrong-shape` |  |",
    ]


def test_a_message_is_plain_text_that_mentions_nobody() -> None:
    row = report(finding(message="<b>|`x` @me #1 [a](https://e.invalid) www.e.invalid\nb*c_"))[-1]
    assert row == (
        r"| error | 1:1 | \<b\>\|\`x\` @<!-- -->me \#<!-- -->1 \[a\](https:<!-- -->//e.invalid) www<!-- -->.e.invalid b\*c\_"
        " `wrong-shape` |  |"
    )


def test_a_name_with_backticks_stays_one_code_span() -> None:
    assert "## `` a`b ``" in report(finding("a`b"))
    assert "## ``` a``b` ```" in report(finding("a``b`"))


def test_a_report_stays_small_enough_for_a_comment_and_says_what_it_leaves_out() -> None:
    found = report(*[finding(line=number) for number in range(1, MAX_ROWS + 4)])
    assert sum(line.startswith("| error") for line in found) == MAX_ROWS
    assert found[-1] == "3 more findings are not listed here; `--format json` has all of them."


@given(some=st.lists(findings, max_size=5))
def test_each_finding_is_one_row_of_four_cells(some: list[Finding]) -> None:
    found = report(*some, finding(ODD, message=ODD, remedy=ODD))
    rows = [line for line in found if re.match(r"\| (error|warning|note) ", line)]
    assert len(rows) == len(some) + 1
    assert all(harmless(line) for line in found)
    # a bar that is not escaped ends a cell
    assert {len(re.findall(r"(?<!\\)(?:\\\\)*\|", row)) for row in rows} == {5}
