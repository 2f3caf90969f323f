"""Drafts a manifest from the files of a project: what they declare, and what does not fit into one.

An entry is drafted only if it reads back as the same declaration, so that it comes to the same grade.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import unified_diff
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from .catalog.load import Catalog
from .catalog.surface import Surface
from .declare.declaration import HookDeclaration, RulesDeclaration
from .declare.discover import config_files, stands
from .declare.finding_codes import Severity
from .declare.findings import Finding, from_error, make_finding
from .declare.manifest import NAME, Manifest, parse_manifest, read_manifest
from .declare.scan import Scan, scan
from .declare.text_file import relative
from .errors import CompatError, Where
from .grading import grade, refuse
from .printable import printable
from .routes import carry

HEADER = """\
# Drafted by `dsh-compat init` and yours to change: a second run shows what differs and writes nothing.
version: 1
discover: false # the project's own files of the vendors do not count beside this one
"""
Declared = HookDeclaration | RulesDeclaration


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A manifest that could stand in for the files of a project."""

    path: Path
    text: str
    hooks: int
    rules: int
    left_out: tuple[Finding, ...]  # what the files have and the draft has not, and what its reader should know
    exists: bool
    diff: tuple[str, ...]  # from the entries of the manifest that exists to those of the draft


class _Entry(NamedTuple):
    key: str  # hooks or rules
    file: str  # where it was found, below the project
    line: str  # of YAML


def draft(root: Path, catalog: Catalog, surface: Surface) -> Draft:
    """Draft a manifest; raises CompatError when there is one that cannot be read."""
    found = scan(root, catalog, manifest=False)
    drafted = [*_hooks(found, catalog, surface), *_rules(found, catalog)]
    entries = [one for one in drafted if isinstance(one, _Entry)]
    path = root / NAME
    exists = stands(path)
    return Draft(
        path=path,
        text=_text(entries),
        hooks=sum(entry.key == "hooks" for entry in entries),
        rules=sum(entry.key == "rules" for entry in entries),
        left_out=(
            *(finding for finding in found.findings if finding.severity is not Severity.WARNING),
            *(one for one in drafted if isinstance(one, Finding)),
            *_refused(found, catalog),
            *_personal(entries, root, catalog),
        ),
        exists=exists,
        diff=tuple(_diff(read_manifest(path), entries)) if exists else (),
    )


def _hooks(found: Scan, catalog: Catalog, surface: Surface) -> Iterator[_Entry | Finding]:
    for declared in found.hooks:
        where = declared.where or Where(str(found.root))
        try:
            grade(declared, catalog, surface, str(found.root.resolve()), has_shell=True)
        except CompatError as error:  # one such entry would make the whole manifest refused
            yield from_error(error, where)
            continue
        yield _entry("hooks", declared, where, found.root)


def _rules(found: Scan, catalog: Catalog) -> Iterator[_Entry | Finding]:
    for declared in found.rules:
        where = declared.where or Where(str(found.root))
        try:
            read = carry.read_rules(declared, catalog.vendor(declared.vendor))
        except CompatError as error:
            yield from_error(error, where)
            continue
        if not read.rules:
            yield from read.findings
            continue
        yield _entry("rules", declared, where, found.root)


def _entry(key: str, declared: Declared, where: Where, root: Path) -> _Entry | Finding:
    line = _line(declared, root.absolute())
    if line is None or _read_back(key, line, root) != replace(declared, where=None):
        what = f"{declared.vendor} {declared.event if isinstance(declared, HookDeclaration) else 'rules'}"
        message = f"{what} cannot be written into a manifest, which would read it as something else"
        return make_finding("not-in-manifest", where, message, "declare it by hand, in other words, or leave it out")
    return _Entry(key, relative(where.file, root), line)


def _line(declared: Declared, root: Path) -> str | None:
    """The declaration as an entry of a manifest in that folder; none when YAML has no words for it."""
    from .declare.yaml_source import write_flow  # noqa: PLC0415 - start-up: yaml is for those who write a manifest

    data: dict[str, object]
    if isinstance(declared, HookDeclaration):
        plugin = None if declared.plugin_root is None else os.path.relpath(declared.plugin_root, root)
        data = {
            "vendor": declared.vendor,
            "event": declared.event,
            "matcher": declared.matcher,
            "handler": declared.handler,
            "timeout": declared.timeout,
            "on_error": declared.on_error,
            "env": dict(declared.env) or None,
            "bridge": None if declared.bridge == "official" else declared.bridge,
            "plugin_root": plugin,
        }
    else:
        base = declared.base_dir if isinstance(declared.base_dir, str) else str(root)
        data = {
            "vendor": declared.vendor,
            "source": declared.source,
            "base_dir": None if base == str(root) else os.path.relpath(base, root),
        }
    return write_flow({key: value for key, value in data.items() if value is not None})


def _read_back(key: str, line: str, root: Path) -> Declared | None:
    try:
        manifest = parse_manifest(f"version: 1\n{key}:\n  - {line}\n", root / NAME)
    except CompatError:
        return None
    declared: tuple[Declared, ...] = (*manifest.hooks, *manifest.rules)
    return replace(declared[0], where=None)


def _text(entries: list[_Entry]) -> str:
    parts = [HEADER]
    for key, of_key in groupby(entries, key=lambda entry: entry.key):
        parts.append(f"{key}:\n")
        for file, of_file in groupby(of_key, key=lambda entry: entry.file):
            if key == "hooks":  # the source of a rule is its file
                parts.append(f"  # {printable(file)}\n")
            parts += [f"  - {entry.line}\n" for entry in of_file]
    return "".join(parts)


def _diff(manifest: Manifest, entries: list[_Entry]) -> Iterator[str]:
    """By entries, so that comments and the way of writing do not matter."""
    root = Path(manifest.file).absolute().parent
    declared: Mapping[str, tuple[Declared, ...]] = {"hooks": manifest.hooks, "rules": manifest.rules}
    stands_there = [f"discover: {'false' if manifest.alone else 'true'}"]
    stands_there += [f"{key}: {_line(one, root)}" for key, some in declared.items() for one in some]
    drafted = ["discover: false", *(f"{entry.key}: {entry.line}" for entry in entries)]
    return unified_diff(stands_there, drafted, NAME, "the files of the project", lineterm="", n=1)


def _refused(found: Scan, catalog: Catalog) -> Iterator[Finding]:
    for vendor, refused in found.refused:
        result = refuse(vendor, refused.name, refused.code, catalog)
        message = f"{vendor} {refused.name} is no entry of a manifest: {result.reason}"
        yield Finding(
            code=refused.code, severity=Severity.ERROR, where=refused.where, message=message, remedy=result.remedy
        )


def _personal(entries: list[_Entry], root: Path, catalog: Catalog) -> Iterator[Finding]:
    files = {entry.file for entry in entries}
    for found in config_files(root, catalog, None).files:
        if found.kind.layer == "local" and relative(str(found.path), root) in files:
            yield make_finding(
                "personal-file",
                Where(str(found.path)),
                "the entries of this file are in the draft, and the file is one person's",
                "take them out of the manifest before you share it",
            )
