"""Says for every hook and every rule of a project what will happen to it. Reads the tree and executes nothing."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from .advice import duplicates, hooks, plugins, refusals, rules
from .advice.case import Case
from .capability import CapabilityResult
from .catalog.load import Catalog
from .catalog.rules import RulesFile
from .catalog.surface import Surface
from .declare.declaration import HookDeclaration
from .declare.finding_codes import Severity
from .declare.findings import Finding, from_error, from_warning, make_finding
from .declare.ignores import sort_out
from .declare.manifest import NAME
from .declare.scan import Scan, scan
from .declare.text_file import relative
from .errors import CompatError, ErrorCode, Where
from .events import Capability
from .grading import grade, refuse
from .hooks.policy import Policy
from .routes import carry

Progress = Callable[[int, int], None]


def _silent(done: int, every: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One hook or rules file, and what it comes to; no result when the declaration cannot be processed."""

    where: Where
    name: str
    matcher: str | None
    result: CapabilityResult | None

    def to_dict(self) -> dict[str, object]:
        """The item as JSON-ready data."""
        return {
            "file": self.where.file,
            "line": self.where.line,
            "column": self.where.column,
            "name": self.name,
            "matcher": self.matcher,
            "result": self.result.to_dict() if self.result else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The check of one project."""

    root: Path
    files: tuple[str, ...]
    items: tuple[Item, ...]
    findings: tuple[Finding, ...]
    ignored: tuple[Finding, ...]  # by the manifest, or by a comment in the file

    def counts(self) -> dict[str, int]:
        """Grades and findings, counted."""
        grades = [item.result.capability if item.result else None for item in self.items]
        severities = [finding.severity for finding in self.findings]
        return {
            "files": len(self.files),
            "adapted": grades.count(Capability.ADAPTED),
            "carried": grades.count(Capability.CARRY),
            "unsupported": grades.count(Capability.UNSUPPORTED),
            "refused": grades.count(None),
            "errors": severities.count(Severity.ERROR),
            "warnings": severities.count(Severity.WARNING),
            "notes": severities.count(Severity.NOTE),
            "ignored": len(self.ignored),
        }

    def to_dict(self) -> dict[str, object]:
        """The check as JSON-ready data (`dsh-compat schema check`)."""
        return {
            "root": str(self.root),
            "files": list(self.files),
            "items": [item.to_dict() for item in self.items],
            "findings": [finding.to_dict() for finding in self.findings],
            "ignored": [finding.to_dict() for finding in self.ignored],
            "counts": self.counts(),
        }


def check(  # noqa: PLR0913 - the three places that files stand in, and who watches
    root: Path,
    catalog: Catalog,
    surface: Surface,
    *,
    home: Path | None = None,
    machine: Path | None = None,
    progress: Progress = _silent,
) -> Checked:
    """Check one project against a host surface. Total: what is broken is a finding.

    `progress` is told after each hook and rules file how many are done, of how many.
    """
    found = scan(root, catalog, home=home, machine=machine)
    graded = list(_counted(found, catalog, surface, progress))
    findings = (
        *found.findings,
        *_shared(found, catalog),
        *plugins.advise(root, catalog),
        *(entry for entry in graded if isinstance(entry, Finding)),
    )
    sorted_out = sort_out(findings, root, found.manifest.ignore if found.manifest else ())
    return Checked(
        root=root,
        files=tuple(str(path) for path in found.files),
        items=tuple(entry for entry in graded if isinstance(entry, Item)),
        findings=sorted_out.kept,
        ignored=sorted_out.ignored,
    )


def _counted(found: Scan, catalog: Catalog, surface: Surface, progress: Progress) -> Iterator[Item | Finding]:
    every = len(found.hooks) + len(found.rules) + len(found.refused)
    done = 0
    for entry in chain(_hooks(found, catalog, surface), _rules(found, catalog), _refused(found, catalog)):
        if isinstance(entry, Item):
            done += 1
            progress(done, every)
        yield entry


def _hooks(found: Scan, catalog: Catalog, surface: Surface) -> Iterator[Item | Finding]:
    cases: list[Case] = []
    said: set[tuple[str, str, str]] = set()
    for declaration in found.hooks:
        where = declaration.where or Where(str(found.root))
        matcher = declaration.matcher if isinstance(declaration.matcher, str) else None
        name = f"{declaration.vendor} {declaration.event}"
        try:
            graded = grade(declaration, catalog, surface, str(found.root), has_shell=True)
        except CompatError as error:
            yield Item(where=where, name=name, matcher=matcher, result=None)
            yield _voiding(from_error(error, where), error, declaration, found, catalog)
            continue
        yield Item(where=where, name=name, matcher=matcher, result=graded.result)
        yield from _once(_warnings(declaration, graded.result, where), said)
        if graded.hook is not None:
            cases.append(
                case := Case(declaration=declaration, hook=graded.hook, root=found.root.absolute(), where=where)
            )
            yield from hooks.advise(case)
    declared = found.manifest.policy if found.manifest else None
    yield from refusals.fail_open(cases, Policy.VENDOR if declared is None else Policy(declared))
    yield from duplicates.advise(cases)
    yield from hooks.advise_together(cases, catalog.vendors.values(), found.environment)


def _voiding(
    finding: Finding, error: CompatError, declaration: HookDeclaration, found: Scan, catalog: Catalog
) -> Finding:
    """The finding, with what more the vendor does not load because of an entry that it cannot read either."""
    vendor, raw = catalog.vendors.get(str(declaration.vendor)), declaration.handler
    row = vendor.rows.get(str(declaration.event)) if vendor else None
    if vendor is None or row is None or not row.voids_file or Path(finding.where.file) == found.root / NAME:
        return finding
    handlers = vendor.dialect.handlers
    kind = handlers.types.get(str(raw.get("type", handlers.default_type))) if isinstance(raw, Mapping) else None
    unreadable = {
        ErrorCode.INVALID_MATCHER: not isinstance(declaration.matcher, str | None),
        ErrorCode.INVALID_HANDLER: kind is None or kind in handlers.runs,  # the vendor knows the types that do not
    }
    if not unreadable.get(error.code, False):
        return finding
    return replace(finding, message=f"{finding.message}; {vendor.title} then applies nothing of this file")


def _once(findings: Iterable[Finding], said: set[tuple[str, str, str]]) -> Iterator[Finding]:
    """What is said about a matcher, once for a file: a group has one matcher, and each of its hooks is graded.

    So is what an option would only show, which stands at every handler of a file where it stands at all.
    """
    for finding in findings:
        key = (finding.code, finding.where.file, finding.message)
        if not finding.code.startswith(("matcher-", "option-not-shown")) or key not in said:
            said.add(key)
            yield finding


def _warnings(declaration: HookDeclaration, result: CapabilityResult, where: Where) -> Iterator[Finding]:
    if result.capability is Capability.UNSUPPORTED:
        message = f"{declaration.vendor} {declaration.event} does not run: {result.reason}"
        yield Finding(
            code=str(result.code), severity=Severity.ERROR, where=where, message=message, remedy=result.remedy
        )
    for warning in result.warnings:
        yield from_warning(warning, where)


def _shared(found: Scan, catalog: Catalog) -> Iterator[Finding]:
    hooked = {hook.where.file for hook in found.hooks if hook.where is not None}
    for config in found.shared:
        if config.kind.of is not None and str(config.path) in hooked:
            owner = catalog.vendor(config.kind.of).title
            yield make_finding(
                "read-by-another",
                where=Where(str(config.path), 1, 1),
                message=f"{config.vendor.title} runs the hooks of {owner} in this file too",
                remedy="make sure that the commands work for both, and that no hook stands in the files of both",
            )


def _rules(found: Scan, catalog: Catalog) -> Iterator[Item | Finding]:
    said: set[Finding] = set()  # one file may be a rule of several vendors
    keys = {key for vendor in catalog.vendors.values() for kind in vendor.rules for key in _scope_keys(kind)}
    for declaration in found.rules:
        where = declaration.where or Where(str(found.root))
        name = f"{declaration.vendor} rules"
        try:
            vendor = catalog.vendor(declaration.vendor)
            read = carry.read_rules(declaration, vendor)
        except CompatError as error:
            yield Item(where=where, name=name, matcher=None, result=None)
            yield from_error(error, where)
            continue
        if read.rules:
            yield Item(where=where, name=name, matcher=None, result=carry.result(read, vendor, catalog))
        about = [*read.findings]
        for rule in read.rules:
            if rule.kind is not None and rule.file.imported_by is None:
                case = rules.RulesCase(
                    path=Path(rule.file.path),
                    text=rule.text,
                    size=rule.file.bytes,
                    vendor=vendor,
                    kind=rule.kind,
                    root=found.root.absolute(),
                    limit=found.limits.get(vendor.name),
                    scope_keys=keys,
                )
                about += rules.advise(case)
        placed = [replace(finding, where=_as_given(finding.where, found.root)) for finding in about]
        new = [finding for finding in placed if finding not in said]
        said.update(new)
        yield from new
    for path, why in found.unread:
        yield make_finding(
            "rules-not-read",
            where=Where(str(path), 1, 1),
            message=f"{why}, so nobody is told what stands here",
            remedy="move or rename it to where its vendor reads rules",
        )


def _as_given(where: Where, root: Path) -> Where:
    """A place by the name that its file has in the scan; rules are read by absolute paths."""
    return replace(where, file=str(root / relative(where.file, root)))


def _scope_keys(kind: RulesFile) -> Iterator[str]:
    yield from kind.scope_aliases
    yield from (key for key in (kind.scope_key, kind.off_key, kind.always_key) if key is not None)


def _refused(found: Scan, catalog: Catalog) -> Iterator[Item | Finding]:
    for vendor, refused in found.refused:
        result = refuse(vendor, refused.name, refused.code, catalog)
        yield Item(where=refused.where, name=f"{vendor} {refused.name}", matcher=None, result=result)
        yield Finding(
            code=refused.code,
            severity=Severity.ERROR,
            where=refused.where,
            message="; ".join((f"{vendor} {refused.name} does not run: {result.reason}".rstrip("."), *refused.loses)),
            remedy=result.remedy,
        )
