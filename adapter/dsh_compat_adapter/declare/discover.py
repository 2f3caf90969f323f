"""Finds the files of vendors below a project, in the order in which their hooks are appended: user, project, local."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..catalog.load import Catalog
from ..catalog.model import ConfigFile, RulesFile, Vendor

LAYERS = ("managed", "user", "plugin", "project", "local")


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


def config_files(root: Path, catalog: Catalog, home: Path | None) -> Iterator[ConfigFound]:
    """Every hook file below the project, and below `home` if one is given; each path once a vendor."""
    seen: set[tuple[str, str]] = set()  # a project in the user's home has one file in two places
    for layer in LAYERS:
        for vendor in (*catalog.vendors.values(), catalog.native):
            for kind in vendor.config:
                if kind.layer != layer or (kind.requires and not stands(root / kind.requires)):
                    continue
                for path in _places(kind.path, root, home):
                    identity = (vendor.name, os.path.realpath(path))
                    if identity not in seen:
                        seen.add(identity)
                        yield ConfigFound(path=path, vendor=vendor, kind=kind)


def rules_files(root: Path, catalog: Catalog, home: Path | None) -> Iterator[RulesFound]:
    """Every rules file at its place below the project, and below `home` if one is given."""
    for vendor in catalog.vendors.values():
        for kind in vendor.rules:
            for path in _places(kind.path, root, home):
                yield RulesFound(path=path, vendor=vendor, kind=kind)


def _places(pattern: str, root: Path, home: Path | None) -> Iterator[Path]:
    """The files that a pattern of the catalog names. Files of the whole machine belong to no project and are left."""
    if pattern.startswith("~/"):
        if home is None:
            return
        base, pattern = home, pattern.removeprefix("~/")
    elif pattern.startswith("/") or ":" in pattern:
        return
    else:
        base = root
    if "*" in pattern:
        yield from sorted(path for path in base.glob(pattern) if not _is_folder(path))
    elif stands(base / pattern):
        yield base / pattern


def stands(path: Path) -> bool:
    """Whether something stands in a place, be it unreadable or no file at all: then its reader says so. Total."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False
