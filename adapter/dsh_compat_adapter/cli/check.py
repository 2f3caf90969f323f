"""`dsh-compat check PATH`: what will happen to every hook and rule of a project."""

import argparse
from collections.abc import Sequence
from pathlib import Path

from ..capability import to_json
from ..catalog.load import Catalog
from ..checking import Checked, Item, check
from ..declare.finding_codes import Severity
from ..declare.findings import Finding
from .project import SURFACE, folder
from .text import coloured, paragraph, printable, say

COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
GRADE = {"ADAPTED": "green", "CARRY": "green", "UNSUPPORTED": "red"}


def run(arguments: argparse.Namespace) -> int:
    """Print the check; exit 1 when it found an error or a warning."""
    root = folder(arguments.path)
    catalog = Catalog.load()
    home = folder(arguments.home) if arguments.home else None
    checked = check(root, catalog, catalog.surfaces[SURFACE], home=home)
    if arguments.format == "json":
        say(to_json(checked.to_dict()))
    else:
        _print(checked, verbose=arguments.verbose)
    return 1 if any(finding.severity is not Severity.NOTE for finding in checked.findings) else 0


def _print(checked: Checked, *, verbose: bool) -> None:
    elsewhere = [finding.where.file for finding in checked.findings]
    for file in dict.fromkeys((*checked.files, *elsewhere)):
        say(coloured(printable(_relative(file, checked.root)), "bold"))
        items = [item for item in checked.items if item.where.file == file]
        findings = [finding for finding in checked.findings if finding.where.file == file]
        shared = _shared_losses(items)
        for item in items:
            _print_item(item, () if verbose else shared, verbose=verbose)
        if shared and not verbose:
            say(paragraph(", ".join(shared), 2, lead="each of these also loses", colour="yellow"))
        for finding in findings:
            _print_finding(finding)
        if not items and not findings:
            say("  nothing declared here")
        say()
    _print_summary(checked)


def _relative(file: str, root: Path) -> str:
    path = Path(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file


def _shared_losses(items: Sequence[Item]) -> tuple[str, ...]:
    """The codes that every graded item of a file has, so that they are said once."""
    codes = [
        [loss.code for loss in item.result.degradations] for item in items if item.result and item.result.degradations
    ]
    if len(codes) < 2:  # noqa: PLR2004 - with one item there is nothing to share
        return ()
    return tuple(code for code in dict.fromkeys(codes[0]) if all(code in other for other in codes))


def _print_item(item: Item, shared: Sequence[str], *, verbose: bool) -> None:
    matcher = f" matcher {item.matcher!r}" if item.matcher is not None else ""
    line = f"{item.where.line}: " if item.where.line else ""
    if item.result is None:
        say(f"  {line}{printable(item.name + matcher)}: {coloured('refused', 'red')}")
        return
    grade = item.result.capability.value
    route = f" by {item.result.route}" if item.result.route and item.result.route != "carry" else ""
    say(f"  {line}{printable(item.name + matcher)}: {coloured(grade, GRADE[grade])}{route}")
    if verbose:
        for loss in item.result.degradations:
            say(paragraph(loss.loss, 6, lead=loss.code, colour="yellow"))
        return
    own = dict.fromkeys(loss.code for loss in item.result.degradations if loss.code not in shared)
    if own:
        say(paragraph(", ".join(own), 6, lead="loses", colour="yellow"))


def _print_finding(finding: Finding) -> None:
    place = ":".join(str(part) for part in (finding.where.line, finding.where.column) if part)
    text = f"{place + ': ' if place else ''}{finding.message} [{finding.code}]"
    say(paragraph(text, 2, lead=finding.severity.value, colour=COLOUR[finding.severity]))
    if finding.remedy:
        say(paragraph(finding.remedy, 4, lead="do", colour="green"))


def _print_summary(checked: Checked) -> None:
    counts = checked.counts()
    if not checked.files:
        say("no hooks, rules or compat.yaml found here; is this the root of a project?")
        return
    say(
        paragraph(
            f"{counts['files']} files: {counts['adapted']} hooks adapted, {counts['carried']} rules carried, "
            f"{counts['unsupported']} unsupported, {counts['refused']} refused; "
            f"{counts['errors']} errors, {counts['warnings']} warnings, {counts['notes']} notes."
        )
    )
    if any(item.result and item.result.degradations for item in checked.items):
        say("--verbose writes every loss out; `dsh-compat explain VENDOR EVENT` says what it means.")
