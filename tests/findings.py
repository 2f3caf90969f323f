"""Checks made by hand, for what only shows findings."""

from collections.abc import Sequence
from pathlib import Path

from hypothesis import strategies as st

from dsh_compat_adapter.checking import Checked
from dsh_compat_adapter.cli.formats.options import Options
from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.findings import Finding
from dsh_compat_adapter.errors import Where
from tests.projects import CATALOG

# what a file's name, a matcher or a handler may bring into a report
ODD = "\x1b[31m\x07\r\n\u202e\udcff日 é|`<b>@me #1 [x](http://e.invalid) ::error::x %0A*_"


def finding(  # noqa: PLR0913 - every member of a finding
    file: str = "a.json",
    line: int | None = 1,
    column: int | None = 1,
    *,
    code: str = "wrong-shape",
    severity: Severity = Severity.ERROR,
    message: str = "it is wrong",
    remedy: str | None = None,
) -> Finding:
    return Finding(code=code, severity=severity, where=Where(file, line, column), message=message, remedy=remedy)


def checked(findings: Sequence[Finding], root: Path, ignored: Sequence[Finding] = ()) -> Checked:
    files = tuple(dict.fromkeys(one.where.file for one in findings))
    return Checked(root=root, files=files, items=(), findings=tuple(findings), ignored=tuple(ignored))


def options(folder: Path, *, verbose: bool = False) -> Options:
    return Options(catalog=CATALOG, folder=folder, verbose=verbose)


texts = st.text(st.characters(), max_size=40) | st.just(ODD)
# of the surrogates a name has those only that stand for a byte
names = st.text(
    st.characters(exclude_characters="\0/", exclude_categories=["Cs"])
    | st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF),
    min_size=1,
    max_size=20,
).filter(lambda name: name not in "..")
places = st.none() | st.integers(1, 10**9)
findings = st.builds(
    lambda **given: finding(given.pop("file"), given.pop("line"), given.pop("column"), **given),
    file=names,
    line=places,
    column=places,
    code=st.sampled_from(["wrong-shape", "matcher-ignored", "invalid-file", "handler-is-code", "a-code-to-come"]),
    severity=st.sampled_from(Severity),
    message=texts,
    remedy=st.none() | texts,
)


def harmless(line: str) -> bool:
    """Whether a terminal obeys nothing in the line; the two spaces are harmless, though Python calls them otherwise."""
    return line.replace("\u00a0", "").replace("\u3000", "").isprintable()
