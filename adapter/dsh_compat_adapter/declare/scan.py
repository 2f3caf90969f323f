"""Reads everything that a project declares: vendors' files and the manifest, as declarations and findings."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..catalog.load import Catalog
from ..errors import CompatError, Where, shown
from .declaration import HookDeclaration, RulesDeclaration
from .discover import ConfigFound, RulesFound, UnreadFound, config_files, rules_files, shadowed_by, stands
from .findings import Finding, from_error, make_finding
from .glob import Unsearched
from .manifest import NAME, Manifest, read_manifest
from .readers import SHAPES, Found, Refused
from .rules_settings import Excludes, rules_settings
from .text_file import read_text, relative

PROJECT_LAYERS = ("plugin", "project", "local")
PROJECT_AND_USER = ("user", "project")
MANAGED = "managed"
BELOW = "**/"  # of a place in any folder of the project
MOSTLY_OTHER = ("front-matter-hooks", "plugin-manifest")
SHOWN = 5  # names of files in one message


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """What one project declares, in the order of its files."""

    root: Path
    files: tuple[Path, ...]
    hooks: tuple[HookDeclaration, ...]
    rules: tuple[RulesDeclaration, ...]
    refused: tuple[tuple[str, Refused], ...]  # vendor, what
    findings: tuple[Finding, ...]
    manifest: Manifest | None
    unread: tuple[UnreadFound, ...] = ()  # files that look like rules
    shared: tuple[ConfigFound, ...] = ()  # files of one vendor that another reads too
    # the variables that settings give to each hook of a vendor, with their places
    environment: Mapping[str, Mapping[str, Where]] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)  # bytes of rules that a vendor reads, where settings say so


def scan(
    root: Path, catalog: Catalog, *, home: Path | None = None, machine: Path | None = None, manifest: bool = True
) -> Scan:
    """Read a project, with its manifest or as if it had none; the user's and the machine's files where these are given.

    Total: whatever is broken is a finding, and nothing that was found is executed.
    """
    declared, manifest_findings = _manifest(root / NAME) if manifest else (None, ())
    configs, unsearched = config_files(root, catalog, home, machine)
    layers = PROJECT_AND_USER if declared is None or declared.alone is None else ("user",)
    settings = rules_settings(root, catalog, home, layers)
    rules, unread, unsearched_too = rules_files(root, catalog, home, machine, settings.kinds)
    judged = [(rule, _excluded_by(rule, settings.excludes)) for rule in rules]
    excluded = [(rule, by) for rule, by in judged if by is not None]
    out = {rule.path for rule, _ in excluded}
    rules = tuple(rule for rule, by in judged if by is None)
    if declared is not None and declared.alone is not None:
        manifest_findings = tuple(_not_discovered(declared.alone, [*configs, *rules], root))
        configs = tuple(config for config in configs if config.kind.layer not in PROJECT_LAYERS)
        rules = tuple(rule for rule in rules if rule.kind.layer not in PROJECT_LAYERS)
        unread = ()
    read = [(config, _read(config, root)) for config in configs if config.kind.of is None]
    read = [(config, found) for config, found in read if not _is_silent(config, found)]
    off = _switched_off(read)
    findings = [finding for _, found in read for finding in found.findings]
    running = [found for config, found in read if config.kind.read and not _is_off(config, found, off)]
    hooks = [hook for found in running for hook in found.hooks]
    files = [config.path for config, _ in read] + [rule.path for rule in rules]
    if declared is not None or manifest_findings:
        files.append(root / NAME)
    return Scan(
        root=root,
        files=tuple(dict.fromkeys(files)),
        hooks=(*hooks, *(declared.hooks if declared else ())),
        rules=(*_declared(rules, root, out), *settings.declared, *(declared.rules if declared else ())),
        refused=tuple((config.vendor.name, refused) for config, found in read for refused in found.refused),
        findings=(
            *_unsearched((*unsearched, *unsearched_too)),
            *findings,
            *_places_not_read([config for config, _ in read]),
            *_disabled(read, off),
            *settings.findings,
            *_shadowed(rules, root, out),
            *_excluded(excluded, settings.excludes),
            *manifest_findings,
        ),
        manifest=declared,
        unread=unread,
        shared=tuple(_shared(configs)),
        environment=_environment(read),
        limits=settings.limits,
    )


def _environment(read: Sequence[tuple[ConfigFound, Found]]) -> Mapping[str, Mapping[str, Where]]:
    variables: dict[str, dict[str, Where]] = {}
    for config, found in read:
        if config.kind.read:
            variables.setdefault(config.vendor.name, {}).update(found.environment)
    return variables


def _read(config: ConfigFound, root: Path) -> Found:
    found = SHAPES[config.kind.shape](config.path, config.vendor)
    if config.kind.layer != "plugin":
        return found
    return replace(found, hooks=tuple(replace(hook, plugin_root=str(root.absolute())) for hook in found.hooks))


def _is_silent(config: ConfigFound, found: Found) -> bool:
    """A file that is mostly about something else, or that nobody reads, and declares no hook."""
    return (config.kind.shape in MOSTLY_OTHER or config.kind.path.startswith(BELOW)) and not (
        found.hooks or found.refused or found.findings
    )


def _shared(configs: Sequence[ConfigFound]) -> Iterator[ConfigFound]:
    """Files of another vendor that a vendor reads too; only where it has files of its own, and so is in use here."""
    used = {config.vendor.name for config in configs if config.kind.of is None}
    return (config for config in configs if config.kind.of is not None and config.vendor.name in used)


def _switched_off(read: Sequence[tuple[ConfigFound, Found]]) -> dict[str, ConfigFound]:
    """The vendors whose hooks are off, with the file that says so: a managed one, else the most specific one."""
    said: dict[str, tuple[ConfigFound, bool]] = {}
    for config, found in sorted(read, key=lambda entry: entry[0].kind.layer == MANAGED):
        if config.kind.read and found.disables is not None and config.kind.disables == "vendor":
            said[config.vendor.name] = (config, found.disables)
    return {vendor: config for vendor, (config, disables) in said.items() if disables}


def _is_off(config: ConfigFound, found: Found, off: Mapping[str, ConfigFound]) -> bool:
    if config.kind.disables == "file" and found.disables is not None:
        return found.disables
    by = off.get(config.vendor.name)
    # nobody but the managed files switches off what these declare
    return by is not None and (config.kind.layer != MANAGED or by.kind.layer == MANAGED)


def _unsearched(folders: Sequence[Unsearched]) -> Iterator[Finding]:
    for folder in dict.fromkeys(folders):
        yield make_finding(
            "folder-not-searched",
            where=Where(str(folder.path)),
            message=f"this folder cannot be searched ({folder.why}), so hooks and rules in it are not seen",
            remedy="make it readable and searchable for whoever runs this, or remove it",
        )


def _manifest(path: Path) -> tuple[Manifest | None, tuple[Finding, ...]]:
    if not stands(path):
        return None, ()
    try:
        return read_manifest(path), ()
    except CompatError as error:
        return None, (from_error(error, Where(str(path))),)


def _not_discovered(where: Where, found: Sequence[ConfigFound | RulesFound], root: Path) -> Iterator[Finding]:
    """One note for all files that the manifest stands in for, since nobody may take them for read."""
    names = dict.fromkeys(relative(str(one.path), root) for one in found if one.kind.layer in PROJECT_LAYERS)
    if names:
        shown = ", ".join(list(names)[:SHOWN]) + (", …" if len(names) > SHOWN else "")
        yield make_finding(
            "files-not-discovered",
            where,
            f"discover is false, so this file counts and {len(names)} files of vendors do not: {shown}",
            "`dsh-compat init` on this folder shows where they and this file differ",
        )


def _declared(rules: Sequence[RulesFound], root: Path, out: Collection[Path]) -> Iterator[RulesDeclaration]:
    for rule in rules:
        if shadowed_by(rule.path, rule.kind, root, out) is not None:
            continue
        path = rule.path.relative_to(root) if rule.path.is_relative_to(root) else rule.path.absolute()
        yield RulesDeclaration(
            vendor=rule.vendor.name,
            source=str(path),
            base_dir=str(root.absolute()),
            where=Where(str(rule.path)),
        )


def _excluded_by(rule: RulesFound, excludes: Sequence[Excludes]) -> Excludes | None:
    """What of the settings makes the vendor leave a file out; nobody leaves out a managed one."""
    if rule.kind.layer == MANAGED:
        return None
    return next((one for one in excludes if one.vendor == rule.vendor.name and one.fits(rule.path)), None)


def _excluded(excluded: Sequence[tuple[RulesFound, Excludes]], excludes: Sequence[Excludes]) -> Iterator[Finding]:
    for rule, by in excluded:
        yield make_finding(
            "rules-excluded",
            Where(str(rule.path), 1, 1),
            f"{rule.vendor.title} does not read this file, because {shown(by.pattern)} in {by.where} leaves it out; so "
            "it is not carried for it",
            "take the pattern out to have it read",
        )
    for one in excludes:
        if one.is_relative:
            yield make_finding(
                "switch-without-effect",
                one.where,
                f"{shown(one.pattern)} is compared with whole absolute paths, so it leaves nothing out",
                f"write {shown(f'**/{one.pattern}')}",
            )


def _is_read_anyway(rule: RulesFound, first: str) -> bool:
    """Whether the file that stands in the way of another one is that file by another name, or imports it."""
    other = rule.path.parent / first
    if os.path.realpath(other) == os.path.realpath(rule.path):
        return True
    try:
        return f"@{os.path.relpath(rule.path, other.parent)}" in read_text(other)
    except CompatError:
        return False


def _shadowed(rules: Sequence[RulesFound], root: Path, out: Collection[Path]) -> Iterator[Finding]:
    for rule in rules:
        first = shadowed_by(rule.path, rule.kind, root, out)
        if first is not None and not _is_read_anyway(rule, first):
            yield make_finding(
                "rules-shadowed",
                Where(str(rule.path), 1, 1),
                f"{rule.vendor.title} does not read this file, because {first} is there; so it is not carried for it",
                f"write what {rule.vendor.title} is to read into {first}",
            )


def _places_not_read(configs: Sequence[ConfigFound]) -> Iterator[Finding]:
    for config in configs:
        if not config.kind.read:
            why = config.kind.why or f"{config.vendor.title} does not read hooks from this place"
            yield make_finding(
                "place-not-read",
                where=Where(str(config.path), 1, 1),
                message=f"{why}, so nothing in it runs",
                remedy=_instead(config),
            )


def _instead(config: ConfigFound) -> str:
    if config.kind.why is None:
        return f"move it to {_read_place(config)}"
    if config.kind.path.startswith(BELOW):
        return (
            f"check its folder by itself, or declare its hooks in {config.kind.path.removeprefix(BELOW)} of the project"
        )
    return "write it as a command of a hook"


def _read_place(config: ConfigFound) -> str:
    places = [kind.path for kind in config.vendor.config if kind.read and kind.of is None]
    same = [kind.path for kind in config.vendor.config if kind.read and kind.layer == config.kind.layer]
    return (same or places)[0]


def _disabled(read: Sequence[tuple[ConfigFound, Found]], off: Mapping[str, ConfigFound]) -> Iterator[Finding]:
    switches = {config.path: found.switch for config, found in read}
    for config, found in read:
        by = config if config.kind.disables == "file" and found.disables else off.get(config.vendor.name)
        if by is not None and _is_off(config, found, off) and (found.hooks or by.path == config.path):
            yield disabled(config, by.path, switches[by.path])


def disabled(config: ConfigFound, by: Path, switch: str) -> Finding:
    """Says that no hook of a file runs, and what in which file switches them off."""
    return make_finding(
        "hooks-disabled",
        where=Where(str(config.path), 1, 1),
        message=f"{switch} in {by}, so no hook of this file runs",
        remedy="take that out to run them",
    )
