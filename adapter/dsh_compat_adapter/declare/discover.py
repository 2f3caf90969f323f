"""Finds the files of vendors below a project, in the order in which their hooks are appended: user, project, local."""

import os
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from ..catalog.load import Catalog
from ..catalog.model import ConfigFile, Vendor
from ..catalog.rules import RulesFile
from .glob import Unsearched, glob_all

LAYERS = ("managed", "user", "plugin", "project", "local")
# shapes of files that hold hooks
HOOK_FILES = frozenset({"hook-groups", "hook-groups-only", "flat-hooks", "code-plugin"})
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
# nobody keeps rules of a project there, and copies of other projects do
SKIPPED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "venv"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFound:
    """A file in a place where a vendor keeps hooks (or where people put them and the vendor never looks)."""

    path: Path
    vendor: Vendor
    kind: ConfigFile


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesFound:
    """A rules or instruction file of a vendor."""

    path: Path
    vendor: Vendor
    kind: RulesFile


F = TypeVar("F")


class Discovered(NamedTuple, Generic[F]):
    """Files, and the folders in which there may be more that nobody could see."""

    files: tuple[F, ...]
    unsearched: tuple[Unsearched, ...]


def config_files(
    root: Path, catalog: Catalog, home: Path | None, machine: Path | None = None
) -> Discovered[ConfigFound]:
    """Every hook file below the project, and below `home` and `machine` if given; each path once a vendor."""
    kinds = [
        (vendor, kind)
        for layer in LAYERS
        for vendor in (*catalog.vendors.values(), catalog.native)
        for kind in vendor.config
        if kind.layer == layer and _is_its_own(kind, root)
    ]
    places, unsearched = _places([kind.path for _, kind in kinds], root, home, machine)
    found: dict[tuple[str, str], ConfigFound] = {}  # a project in the user's home has one file in two places
    for vendor, kind in kinds:
        for path in places[kind.path]:
            found.setdefault((vendor.name, os.path.realpath(path)), ConfigFound(path=path, vendor=vendor, kind=kind))
    return Discovered(tuple(found.values()), tuple(unsearched))


def _is_its_own(kind: ConfigFile, root: Path) -> bool:
    """Whether what stands beside a file makes it the vendor's, where several have a file by that name."""
    if kind.own is not None and stands(root / kind.own):
        return True
    if kind.requires is not None and not stands(root / kind.requires):
        return False
    return not any(stands(root / other) for other in kind.unless)


class BelowFound(NamedTuple):
    """A file with hooks of a plugin, or of another project, in a folder of the project, where they do not run."""

    folder: Path  # of the plugin or project
    file: Path
    vendor: Vendor
    kind: ConfigFile


def below(root: Path, catalog: Catalog) -> list[BelowFound]:
    """The plugins and projects in folders of a project, one file for each, layer and vendor; it is none of them."""
    kinds = [
        (vendor, kind)
        for vendor in catalog.vendors.values()
        for kind in vendor.config
        if kind.layer == "plugin" or _is_of_folder(kind, vendor)
    ]
    places, _ = _places([f"**/{kind.path}" for _, kind in kinds], root, None, None)
    found: dict[tuple[Path, str, str], BelowFound] = {}
    for vendor, kind in kinds:
        for file in places[f"**/{kind.path}"]:
            folder = file.parents[len(Path(kind.path).parts) - 1]
            if folder != root and (kind.own is None or stands(folder / kind.own)) and _is_its_own(kind, folder):
                found.setdefault((folder, vendor.name, file.name), BelowFound(folder, file, vendor, kind))
    return list(found.values())


def _is_of_folder(kind: ConfigFile, vendor: Vendor) -> bool:
    """Whether a vendor reads such a file of the folder that it is started in, and only there."""
    if kind.layer not in {"project", "local"} or kind.of is not None or not kind.read:
        return False
    return kind.shape in HOOK_FILES and all(other.path != f"**/{kind.path}" for other in vendor.config)


