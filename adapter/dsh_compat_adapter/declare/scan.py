"""Reads everything that a project declares: vendors' files and the manifest, as declarations and findings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..catalog.load import Catalog
from ..errors import CompatError, Where
from .declaration import HookDeclaration, RulesDeclaration
from .discover import ConfigFound, RulesFound, config_files, rules_files
from .findings import Finding, Severity, from_error
from .manifest import NAME, Manifest, read_manifest
from .readers import SHAPES, Found, Refused


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


def scan(root: Path, catalog: Catalog, *, home: Path | None = None) -> Scan:
    """Read a project. Total: whatever is broken is a finding, and nothing that was found is executed."""
    configs = list(config_files(root, catalog, home))
    rules = list(rules_files(root, catalog, home))
    read = [(config, _read(config)) for config in configs]
    enabled = not _disabled([found for config, found in read if config.kind.read])
    manifest, manifest_findings = _manifest(root)
    findings = [finding for _, found in read for finding in found.findings]
    hooks = [hook for config, found in read if config.kind.read and enabled for hook in found.hooks]
    files = [config.path for config in configs] + [rule.path for rule in rules]
    if manifest is not None:
        files.append(Path(manifest.file))
    return Scan(
        root=root,
        files=tuple(dict.fromkeys(files)),
        hooks=(*hooks, *(manifest.hooks if manifest else ())),
        rules=(*_declared(rules, root), *(manifest.rules if manifest else ())),
        refused=tuple((config.vendor.name, refused) for config, found in read for refused in found.refused),
        findings=(
            *findings,
            *_places_not_read(configs),
            *_switched_off(read, enabled=enabled),
            *manifest_findings,
        ),
        manifest=manifest,
    )


def _read(config: ConfigFound) -> Found:
    return SHAPES[config.kind.shape](config.path, config.vendor)


def _disabled(found: Sequence[Found]) -> bool:
    """The most specific file that says something decides."""
    said = [one.disables for one in found if one.disables is not None]
    return bool(said) and said[-1]


def _manifest(root: Path) -> tuple[Manifest | None, tuple[Finding, ...]]:
    path = root / NAME
    if not path.exists():
        return None, ()
    try:
        return read_manifest(path), ()
    except CompatError as error:
        return None, (from_error(error, Where(str(path))),)


def _declared(rules: Sequence[RulesFound], root: Path) -> Iterator[RulesDeclaration]:
    for rule in rules:
        source = str(rule.path.relative_to(root)) if rule.path.is_relative_to(root) else str(rule.path)
        where = Where(str(rule.path))
        yield RulesDeclaration(vendor=rule.vendor.name, source=source, base_dir=str(root.absolute()), where=where)


def _places_not_read(configs: Sequence[ConfigFound]) -> Iterator[Finding]:
    for config in configs:
        if not config.kind.read:
            yield Finding(
                code="place-not-read",
                severity=Severity.ERROR,
                where=Where(str(config.path), 1, 1),
                message=f"{config.vendor.title} does not read hooks from this place, so nothing in it runs",
                remedy=f"move it to {_read_place(config)}",
            )


def _read_place(config: ConfigFound) -> str:
    return next(kind.path for kind in config.vendor.config if kind.read and kind.layer == config.kind.layer)


def _switched_off(read: Sequence[tuple[ConfigFound, Found]], *, enabled: bool) -> Iterator[Finding]:
    if enabled:
        return
    for config, found in read:
        if found.disables:
            yield Finding(
                code="hooks-disabled",
                severity=Severity.NOTE,
                where=Where(str(config.path)),
                message="disableAllHooks is true in the most specific file, so no hook of these files runs",
            )
