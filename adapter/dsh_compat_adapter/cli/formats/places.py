"""Findings in the order of their places, and the names of files as other programs read them."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote_from_bytes

from ...declare.findings import Finding
from ...declare.text_file import relative


def in_order(findings: Iterable[Finding]) -> Sequence[Finding]:
    """By file, line, column and code, so that two runs over one tree print the same."""
    return sorted(
        findings, key=lambda one: (one.where.file, one.where.line or 0, one.where.column or 0, one.code, one.message)
    )


def path_from(file: str, folder: Path) -> str:
    """The path of a file from an absolute folder, with `/` between its parts; absolute when it stands elsewhere."""
    path = os.path.abspath(folder / file)  # noqa: PTH100 - links are left as they are
    return relative(path, folder).replace(os.sep, "/")


def uri_from(file: str, folder: Path) -> str:
    """The same as a URI reference: bytes that a URI has not are percent-encoded."""
    path = path_from(file, folder)
    return Path(path).as_uri() if Path(path).is_absolute() else quote_from_bytes(os.fsencode(path))