class UnreadFound(NamedTuple):
    """A file that looks like rules and that its vendor does not read."""

    path: Path
    why: str


class RulesDiscovered(NamedTuple):
    """Rules files, those that only look like some, and the folders in which there may be more."""

    files: tuple[RulesFound, ...]
    unread: tuple[UnreadFound, ...]
    unsearched: tuple[Unsearched, ...]


def rules_files(
    root: Path,
    catalog: Catalog,
    home: Path | None,
    machine: Path | None = None,
    further: Sequence[tuple[Vendor, RulesFile]] = (),
) -> RulesDiscovered:
    """Every rules file below the project, nested ones where the vendor reads those, and below `home` and `machine`."""
    kinds = [*((vendor, kind) for vendor in catalog.vendors.values() for kind in vendor.rules), *further]
    places = [(vendor, place) for vendor in catalog.vendors.values() for place in vendor.unread_rules]
    patterns = dict.fromkeys([*(_nested(kind) for _, kind in kinds), *(place.path for _, place in places)])
    found, unsearched = _places(list(patterns), root, home, machine)
    files = tuple(
        RulesFound(path=path, vendor=vendor, kind=kind) for vendor, kind in kinds for path in found[_nested(kind)]
    )
    read = {(rule.vendor.name, rule.path) for rule in files}
    unread = tuple(
        UnreadFound(path, place.why)
        for vendor, place in places
        for path in found[place.path]
        if (vendor.name, path) not in read
    )
    return RulesDiscovered(files, unread, tuple(unsearched))


def _nested(kind: RulesFile) -> str:
    return f"**/{kind.path}" if kind.nested else kind.path


def _places(
    patterns: Sequence[str], root: Path, home: Path | None, machine: Path | None
) -> tuple[Mapping[str, Sequence[Path]], list[Unsearched]]:
    """The files that each pattern of the catalog names; those of the whole machine stand below `machine`."""
    found: dict[str, Sequence[Path]] = {}
    unsearched: list[Unsearched] = []
    users = [pattern for pattern in patterns if pattern.startswith("~/")]
    machines = [pattern for pattern in patterns if of_machine(pattern).startswith("/")]
    projects = [pattern for pattern in patterns if not of_machine(pattern).startswith(("~/", "/"))]
    for base, chosen in ((machine, machines), (home, users), (root, projects)):
        if base is None:
            continue
        files, missed = glob_all(
            base, [of_machine(pattern).removeprefix("~").lstrip("/") for pattern in chosen], skip=SKIPPED
        )
        found |= zip(chosen, files, strict=True)
        unsearched += missed
    return {pattern: found.get(pattern, ()) for pattern in patterns}, unsearched


def of_machine(pattern: str) -> str:
    """A pattern as one below the root of a machine, if it names a drive of Windows; another one as it is."""
    drive = _DRIVE.match(pattern)
    return "/" + pattern[drive.end() :].replace("\\", "/") if drive else pattern


def shadowed_by(path: Path, kind: RulesFile, root: Path, excluded: Collection[Path] = ()) -> str | None:
    """The file because of which the vendor does not read this one, as a path from its folder, if there is one.

    What is `excluded` is none, since the vendor does not read it either.
    """
    folders = [path.parent]
    if kind.shadowed_above:
        folders += [folder for folder in path.parent.parents if folder.is_relative_to(root)]
    for folder in folders:
        for name in kind.shadowed_by:
            other = folder / name
            if stands(other) and other not in excluded and not (kind.shadowed_above and _is_empty(other)):
                return os.path.relpath(other, path.parent)
    return None


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:
        return False


def stands(path: Path) -> bool:
    """Whether something stands in a place, be it unreadable or no file at all: then its reader says so. Total."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):  # a NUL, which no name has
        return False
    except OSError:
        return True
    return True
