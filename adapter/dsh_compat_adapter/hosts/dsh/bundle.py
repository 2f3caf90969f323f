"""What a bundle for DSH holds: the declarations of a project that can run in one version of it, each graded.

Beside the patch and the connector a bundle directory has `manifest.json`, which is this, without the grades: the
Python side grades again in the harness that really runs.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ...capability import CapabilityResult
from ...catalog.load import Catalog
from ...catalog.surface import Surface
from ...declare.declaration import HookDeclaration, RulesDeclaration
from ...declare.findings import Finding, from_error, from_warning
from ...declare.scan import Scan
from ...errors import CompatError, ErrorCode, Where, nearest
from ...events import Capability, Route
from ...grading import grade, refuse
from ...hooks.hook import Hook
from ...hooks.policy import Policy
from ...loading import read_policy
from ...routes import carry
from ...routes.official_bridge import bridge_config

MANIFEST = "manifest.json"
HOST = "dsh"


class Item(NamedTuple):
    """One declaration, or what stands in the place of one, with what it comes to."""

    name: str
    where: Where
    result: CapabilityResult


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The hooks and rules of one project for one version of DSH."""

    project: str
    surface: Surface
    policy: Policy
    hooks: tuple[HookDeclaration, ...]
    rules: tuple[RulesDeclaration, ...]
    bridges: Mapping[str, Mapping[str, object]]  # the configurations of official bridges, by vendor
    seams: tuple[str, ...]  # that this project's own translation needs
    items: tuple[Item, ...] = ()
    findings: tuple[Finding, ...] = ()

    def manifest(self) -> str:
        """The text of `manifest.json`: the same for the same declarations."""
        data = {
            "version": 1,
            "dsh": self.surface.version,
            "project": self.project,
            "policy": self.policy.value,
            "hooks": [_hook_data(hook) for hook in self.hooks],
            "rules": [_rules_data(rules) for rules in self.rules],
        }
        try:
            return json.dumps(data, indent=2, allow_nan=False) + "\n"
        except (TypeError, ValueError) as error:
            raise CompatError(
                ErrorCode.INVALID_DECLARATION, f"a declaration cannot be written as JSON: {error}"
            ) from None


def versions(catalog: Catalog) -> dict[str, Surface]:
    """The versions of DSH that are known, the newest first."""
    known = [surface for surface in catalog.surfaces.values() if surface.host == HOST]
    return {surface.version: surface for surface in reversed(known)}


def surface_of(catalog: Catalog, version: str | None) -> Surface:
    """The surface of a version, or of the newest that is known; raises UNKNOWN_NAME."""
    known = versions(catalog)
    if version is None:
        return next(iter(known.values()))
    if version not in known:
        message = f"unknown DSH version {version!r:.80}.{nearest(version, known)} Known: {', '.join(known)}."
        raise CompatError(ErrorCode.UNKNOWN_NAME, message)
    return known[version]


def collect(
    scan: Scan, catalog: Catalog, surface: Surface, *, bridge: str = "official", policy: str | None = None
) -> Bundle:
    """What of a scanned project can run. Total but for an unknown policy; what cannot run is an item or a finding."""
    project = str(scan.root.resolve())
    items = [
        Item(f"{vendor} {entry.name}", entry.where, refuse(vendor, entry.name, entry.code, catalog))
        for vendor, entry in scan.refused
    ]
    findings = list(scan.findings)
    declared: list[HookDeclaration] = []
    hooks: list[Hook] = []
    for declaration in scan.hooks:
        where = declaration.where or Where(project)
        chosen = replace(declaration, bridge=bridge) if declaration.bridge == "official" else declaration
        try:
            graded = grade(chosen, catalog, surface, project, has_shell=True)
        except CompatError as error:
            findings.append(from_error(error, where))
            continue
        matcher = f" {chosen.matcher!r}" if chosen.matcher is not None else ""
        items.append(Item(f"{chosen.vendor} {chosen.event}{matcher}", where, graded.result))
        findings += [from_warning(warned, where) for warned in graded.result.warnings]
        if graded.hook is not None:
            declared.append(chosen)
            hooks.append(graded.hook)
    rules, of_rules, of_rules_findings = _rules(scan, catalog)
    return Bundle(
        project=project,
        surface=surface,
        policy=read_policy(policy or (scan.manifest.policy if scan.manifest else None)),
        hooks=tuple(declared),
        rules=rules,
        bridges=bridges(hooks),
        seams=seams(hooks, carries=bool(rules)),
        items=(*items, *of_rules),
        findings=(*findings, *of_rules_findings),
    )


