"""Finds the files that a declaration of rules names: a path, a `file://` address or a glob, and where it may lead."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from ..errors import CompatError, ErrorCode, shown
from .declaration import RulesDeclaration
from .glob import ANY_DEPTH, glob, has_wildcard

ADDRESS = "file://"


class RulesSource(NamedTuple):
    """The files that a declaration names."""

    paths: list[Path]
    inside: str | None  # the real folder that they must stand in, if any
    root: Path | None  # the base_dir


def rules_source(declaration: RulesDeclaration) -> RulesSource:
    """Find the files; raises RULES_NOT_FOUND, OUTSIDE_BASE_DIR, INVALID_FILE or INVALID_DECLARATION."""
    source = _source(declaration.source)
    root = _root(declaration.base_dir)
    absolute = Path(source).is_absolute()
    if root is None and not absolute:
        raise CompatError(
            ErrorCode.INVALID_DECLARATION, f"{shown(source)} is relative: give an absolute base_dir with it"
        )
    # an address names one file, whatever characters its name has
    pattern = source == declaration.source and has_wildcard(source)
    found = _expand(source, root or Path("/"), pattern=pattern)
    if not found:
        place = f" below {root}" if root and not absolute else ""
        raise CompatError(ErrorCode.RULES_NOT_FOUND, f"no file {shown(source)}{place}; check the path and its case")
    if root is None or absolute:
        return RulesSource(found, None, root)
    return RulesSource(found, _check_inside(found, root), root)


def _source(declared: object) -> str:
    if not isinstance(declared, str) or not declared or "\0" in declared:
        raise CompatError(ErrorCode.INVALID_DECLARATION, f"source is a path, found {shown(declared)}")
    if not declared.startswith(ADDRESS):
        return declared
    host, slash, path = declared.removeprefix(ADDRESS).partition("/")
    if host not in ("", "localhost") or not slash:
        raise CompatError(
            ErrorCode.INVALID_DECLARATION,
            f"{shown(declared)} names a host; a file of this machine is {ADDRESS}/ and its absolute path",
        )
    return os.fsdecode(unquote_to_bytes(f"/{path}"))


def _root(base: object) -> Path | None:
    if base is None:
        return None
    if not isinstance(base, str | os.PathLike) or not Path(base).is_absolute() or "\0" in os.fspath(base):
        raise CompatError(ErrorCode.INVALID_DECLARATION, f"base_dir must be absolute, found {shown(base)}")
    return Path(base)


def _expand(source: str, root: Path, *, pattern: bool) -> list[Path]:
    path = root / source  # an absolute source stands alone
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        raise CompatError(ErrorCode.RULES_NOT_FOUND, f"{path} is a folder; name a file or a glob such as {source}/*.md")
    if os.path.lexists(path):
        return [path]
    if not pattern:
        return []
    if source.rstrip("/").rpartition("/")[2] == ANY_DEPTH or source.endswith("/"):
        message = f"{shown(source)} names folders only; say which files, such as {source.rstrip('/')[:80]}/*.md"
        raise CompatError(ErrorCode.INVALID_DECLARATION, message)
    found, unsearched = glob(Path("/") if Path(source).is_absolute() else root, source)
    if unsearched:  # a part of the rules would pass for all of them
        message = f"{unsearched[0].path} cannot be searched: {unsearched[0].why}; nothing of {shown(source)} is carried"
        raise CompatError(ErrorCode.INVALID_FILE, message)
    return found


def _check_inside(paths: Sequence[Path], root: Path) -> str:
    try:
        real_root = os.path.realpath(root)
        outside = next((p for p in paths if os.path.commonpath([os.path.realpath(p), real_root]) != real_root), None)
    except OSError as error:
        raise CompatError(ErrorCode.INVALID_FILE, f"{root} cannot be searched: {error.strerror}") from None
    if outside is not None:
        raise CompatError(ErrorCode.OUTSIDE_BASE_DIR, f"{outside} leads outside {root}; name that folder as base_dir")
    return real_root
