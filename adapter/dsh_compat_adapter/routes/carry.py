"""Carries rules: read once at registration, byte for byte, and given to the model when an agent is created.

Rules are text for the model. They are never a security boundary, and their result says so.
"""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path, PurePath

from ..capability import CapabilityResult, CarriedFile, Loss, Warned
from ..catalog.load import Catalog
from ..catalog.loss import Degradation
from ..catalog.model import Vendor
from ..catalog.rules import Imports, RulesFile
from ..declare.declaration import RulesDeclaration
from ..declare.discover import of_machine
from ..declare.finding_codes import Severity
from ..declare.findings import Finding, make_finding
from ..declare.follow import Reach, follow
from ..declare.front_matter import read_front_matter
from ..declare.glob import ANY_DEPTH, has_wildcard
from ..declare.policy_findings import policy_findings
from ..declare.rules_scope import folder, globs, switched_off
from ..declare.rules_source import rules_source
from ..declare.rules_text import RulesText, read_rules_text
from ..errors import CompatError
from ..events import Capability, Route
from ..printable import printable
from ..seams.decisions import Decision, Notify
from ..seams.host import Dispose, Host, HostEvent

SEAM = "agent/created"
SOURCE = "compat-adapter-rules"
USER = "user"
STARLARK = "starlark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rules file as it was read."""

    vendor: str
    file: CarriedFile
    real: str  # where its bytes stand, links followed
    text: str  # without a byte order mark
    kind: RulesFile | None  # of an imported file: that of the declared one; none: the vendor reads no such file


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a declaration of rules came to."""

    rules: tuple[Rule, ...]  # each file before those that it imports
    findings: tuple[Finding, ...]  # imports that are not carried, and commands that nobody refuses


def read_rules(declaration: RulesDeclaration, vendor: Vendor) -> Read:
    """All files that a declaration names, in a stable order, with what they import.

    Raises RULES_NOT_FOUND, OUTSIDE_BASE_DIR, NOT_TEXT, TOO_LARGE, INVALID_FILE or INVALID_DECLARATION; a glob is read
    whole or not at all.
    """
    try:
        paths, inside, root = rules_source(declaration)
        declared = [_read(path, vendor, inside, root) for path in paths]
        return _with_imports(declared, vendor, root)
    except CompatError as error:
        if declaration.where is not None:
            raise CompatError(error.code, error.message, where=declaration.where) from error
        raise


def mount(host: Host, rules: Sequence[Rule]) -> Dispose:
    """Give all rules to each new agent, as one message with this adapter as its source."""
    text = render(rules)

    async def listen(_: HostEvent) -> Decision:
        return Notify(contexts=(text,), source=SOURCE)

    return host.subscribe(SEAM, listen)


def render(rules: Sequence[Rule]) -> str:
    """The one message: each file below a line that says whose it is, where it stands and which bytes it is.

    A file that several vendors read, or that has several names, stands there once.
    """
    readers: dict[tuple[str, str], list[Rule]] = {}  # the scope of one file differs from vendor to vendor
    for rule in rules:
        readers.setdefault((rule.real, rule.file.sha256), []).append(rule)
    return "\n\n".join(f"{_heading(same[0].file, same)}\n{same[0].text}" for same in readers.values())


def _heading(file: CarriedFile, rules: Sequence[Rule]) -> str:
    vendors = ", ".join(dict.fromkeys(rule.vendor for rule in rules))
    return f"[{vendors} rules carried from {printable(file.path)}, sha256 {file.sha256}, {file.bytes} bytes]"


def _degradations(rule: Rule, vendor: Vendor) -> Sequence[Degradation]:
    """What carrying one file loses: as its kind does, or what all files of the vendor with its suffix share."""
    if rule.kind is not None:
        return rule.kind.degradations
    suffix = PurePath(rule.file.path).suffix
    alike = [file.degradations for file in vendor.rules if PurePath(file.path).suffix == suffix]
    return [loss for loss in alike[0] if all(loss in others for others in alike)] if alike else []


def kind_of(path: str, vendor: Vendor, root: Path | None = None) -> RulesFile | None:
    """Which of the vendor's rules files a path is, by the longest pattern that it ends with.

    The same name can be a project's and a user's: outside of the root of the project it is the user's.
    """
    parts = path.split("/")
    fitting = [file for file in vendor.rules if _ends_with(parts, _tail(file.path))]
    is_users = root is not None and not Path(path).is_relative_to(root)
    return max(
        fitting, key=lambda file: (len("/".join(_tail(file.path))), file.path.startswith("~") == is_users), default=None
    )


def _tail(pattern: str) -> list[str]:
    """The parts of a pattern, without the folder that it begins in."""
    return of_machine(pattern).removeprefix("~/").removeprefix("/").split("/")


def _ends_with(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    if not pattern:
        return True
    *before, last = pattern
    if last == ANY_DEPTH:
        return any(_ends_with(parts[:end], before) for end in range(len(parts), -1, -1))
    return bool(parts) and fnmatchcase(parts[-1], last) and _ends_with(parts[:-1], before)


def _read(path: Path, vendor: Vendor, inside: str | None, root: Path | None) -> Rule:
    read = read_rules_text(path, inside)
    kind = kind_of(str(path), vendor, root)
    scope = _scope(path, read.text, kind, root)
    return _rule(path, os.path.realpath(path), read, vendor, kind, scope)


def _rule(  # noqa: PLR0913, PLR0917 - what there is to say of a file
    path: Path,
    real: str,
    read: RulesText,
    vendor: Vendor,
    kind: RulesFile | None,
    scope: Sequence[str],
    by: str | None = None,
) -> Rule:
    carried = CarriedFile(
        path=str(path),
        sha256=hashlib.sha256(read.data).hexdigest(),
        bytes=len(read.data),
        scope=tuple(scope),
        imported_by=by,
    )
    return Rule(vendor=vendor.name, file=carried, real=real, text=read.text, kind=kind)


def _with_imports(declared: Sequence[Rule], vendor: Vendor, root: Path | None) -> Read:
    rules: list[Rule] = []
    off = {rule.real: finding for rule in declared if (finding := _off(rule, vendor)) is not None}
    findings = list(off.values())
    # a file is read once, and stands first in its own place; one that is off is read where another one imports it
    known = {rule.real for rule in declared} - off.keys()
    for rule in declared:
        kind, path = rule.kind, Path(rule.file.path)
        if rule.real in off:
            continue
        rules.append(rule)
        if kind is not None and kind.format == STARLARK:
            findings += policy_findings(rule.text, rule.file.path, vendor.title)
        if kind is None or kind.imports is None:
            continue
        followed = follow(path, rule.text, _reach(path, kind, kind.imports, vendor, root), known)
        findings += followed.findings
        for part in followed.parts:
            known.add(part.real)
            scope = _scope(path, part.read.text, kind, root)
            rules.append(_rule(part.path, part.real, part.read, vendor, kind, scope, part.imported_by))
    return Read(rules=tuple(rules), findings=tuple(findings))


def _off(rule: Rule, vendor: Vendor) -> Finding | None:
    """Says that the front matter of a file switches it off, if it does."""
    if rule.kind is None or rule.kind.off_key is None:
        return None
    matter = read_front_matter(rule.text, rule.file.path)
    key = switched_off(matter, rule.kind)
    if key is None:
        return None
    where = matter.where(rule.file.path, key)
    if key == rule.kind.off_key:
        message = f"{key} is false, so {vendor.title} does not load this file, and it is not carried"
        return make_finding("rules-off", where, message, f"remove {key} to have it read")
    message = f"{key} is false and there is no {rule.kind.scope_key}, so {vendor.title} never loads this file"
    remedy = f"add {rule.kind.scope_key}, or remove {key} to have it always there"
    return make_finding("rules-never-loaded", where, f"{message}, and it is not carried", remedy)


def _reach(path: Path, kind: RulesFile, imports: Imports, vendor: Vendor, root: Path | None) -> Reach:
    """The files of a project import files of the project; a user's own import whatever the user wrote."""
    below_root = root is not None and path.is_relative_to(root)
    place = root if root is not None and below_root else _place(path, kind)
    is_users = kind.layer == USER and not below_root
    return Reach(
        title=vendor.title,
        imports=imports,
        root=place,
        anywhere=is_users,
        home=place if is_users else None,
    )


