"""Reads what the vendors' own settings say about rules: further files, further names and limits.

A settings file that cannot be read is a finding of whoever reads its hooks. Nothing is fetched.
"""

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from ..catalog.load import Catalog
from ..catalog.model import Vendor
from ..catalog.rules import RulesFile, RulesSetting
from ..errors import CompatError, Where
from .declaration import RulesDeclaration
from .discover import stands
from .findings import Finding, make_finding
from .glob import fits, glob
from .json_source import read_json
from .readers.walk import wrong
from .text_file import read_text, text_place

USER = "user"
MAX_BRACES = 100  # patterns that one with braces stands for
_BRACES = re.compile(r"\{([^{}]*)\}")
_ROOTED = re.compile(r"/|\*\*|~|[A-Za-z]:")  # the beginning of what may be absolute
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
Place = Callable[..., Where]


class Excludes(NamedTuple):
    """A glob of absolute paths that a vendor leaves out, and where it says so."""

    vendor: str
    pattern: str
    where: Where

    @property
    def is_relative(self) -> bool:
        """Whether it begins with the name of a folder or a file, and so fits no absolute path."""
        return not any(_ROOTED.match(one) for one in _alternatives(self.pattern))

    def fits(self, path: Path) -> bool:
        """Whether a file is left out. Total."""
        return any(fits(os.path.normpath(path.absolute()), one) for one in _alternatives(self.pattern))


class RulesSettings(NamedTuple):
    """What the settings of a project, and of its user, add."""

    declared: tuple[RulesDeclaration, ...]
    kinds: tuple[tuple[Vendor, RulesFile], ...]
    limits: dict[str, int]  # of `max_bytes`, by vendor
    excludes: tuple[Excludes, ...]
    findings: tuple[Finding, ...]


class _Setting(NamedTuple):
    """One key that stands in a settings file."""

    vendor: Vendor
    layer: str
    key: str
    means: str
    value: object
    place: Place  # of an entry of the value, or of the value


def rules_settings(root: Path, catalog: Catalog, home: Path | None, layers: Sequence[str]) -> RulesSettings:
    """Read the settings of these layers: the user's below `home`, the project's below `root`. Total."""
    entries = list(_settings(root, catalog, home, layers))
    limits = {
        one.vendor.name: one.value
        for one in entries
        if one.means == "max-bytes" and type(one.value) is int and one.value >= 0
    }
    lists = [one for one in entries if one.means != "max-bytes"]
    named = [one for one in lists if one.means == "names" and isinstance(one.value, list)]
    found = [entry for one in lists if one.means == "files" for entry in _listed(one, root, home)]
    return RulesSettings(
        declared=tuple(entry for entry in found if isinstance(entry, RulesDeclaration)),
        kinds=tuple((one.vendor, kind) for one in named for kind in _kinds(one)),
        limits=limits,
        excludes=tuple(
            Excludes(one.vendor.name, pattern, one.place(index))
            for one in lists
            if one.means == "excludes"
            for index, pattern in enumerate(one.value if isinstance(one.value, list) else ())
            if isinstance(pattern, str)
        ),
        findings=(
            *(wrong(one.key, "a list", one.value, one.place()) for one in lists if not isinstance(one.value, list)),
            *(entry for entry in found if isinstance(entry, Finding)),
        ),
    )


def _settings(root: Path, catalog: Catalog, home: Path | None, layers: Sequence[str]) -> Iterator[_Setting]:
    for vendor in catalog.vendors.values():
        for setting in vendor.rules_settings:
            base = home if setting.layer == USER else root
            path = None if base is None else base / setting.path.removeprefix("~/")
            if setting.layer in layers and path is not None and stands(path):
                value, place = _value(path, setting)
                if value is not None:
                    yield _Setting(vendor, setting.layer, setting.key, setting.means, value, place)


def _value(path: Path, setting: RulesSetting) -> tuple[object, Place]:
    try:
        if setting.format == "json":
            document = read_json(path)
            value = document.value.get(setting.key) if isinstance(document.value, dict) else None
            return value, lambda *steps: document.where(setting.key, *steps)
        text = read_text(path)
        key = re.search(rf"^[ \t]*{re.escape(setting.key)}[ \t]*=", text, re.MULTILINE)
        where = text_place(str(path), text, key.start()) if key else Where(str(path))
        return (tomllib.loads(text).get(setting.key) if key else None), lambda *_: where
    except (CompatError, ValueError, RecursionError):
        return None, lambda *_: Where(str(path))


def _kinds(setting: _Setting) -> Iterator[RulesFile]:
    """A file of each further name counts where no file of the usual names, and of the names before it, stands."""
    usual = next(kind for kind in setting.vendor.rules if kind.max_bytes is not None and kind.shadowed_by)
    before = [*usual.shadowed_by, usual.path]
    for name in setting.value if isinstance(setting.value, list) else ():
        if isinstance(name, str) and name not in ("", ".", "..", *before) and not re.search(r"[/\\*?\[\0]", name):
            yield usual._replace(path=name, shadowed_by=tuple(before))
            before.append(name)


def _listed(setting: _Setting, root: Path, home: Path | None) -> Iterator[RulesDeclaration | Finding]:
    """The files that a list names, each entry as a declaration that stands in the settings file."""
    title, is_users = setting.vendor.title, setting.layer == USER
    for index, entry in enumerate(setting.value if isinstance(setting.value, list) else ()):
        where = setting.place(index)
        if not isinstance(entry, str) or not entry or "\0" in entry:
            yield wrong(f"an entry of {setting.key}", "a path, a pattern or an address", entry, where)
            continue
        if _ADDRESS.match(entry):
            yield _not_carried(where, f"{title} fetches {entry:.120}, and nobody does here", "put its text into a file")
            continue
        pattern = str(home / entry[2:]) if home is not None and is_users and entry.startswith("~/") else entry
        leads_out = pattern.startswith(("/", "~/")) or ".." in pattern.split("/")
        if leads_out and not (is_users and pattern.startswith("/")):
            does = f"{entry:.120} leads outside of the project, so it is not carried; {title} reads it"
            yield _not_carried(where, does, "write its text into a file of the project, or declare it in compat.yaml")
            continue
        sources = [one for one in _alternatives(pattern) if _is_there(root, one)]
        if not sources:
            yield _not_carried(
                where, f"{entry:.120} names no file that is there", "correct it; it is seen from the root"
            )
        for source in sources:
            yield RulesDeclaration(
                vendor=setting.vendor.name, source=source, base_dir=str(root.absolute()), where=where
            )


def _not_carried(where: Where, message: str, remedy: str) -> Finding:
    return make_finding("rules-listed-not-carried", where, message, remedy)


def _is_there(root: Path, pattern: str) -> bool:
    if os.path.lexists(root / pattern):
        return not os.path.isdir(root / pattern)  # noqa: PTH112 - Path.is_dir raises for a name that is too long
    base = Path("/") if pattern.startswith("/") else root
    return bool(glob(base, pattern).files)


def _alternatives(pattern: str) -> Sequence[str]:
    """The patterns that one with braces stands for; where these are too many, it stays as it is."""
    parts = _BRACES.split(pattern)  # texts and, between them, what stood in braces
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    count = 1
    for choice in choices:
        count *= len(choice)
    return ["".join(chosen) for chosen in product(*choices)] if count <= MAX_BRACES else [pattern]
