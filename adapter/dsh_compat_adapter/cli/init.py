"""`dsh-compat init PATH`: a manifest from what the files of a project declare."""

import argparse
import errno
import os

from ..capability import to_json
from ..catalog.load import Catalog
from ..declare.finding_codes import Severity
from ..declare.text_file import relative
from ..drafting import Draft, draft
from ..errors import CompatError, ErrorCode
from ..printable import printable
from .project import SURFACE, folder
from .text import coloured, paragraph, say

COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
LINE = {"+": "green", "-": "red", "@": "cyan"}


def run(arguments: argparse.Namespace) -> int:
    """Print the draft, or write it where there is no manifest; exit 1 when there is one and it differs."""
    catalog = Catalog.load()
    found = draft(folder(arguments.path), catalog, catalog.surfaces[SURFACE])
    written = arguments.write and not found.exists and bool(found.hooks or found.rules)
    if written:
        _write(found)
    if arguments.format == "json":
        say(to_json(_report(found, written=written)))
    else:
        _print(found, written=written)
    return 1 if found.diff else 0


def _write(found: Draft) -> None:
    """Write a file that was not there: whatever came meanwhile stays as it is."""
    try:
        descriptor = os.open(found.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        why = "it is there by now" if error.errno == errno.EEXIST else error.strerror
        message = f"{str(found.path)!r} cannot be written: {why}"
        raise CompatError(ErrorCode.INVALID_INPUT, message) from None
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123 - Path.open takes no descriptor
            file.write(found.text)
    except OSError as error:
        found.path.unlink()
        message = f"{str(found.path)!r} cannot be written: {error.strerror}"
        raise CompatError(ErrorCode.INVALID_INPUT, message) from None


def _report(found: Draft, *, written: bool) -> dict[str, object]:
    return {
        "path": str(found.path),
        "exists": found.exists,
        "written": written,
        "manifest": found.text,
        "hooks": found.hooks,
        "rules": found.rules,
        "diff": list(found.diff),
        "left_out": [finding.to_dict() for finding in found.left_out],
    }


def _print(found: Draft, *, written: bool) -> None:
    name, size = printable(str(found.path)), f"{found.hooks} hooks and {found.rules} rules"
    if found.exists and found.diff:
        say(f"{name} is there, and init never writes over one. From its entries to what the files have:")
        for line in found.diff:
            say(coloured(printable(line), LINE.get(line[0], "dim")))
    elif found.exists:
        say(f"{name} is there and has all that the files have: {size}.")
    elif written:
        say(f"wrote {name} with {size}.")
    elif found.hooks or found.rules:
        for line in found.text.splitlines():
            say(printable(line))
        say(paragraph(f"This would be {name} with {size}; --write writes it."))
    else:
        say("no hooks or rules found here that a manifest could hold, so there is nothing to write")
    if found.left_out:
        say()
        say(coloured("Not in the manifest, or to be known about it:", "bold"))
    for finding in found.left_out:
        where = relative(finding.where.file, found.path.parent)
        place = ":".join(str(part) for part in (where, finding.where.line, finding.where.column) if part is not None)
        text = f"{place}: {finding.message} [{finding.code}]"
        say(paragraph(text, 2, lead=finding.severity.value, colour=COLOUR[finding.severity]))
        if finding.remedy:
            say(paragraph(finding.remedy, 4, lead="do", colour="green"))