def _place(path: Path, kind: RulesFile) -> Path:
    """The folder that the pattern of a file begins in: the project, or the user's home."""
    folders = list(takewhile(lambda part: not has_wildcard(part), _tail(kind.path)[:-1]))
    return next((above for above in path.parents if path.is_relative_to(above.joinpath(*folders))), path.parent)


def _scope(path: Path, text: str, kind: RulesFile | None, root: Path | None) -> tuple[str, ...]:
    if kind is None:
        return ()
    said = globs(read_front_matter(text, str(path)), kind) if kind.scope_key is not None else ()
    return said or (folder(path, root, kind) if root is not None else ())


def result(read: Read, vendor: Vendor, catalog: Catalog) -> CapabilityResult:
    """What carrying these files comes to: CARRY, with the losses of the kinds of files that they are."""
    listed = [degradation for rule in read.rules for degradation in _degradations(rule, vendor)]
    # a file of a sort that the vendor does not read at all is still only text
    listed = listed or [catalog.loss("rules-are-text")]
    losses = {(d.code, d.loss): Loss(code=d.code, loss=d.loss, evidence=d.evidence) for d in listed}
    return CapabilityResult(
        vendor=vendor.name,
        event=None,
        capability=Capability.CARRY,
        route=Route.CARRY,
        seams=(SEAM,),
        degradations=tuple(losses.values()),
        files=tuple(rule.file for rule in read.rules),
        warnings=tuple(
            Warned(code=one.code, text=f"{one.where}: {one.message}", remedy=one.remedy)
            for one in read.findings
            if one.severity is not Severity.NOTE or not read.rules
        ),
    )
