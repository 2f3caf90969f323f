"""Findings that somebody has seen and decided to leave, by `ignore` in the manifest or by a comment in the file.

A comment `dsh-compat: ignore[code, code]` counts for its own line; alone on a line it counts for the next one. An entry
of the manifest that leaves out nothing is a finding itself.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from ..errors import CompatError, ErrorCode, Where, nearest, shown
from .findings import Finding, make_finding
from .text_file import read_lines, relative

KEYS = ("code", "file")
_COMMENT = re.compile(r"(?:#|//|/\*|<!--)\s*dsh-compat:\s*ignore\[([^\]\n]*)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """One entry of the manifest: a code, in all files or in those that a pattern names."""

    code: str
    file: str | None  # `*` and `?` stand for any characters, `/` included
    where: Where

    def covers(self, finding: Finding, name: str) -> bool:
        """Whether the entry speaks about a finding in the file of this name."""
        return finding.code == self.code and (self.file is None or fnmatchcase(name, self.file))


class Sorted(NamedTuple):
    """Findings that count, and those that are left out."""

    kept: tuple[Finding, ...]
    ignored: tuple[Finding, ...]


def read_ignore(entry: object, where: Where) -> Ignore:
    """An entry of `ignore`: a code, or a mapping of a code and a file; raises INVALID_DECLARATION."""
    data: Mapping[object, object] = {"code": entry} if isinstance(entry, str) else _mapping(entry, where)
    for key in data:
        if key not in KEYS:
            message = (
                f"unknown key {shown(key)} in an entry of ignore.{nearest(str(key), KEYS)} Known: {', '.join(KEYS)}."
            )
            raise CompatError(ErrorCode.INVALID_DECLARATION, message, where=where)
    code, file = data.get("code"), data.get("file")
    if not isinstance(code, str) or not isinstance(file, str | None):
        message = f"an entry of ignore has a code and perhaps a file, both texts; found {shown(entry)}"
        raise CompatError(ErrorCode.INVALID_DECLARATION, message, where=where)
    return Ignore(code=code, file=file, where=where)


def sort_out(findings: Iterable[Finding], root: Path, entries: Sequence[Ignore]) -> Sorted:
    """Sort the findings of a project; reads the files that have findings once more, for their comments. Total."""
    kept: list[Finding] = []
    ignored: list[Finding] = []
    used: set[Ignore] = set()
    files: dict[str, _File] = {}
    for finding in findings:
        path = finding.where.file
        if (file := files.get(path)) is None:
            file = files[path] = _File(relative(path, root), _comments(read_lines(Path(path))))
        covering = [entry for entry in entries if entry.covers(finding, file.name)]
        used.update(covering)
        commented = finding.code in file.comments.get(finding.where.line or 1, ())
        (ignored if covering or commented else kept).append(finding)
    codes = {finding.code for finding in kept}
    kept += [_unused(entry, codes) for entry in entries if entry not in used]
    return Sorted(tuple(kept), tuple(ignored))


class _File(NamedTuple):
    name: str  # below the project
    comments: Mapping[int, frozenset[str]]  # line -> the codes that are left out there


def _comments(lines: Sequence[str]) -> dict[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = {}
    above: frozenset[str] = frozenset()
    for number, line in enumerate(lines, start=1):
        comment = _COMMENT.search(line) if "dsh-compat:" in line else None
        if comment is None and not above:
            continue
        codes = frozenset(code.strip() for code in comment[1].split(",")) if comment else frozenset()
        if comment is not None and not line[: comment.start()].strip():
            above |= codes
            continue
        found[number] = codes | above
        above = frozenset()
    return found


def _unused(entry: Ignore, codes: Iterable[str]) -> Finding:
    message = f"ignore names {shown(entry.code)}, and there is no such finding{' in such a file' if entry.file else ''}"
    return make_finding(
        "ignore-unused", entry.where, message + "." + nearest(entry.code, codes), "correct the entry or take it out"
    )


def _mapping(entry: object, where: Where) -> Mapping[object, object]:
    if isinstance(entry, Mapping):
        return entry
    message = f"an entry of ignore is a code or a mapping, found {type(entry).__name__}"
    raise CompatError(ErrorCode.INVALID_DECLARATION, message, where=where)
