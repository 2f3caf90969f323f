"""`--format markdown`: a report for a pull request or a job summary.

Texts come from the project, so nothing in them is Markdown, mentions anybody or refers to an issue.
"""

import re
from collections.abc import Iterator
from itertools import groupby

from ...checking import Checked
from ...declare.findings import Finding
from ...declare.text_file import relative
from ...printable import printable
from .options import Options
from .places import in_order
from .text import counts

MAX_ROWS = 200  # a comment takes 65,536 characters, a job summary one MiB
_SPECIAL = re.compile(r"([\\`*_\[\]<>#|~$&])")
_REFERENCE = re.compile(r"([@#]|:(?=//)|www(?=\.))")  # what GitHub makes a mention or a link of


def render(checked: Checked, _: Options) -> Iterator[str]:
    """A heading with the counts, then one table a file."""
    yield "# dsh-compat check"
    yield ""
    yield counts(checked)
    findings = in_order(checked.findings)
    for file, listed in groupby(findings[:MAX_ROWS], key=lambda finding: finding.where.file):
        yield ""
        yield f"## {_code(relative(file, checked.root))}"
        yield ""
        yield "| Severity | Place | Finding | What to do |"
        yield "|---|---|---|---|"
        yield from map(_row, listed)
    if len(findings) > MAX_ROWS:
        yield ""
        yield f"{len(findings) - MAX_ROWS} more findings are not listed here; `--format json` has all of them."


def _row(finding: Finding) -> str:
    place = ":".join(str(part) for part in (finding.where.line, finding.where.column) if part)
    cells = [finding.severity.value, place, f"{_plain(finding.message)} `{finding.code}`", _plain(finding.remedy or "")]
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\1", printable(text.replace("\n", " ")))
    return _REFERENCE.sub(r"\1<!-- -->", escaped)


def _code(text: str) -> str:
    """A code span, which no backtick in the text can end."""
    text = printable(text)
    fence = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    pad = " " if "`" in text else ""
    return f"{fence}{pad}{text}{pad}{fence}"
