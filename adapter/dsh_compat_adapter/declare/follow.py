"""Reads the files that a rules file imports, as its vendor does, and says of each that is not read why it is not."""

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple

from ..catalog.rules import Imports
from ..errors import CompatError, Where
from .findings import Finding, make_finding
from .imports import BEHIND, LONGEST, Import, imports, too_long
from .rules_text import RulesText, read_rules_text

MAX_FILES = 200  # that one rules file leads to
MAX_IMPORTS = 1000  # of one file that are looked at
MAX_BYTES = 4 * 1024 * 1024  # of all of them
IN_FILE = "write its text into this file, or declare it in compat.yaml by its absolute path"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How far the imports of a rules file lead."""

    title: str  # of the vendor
    imports: Imports
    root: Path  # the folder whose files are read, as it is called
    anywhere: bool  # files outside of it are read as well
    home: Path | None  # that `~/` stands for; none: a folder outside of the root


class Part(NamedTuple):
    """One imported file."""

    path: Path
    real: str
    read: RulesText
    imported_by: str


class Followed(NamedTuple):
    """What the imports of a file came to, in their order, each file before its own imports."""

    parts: tuple[Part, ...]
    findings: tuple[Finding, ...]


def follow(path: Path, text: str, reach: Reach, known: Collection[str]) -> Followed:
    """Read what a file imports, and what that imports, but for the real paths that are `known`. Total."""
    following = _Following(reach, known)
    following.file(path, os.path.realpath(path), text, ())
    return Followed(tuple(following.parts), tuple(following.findings))


class _Following:
    def __init__(self, reach: Reach, known: Collection[str]) -> None:
        self.parts: list[Part] = []
        self.findings: list[Finding] = []
        self._reach = reach
        self._root = os.path.realpath(reach.root)
        self._seen = set(known)
        self._size = 0

    def file(self, path: Path, real: str, text: str, above: tuple[str, ...]) -> None:
        """Follow the imports of one file; `above` are the real paths of those that lead to it."""
        chain = (*above, real)
        self._seen.add(real)
        if too_long(text, self._reach.imports.syntax):
            self._not_carried(Where(str(path), 1, 1), f"in more than {LONGEST} characters nobody looks for imports")
        for one in self._distinct(text, str(path)):
            part = self._part(one, path, real, chain)
            if part is not None:
                self._size += len(part.read.data)
                self.parts.append(part)
                self.file(part.path, part.real, part.read.text, chain)

    def _distinct(self, text: str, file: str) -> Iterator[Import]:
        """Each import of a text once, as far as people write them: a generated text can have a hundred thousand."""
        paths: set[str] = set()
        for one in imports(text, file, self._reach.imports.syntax):
            if len(paths) >= MAX_IMPORTS:
                self._not_carried(one.where, f"one file has more than {MAX_IMPORTS} imports, so this one is not read")
                return
            if one.path not in paths:
                paths.add(one.path)
                yield one

    def _part(self, one: Import, path: Path, real: str, chain: tuple[str, ...]) -> Part | None:
        """The file of one import; none where there is nothing to read, which is a finding if it can be a fault."""
        target = self._target(one, real)
        leads_to = self._leads_to(one, target)
        if leads_to is None:
            return None
        if leads_to in chain:
            message = f"@{one.path:.120} leads back to a file that imports this one; it is read once"
            self.findings.append(make_finding("import-cycle", one.where, message, "take one of the two imports out"))
            return None
        return None if leads_to in self._seen else self._read(one, target, leads_to, path, len(chain))

    def _leads_to(self, one: Import, target: Path) -> str | None:
        """The real path of the file that an import names; none when it names none that is read."""
        fault: Finding | None = None
        if not one.taken:
            message = f"@{one.path:.120} is no import for {self._reach.title}, so the model reads the name only"
            fault = make_finding("import-missing", one.where, message, "begin it with ./ or / or ~/")
        elif not self._may_read(target):
            fault = self._outside(one)
        elif not os.path.lexists(target):
            fault = self._missing(one, str(target))
        if fault is not None:
            self.findings += [fault] if one.sure else []
            return None
        real = os.path.realpath(target)
        if not self._may_read(Path(real)):
            self.findings.append(self._outside(one))
            return None
        return None if os.path.isdir(real) else real  # noqa: PTH112 - Path.is_dir raises for a name that is too long

    def _read(self, one: Import, target: Path, leads_to: str, path: Path, depth: int) -> Part | None:
        title, suffixes = self._reach.title, self._reach.imports.suffixes
        suffix = PurePath(leads_to).suffix.lower()
        if depth > self._reach.imports.depth:
            message = f"@{one.path:.120} lies behind {depth - 1} imports, where {title} stops, so it is not carried"
            self.findings.append(make_finding("import-too-deep", one.where, message, "import it from a file above"))
        elif suffixes and suffix and suffix not in suffixes:
            self._not_carried(one.where, f"{title} imports no {suffix} file, so @{one.path:.120} is not carried")
        elif len(self.parts) >= MAX_FILES or self._size >= MAX_BYTES:
            limit = f"more than {MAX_FILES} files or {MAX_BYTES} bytes are imported"
            self._not_carried(one.where, f"{limit}, so @{one.path:.120} is not carried")
        else:
            try:
                read = read_rules_text(target, None if self._reach.anywhere else self._root)
            except CompatError as error:
                self._not_carried(one.where, f"@{one.path:.120} is not carried: {error.message}")
            else:
                # an empty file is not worth a place of its own, at the vendors neither
                return Part(self._named(target), leads_to, read, str(path)) if read.text.strip() else None
        return None

    def _target(self, one: Import, real: str) -> Path:
        if not one.path.startswith("~/"):
            return Path(os.path.normpath(Path(real).parent / one.path))
        home = self._reach.home
        return Path("/") if home is None else Path(os.path.normpath(home / one.path.removeprefix("~/").lstrip("/")))

    def _may_read(self, path: Path) -> bool:
        return self._reach.anywhere or path.is_relative_to(self._root)

    def _named(self, target: Path) -> Path:
        """A file below the root by the name that the root was given."""
        below = target.is_relative_to(self._root)
        return self._reach.root / target.relative_to(self._root) if below else target

    def _outside(self, one: Import) -> Finding:
        does = "reads it" if self._reach.imports.outside == "reads" else "asks before it reads it"
        message = f"@{one.path:.120} leads outside of the project, so it is not carried; {self._reach.title} {does}"
        return make_finding("import-outside", one.where, message, IN_FILE)

    def _missing(self, one: Import, target: str) -> Finding:
        bare = target.rstrip(BEHIND)
        if bare != target and os.path.isfile(bare):  # noqa: PTH113 - as above
            behind = repr(target[len(bare) :])
            message = f"@{one.path:.120} imports nothing: {self._reach.title} takes {behind} for a part of the name"
            return make_finding("import-missing", one.where, message, f"put a blank before {behind}")
        message = f"@{one.path:.120} imports a file that is not there, so the model reads the name only"
        return make_finding("import-missing", one.where, message, "correct the path; it is relative to this file")

    def _not_carried(self, where: Where, message: str) -> None:
        self.findings.append(make_finding("import-not-carried", where, message, IN_FILE))