def bridges(hooks: Sequence[Hook]) -> dict[str, Mapping[str, object]]:
    """The configurations of the official bridges that hooks need, by vendor."""
    bridged = [hook for hook in hooks if hook.plan.route is Route.OFFICIAL_BRIDGE]
    vendors = dict.fromkeys(hook.vendor.name for hook in bridged)
    return {name: bridge_config([hook for hook in bridged if hook.vendor.name == name]) for name in vendors}


def seams(hooks: Sequence[Hook], *, carries: bool) -> tuple[str, ...]:
    """The seams that hooks outside the bridges, and rules, need, each once."""
    needed = [seam for hook in hooks if hook.plan.route is not Route.OFFICIAL_BRIDGE for seam in hook.plan.listens_at]
    return tuple(dict.fromkeys([*needed, *([carry.SEAM] if carries else [])]))


def read_bundle(directory: Path, catalog: Catalog) -> Bundle:
    """The bundle of a directory, with nothing graded; raises INVALID_FILE or UNKNOWN_NAME."""
    file = directory / MANIFEST
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        hooks = tuple(_hook(entry) for entry in data["hooks"])
        rules = tuple(_rules_declaration(entry) for entry in data["rules"])
        project, policy, version = data["project"], data["policy"], data["dsh"]
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        why = f"{type(error).__name__}: {error}"
        message = f"{file} cannot be read ({why}); make the bundle again with `dsh-compat build`"
        raise CompatError(ErrorCode.INVALID_FILE, message) from None
    surface = surface_of(catalog, version)
    graded = [grade(hook, catalog, surface, project, has_shell=True).hook for hook in hooks]
    runs = [hook for hook in graded if hook is not None]
    return Bundle(
        project=project,
        surface=surface,
        policy=read_policy(policy),
        hooks=hooks,
        rules=rules,
        bridges=bridges(runs),
        seams=seams(runs, carries=bool(rules)),
    )


def _rules(scan: Scan, catalog: Catalog) -> tuple[tuple[RulesDeclaration, ...], list[Item], list[Finding]]:
    kept: list[RulesDeclaration] = []
    items: list[Item] = []
    findings: list[Finding] = []
    for declaration in scan.rules:
        where = declaration.where or Where(str(scan.root))
        try:
            vendor = catalog.vendor(declaration.vendor)
            read = carry.read_rules(declaration, vendor)
            result = carry.result(read, vendor, catalog)
        except CompatError as error:
            findings.append(from_error(error, where))
            continue
        findings += read.findings
        if not read.rules:
            continue
        kept.append(declaration)
        items.append(Item(f"{declaration.vendor} rules", where, result))
    return tuple(kept), items, findings


def unsupported(bundle: Bundle) -> list[Item]:
    """The items that cannot run in this version."""
    return [item for item in bundle.items if item.result.capability is Capability.UNSUPPORTED]


def _hook_data(hook: HookDeclaration) -> dict[str, object]:
    return {
        "vendor": hook.vendor,
        "event": hook.event,
        "matcher": hook.matcher,
        "handler": hook.handler,
        "timeout": hook.timeout,
        "on_error": hook.on_error,
        "env": dict(hook.env),
        "bridge": hook.bridge,
        "plugin_root": hook.plugin_root,
        "where": _where_data(hook.where),
    }


def _rules_data(rules: RulesDeclaration) -> dict[str, object]:
    return {
        "vendor": rules.vendor,
        "source": rules.source,
        "base_dir": rules.base_dir,
        "where": _where_data(rules.where),
    }


def _where_data(where: Where | None) -> list[object] | None:
    return None if where is None else [where.file, where.line, where.column]


def _hook(entry: Mapping[str, object]) -> HookDeclaration:
    env, root = entry["env"], entry["plugin_root"]
    if not isinstance(env, dict) or not (root is None or isinstance(root, str)):
        raise TypeError("a hook has a wrong member")
    return HookDeclaration(
        vendor=entry["vendor"],
        event=entry["event"],
        matcher=entry["matcher"],
        handler=entry["handler"],
        timeout=entry["timeout"],
        on_error=entry["on_error"],
        env=env,
        bridge=entry["bridge"],
        plugin_root=root,
        where=_where(entry["where"]),
    )


def _rules_declaration(entry: Mapping[str, object]) -> RulesDeclaration:
    return RulesDeclaration(
        vendor=entry["vendor"], source=entry["source"], base_dir=entry["base_dir"], where=_where(entry["where"])
    )


def _where(place: object) -> Where | None:
    match place:
        case [str(file), int() | None as line, int() | None as column]:
            return Where(file, line, column)
        case _:
            return None
