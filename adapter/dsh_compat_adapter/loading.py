"""Loads the hooks of a project, ready to be fired: scan, grade, and a runtime with what can run.

What cannot run is kept with its reason, so that no door drops it silently.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .capability import CapabilityResult
from .catalog.load import Catalog
from .catalog.surface import Surface
from .declare.findings import Finding, from_error, from_warning
from .declare.scan import Scan
from .errors import CompatError, ErrorCode, Where, nearest, shown
from .facts.recorder import Recorder
from .grading import grade, refuse
from .hooks.engine import Engine
from .hooks.hook import Hook
from .hooks.local_shell import local_shell
from .hooks.policy import Policy
from .hooks.stop_guard import StopGuard
from .runtime import Runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """The hooks of one project."""

    scan: Scan
    hooks: tuple[Hook, ...]
    unsupported: tuple[CapabilityResult, ...]
    findings: tuple[Finding, ...]  # of the files, and of declarations that cannot be processed
    policy: Policy
    policy_source: str  # option, manifest or default


def load(
    scan: Scan, catalog: Catalog, surface: Surface, *, bridge: str = "official", policy: str | None = None
) -> Loaded:
    """Grade everything that a scan found. Total but for an unknown policy."""
    hooks: list[Hook] = []
    unsupported = [refuse(vendor, entry.name, entry.code, catalog) for vendor, entry in scan.refused]
    findings: list[Finding] = list(scan.findings)
    root = str(scan.root.resolve())
    for declaration in scan.hooks:
        try:
            graded = grade(declaration.bridged(bridge), catalog, surface, root, has_shell=True)
        except CompatError as error:
            findings.append(from_error(error, declaration.where or Where(root)))
            continue
        where = declaration.where or Where(root)
        findings += [from_warning(warned, where) for warned in graded.result.warnings]
        if graded.hook is not None:
            hooks.append(graded.hook)
        else:
            unsupported.append(graded.result)
    declared = scan.manifest.policy if scan.manifest else None
    return Loaded(
        scan=scan,
        hooks=tuple(hooks),
        unsupported=tuple(unsupported),
        findings=tuple(findings),
        policy=read_policy(policy or declared),
        policy_source="option" if policy else "manifest" if declared else "default",
    )


def read_policy(name: object) -> Policy:
    """The failure policy of a name, `vendor` without one; raises UNKNOWN_NAME."""
    if name is None:
        return Policy.VENDOR
    if not isinstance(name, str) or name not in list(Policy):
        known = [policy.value for policy in Policy]
        hint = nearest(name, known) if isinstance(name, str) else ""
        message = f"unknown policy {shown(name)}.{hint} Known: {', '.join(known)}."
        raise CompatError(ErrorCode.UNKNOWN_NAME, message)
    return Policy(name)


def runtime(  # noqa: PLR0913 - each is one thing that a runtime may be given
    loaded: Loaded,
    catalog: Catalog,
    *,
    hooks: Sequence[Hook] | None = None,
    environment: Mapping[str, str] | None = None,
    guard: StopGuard | None = None,
    recorder: Recorder | None = None,
) -> Runtime:
    """A runtime with the loaded hooks, or with some of them, on this machine's shell."""
    engine = Engine(
        local_shell(),
        policy=loaded.policy,
        environment=os.environ if environment is None else environment,
        recorder=recorder,
        policy_source=loaded.policy_source,
    )
    root = str(Path(loaded.scan.root).resolve())
    return Runtime(catalog, loaded.hooks if hooks is None else hooks, engine, root, guard)
