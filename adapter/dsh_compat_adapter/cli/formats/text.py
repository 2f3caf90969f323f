"""`--format text`: for people, file by file, with the line that each finding is about."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...capability import CarriedFile
from ...checking import Checked, Item
from ...declare.finding_codes import Severity
from ...declare.findings import Finding
from ...declare.text_file import read_lines, relative
from ...printable import printable
from ..text import coloured, paragraph, width
from .frame import frame
from .options import Options
from .places import in_order

COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}
GRADE = {"ADAPTED": "green", "CARRY": "green", "UNSUPPORTED": "red"}
INDENT = "    "
FILES = 10  # of one rule that are named


def render(checked: Checked, options: Options) -> Iterator[str]:
    """Files in the order in which they count, then a summary."""
    items: dict[str, list[Item]] = defaultdict(list)
    findings: dict[str, list[Finding]] = defaultdict(list)
    for item in checked.items:
        items[item.where.file].append(item)
    for finding in in_order(checked.findings):
        findings[finding.where.file].append(finding)
    for file in dict.fromkeys((*checked.files, *items, *findings)):
        yield coloured(printable(relative(file, checked.root)), "bold")
        yield from _items(items[file], checked.root, verbose=options.verbose)
        yield from _findings(findings[file], Path(file))
        if not items[file] and not findings[file]:
            yield "  nothing declared here"
        yield ""
    yield from _summary(checked, verbose=options.verbose)


def counts(checked: Checked) -> str:
    """One sentence."""
    count = checked.counts()
    ignored = f", {count['ignored']} ignored" if count["ignored"] else ""
    return (
        f"{count['files']} files: {count['adapted']} hooks adapted, {count['carried']} rules carried, "
        f"{count['unsupported']} unsupported, {count['refused']} refused; "
        f"{count['errors']} errors, {count['warnings']} warnings, {count['notes']} notes{ignored}."
    )


def _items(items: Sequence[Item], root: Path, *, verbose: bool) -> Iterator[str]:
    shared = () if verbose else _shared_losses(items)
    for item in items:
        yield from _item(item, root, shared, verbose=verbose)
    if shared:
        yield paragraph(", ".join(shared), 2, lead="each of these also loses", colour="yellow")


def _shared_losses(items: Sequence[Item]) -> tuple[str, ...]:
    """The codes that every graded item of a file has, so that they are said once."""
    codes = [
        dict.fromkeys(loss.code for loss in item.result.degradations)
        for item in items
        if item.result and item.result.degradations
    ]
    if len(codes) < 2:  # noqa: PLR2004 - with one item there is nothing to share
        return ()
    return tuple(code for code in codes[0] if all(code in other for other in codes))


def _item(item: Item, root: Path, shared: Sequence[str], *, verbose: bool) -> Iterator[str]:
    matcher = f" matcher {item.matcher!r}" if item.matcher is not None else ""
    line = f"{item.where.line}: " if item.where.line else ""
    name = f"  {line}{printable(item.name + matcher)}"
    if item.result is None:
        yield f"{name}: {coloured('refused', 'red')}"
        return
    grade = item.result.capability.value
    route = f" by {item.result.route}" if item.result.route and item.result.route != "carry" else ""
    yield f"{name}: {coloured(grade, GRADE[grade])}{route}"
    yield from _carried(item, item.result.files, root)
    if verbose:
        for loss in item.result.degradations:
            yield paragraph(loss.loss, 6, lead=loss.code, colour="yellow")
        return
    own = dict.fromkeys(loss.code for loss in item.result.degradations if loss.code not in shared)
    if own:
        yield paragraph(", ".join(own), 6, lead="loses", colour="yellow")


def _carried(item: Item, files: Sequence[CarriedFile], root: Path) -> Iterator[str]:
    """The files of a rule that is declared elsewhere, and those that it imports."""
    here = str(Path(item.where.file).absolute())
    declared = [file.path for file in files if file.imported_by is None and file.path != here]
    imported = [file.path for file in files if file.imported_by is not None]
    for lead, paths in (("carries", declared), ("with its imports", imported)):
        if paths:
            names = [printable(relative(path, root.absolute())) for path in paths[:FILES]]
            more = [f"and {len(paths) - FILES} more"] if len(paths) > FILES else []
            yield paragraph(", ".join([*names, *more]), 6, lead=lead)


def _findings(findings: Sequence[Finding], path: Path) -> Iterator[str]:
    lines = read_lines(path) if findings else ()
    for finding in findings:
        where = finding.where
        place = ":".join(str(part) for part in (where.line, where.column) if part)
        text = f"{place + ': ' if place else ''}{finding.message} [{finding.code}]"
        yield paragraph(text, 2, lead=finding.severity.value, colour=COLOUR[finding.severity])
        for line in frame(lines, where, width() - len(INDENT)):
            yield INDENT + coloured(line, "dim")
        if finding.remedy:
            yield paragraph(finding.remedy, 4, lead="do", colour="green")


def _summary(checked: Checked, *, verbose: bool) -> Iterator[str]:
    if not checked.files:
        yield "no hooks, rules or compat.yaml found here; is this the root of a project?"
        return
    if verbose:
        for finding in in_order(checked.ignored):
            where = f"{relative(finding.where.file, checked.root)}:{finding.where.line or 1}"
            yield paragraph(f"{where}: {finding.message} [{finding.code}]", lead="ignored")
    yield paragraph(counts(checked))
    if not verbose and any(item.result and item.result.degradations for item in checked.items):
        yield "--verbose writes every loss out; `dsh-compat explain VENDOR EVENT` says what it means."
