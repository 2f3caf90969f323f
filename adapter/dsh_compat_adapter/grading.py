"""Grades a declaration: what it comes to on a given host, and the hook to run if it comes to one.

Every door (service, `check`, `run`, `listen`) grades here, so that all say the same about the same hook.
"""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from .actions import action, unfilled
from .advice.matchers import odd_matcher
from .advice.options import ignored_options
from .capability import CapabilityResult, Loss, Warned
from .catalog.load import Catalog
from .catalog.loss import Degradation
from .catalog.model import Bridge, Plan, Row, Vendor
from .catalog.surface import Surface
from .declare.declaration import HookDeclaration
from .declare.handler import Handler, check_environment, read_handler, read_timeout
from .errors import CompatError, ErrorCode, shown
from .events import Capability, Route
from .hooks.condition import Condition, read_condition
from .hooks.hook import Hook
from .hooks.matcher import Matcher, compile_matcher, not_a_text
from .hooks.payload import fields
from .hooks.policy import OnError
from .reach import doubts

# seed 000; a shell and a webhook have the time of their event
KIND_TIMEOUT_S = {"oracle": 30.0, "proxy": 60.0}
UNSET = "take what it was to hold from the payload on stdin, or set it in the environment of the host"
MILLISECONDS = 1000.0  # nobody waits that many seconds for a hook on purpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """The result, and the hook unless the result is UNSUPPORTED."""

    result: CapabilityResult
    hook: Hook | None


def grade(
    declaration: HookDeclaration, catalog: Catalog, surface: Surface, project_dir: str, *, has_shell: bool
) -> Graded:
    """What one declaration comes to on a host with this surface.

    Raises CompatError when the declaration cannot be processed; whatever is only not portable is UNSUPPORTED.
    """
    try:
        return _grade(declaration, catalog, surface, project_dir, has_shell=has_shell)
    except CompatError as error:
        if error.where is None and declaration.where is not None:
            raise CompatError(error.code, error.message, where=declaration.where) from error
        raise


class _Parts(NamedTuple):
    """What a declaration names, looked up and read."""

    vendor: Vendor
    row: Row
    matcher: Matcher
    handler: Handler | None  # none: code of another program
    timeout_s: float | None
    on_error: OnError | None


def _grade(
    declaration: HookDeclaration, catalog: Catalog, surface: Surface, project_dir: str, *, has_shell: bool
) -> Graded:
    parts = _read(declaration, catalog)
    plan = _plan(declaration, parts, surface)
    reason = _not_portable(declaration, parts, plan, catalog, surface)
    if reason is None and not has_shell:
        reason = catalog.loss("no-shell", host=surface.title)
    if reason is not None or plan is None or parts.handler is None:
        assert reason is not None  # the two cases are reasons
        return _unsupported(parts, reason, catalog)
    hook = _hook(declaration, parts, parts.handler, plan, project_dir)
    warnings = (
        *_warnings(declaration, parts, parts.handler, plan, project_dir),
        *doubts(parts.matcher, parts.row, plan, parts.vendor, surface),
    )
    return Graded(result=_adapted(hook, warnings), hook=hook)


def _not_portable(
    declaration: HookDeclaration, parts: _Parts, plan: Plan | None, catalog: Catalog, surface: Surface
) -> Degradation | None:
    """Why a hook cannot run on a host with this surface."""
    if parts.handler is None:
        return catalog.loss("handler-is-code")
    if parts.row.reason is not None:
        return parts.row.reason
    if plan is None:
        package = parts.vendor.bridge.package if parts.vendor.bridge else ""
        return catalog.loss("no-official-bridge", host=surface.title, package=package)
    if missing := [seam for seam in plan.listens_at if seam not in surface.seams]:
        return catalog.loss("seam-missing", host=surface.title, seam=missing[0])
    if refused := _refused_by_bridge(declaration, parts, plan):
        return catalog.loss("bridge-refuses-handler", option=refused)
    return None


def _read(declaration: HookDeclaration, catalog: Catalog) -> _Parts:
    vendor = catalog.vendor(declaration.vendor)
    row = catalog.row(vendor, declaration.event)
    spelling = row.spellings.get(str(declaration.event))
    dialect = vendor.dialect.matchers[spelling.matcher if spelling else row.matcher]
    if not isinstance(declaration.matcher, str | None):
        raise not_a_text(declaration.matcher)
    matcher = compile_matcher(declaration.matcher if row.matched else None, dialect)
    code = callable(declaration.handler)
    handler = None if code else read_handler(declaration.handler, vendor.dialect.handlers, declaration.where)
    zero_s = vendor.dialect.handlers.zero_timeout_s
    timeout_s = read_timeout(declaration.timeout, declaration.where, zero_s=zero_s)
    timeout_s = timeout_s or (handler.timeout_s if handler else None)
    check_environment(declaration.env, declaration.where)
    on_error = declaration.on_error if declaration.on_error is not None or not handler else handler.on_error
    return _Parts(vendor, row, matcher, handler, timeout_s, _on_error(on_error))


def _plan(declaration: HookDeclaration, parts: _Parts, surface: Surface) -> Plan | None:
    row, bridge = parts.row, parts.vendor.bridge
    if declaration.bridge not in ("official", "native"):
        raise CompatError(
            ErrorCode.INVALID_DECLARATION,
            f"bridge is `official` or `native`, found {shown(declaration.bridge)}",
        )
    if row.native_plan is None or declaration.bridge == "official":
        bridged = row.plan is not None and row.plan.route is Route.OFFICIAL_BRIDGE
        return row.plan if not bridged or (bridge and f"bridge:{bridge.package}" in surface.services) else None
    return row.native_plan


def _bridge(vendor: Vendor, plan: Plan) -> Bridge | None:
    """The official bridge that a plan takes, if it takes one."""
    return vendor.bridge if plan.route is Route.OFFICIAL_BRIDGE else None


def _refused_by_bridge(declaration: HookDeclaration, parts: _Parts, plan: Plan) -> str | None:
    """The option of a handler with which an official bridge cannot run it."""
    bridge, handler = _bridge(parts.vendor, plan), declaration.handler
    if bridge is None or not isinstance(handler, Mapping):
        return None
    return next((option for option in bridge.refuses if handler.get(option) not in (None, False)), None)


def _hook(declaration: HookDeclaration, parts: _Parts, handler: Handler, plan: Plan, root: str) -> Hook:
    vendor, row, matcher = parts[:3]
    bridge = _bridge(vendor, plan)
    runs = action(declaration, handler, vendor, bridge, root)
    identity = json.dumps([repr(runs), handler.identity, declaration.plugin_root])
    declared = json.dumps([vendor.name, declaration.event, matcher.text, identity, {**handler.env, **declaration.env}])
    return Hook(
        id=hashlib.sha256(declared.encode()).hexdigest()[:12],
        vendor=vendor,
        row=row,
        plan=plan,
        dialect=bridge.dialect if bridge else vendor.dialect,
        decision=bridge.dialect.decision if bridge else row.decision,
        on_failure=bridge.on_failure if bridge else row.on_failure,
        spelling=str(declaration.event),
        fields=fields(vendor, row, plan, str(declaration.event)),
        matcher=matcher,
        condition=_condition(handler, vendor, row, bridge),
        action=runs,
        identity=identity,
        once=handler.once and bridge is None,
        detached=handler.detached and bridge is None,  # a bridge waits for each hook that it runs
        timeout_s=parts.timeout_s or KIND_TIMEOUT_S.get(handler.kind, row.timeout_s),
        on_error=None if bridge else parts.on_error,
        where=declaration.where,
    )


def _condition(handler: Handler, vendor: Vendor, row: Row, bridge: Bridge | None) -> Condition | None:
    """The condition of a handler, where it is evaluated: here, on an event of a tool, of a vendor that says how."""
    dialect = vendor.dialect.handlers
    if handler.condition is None or bridge is not None or row.subject != "tool.name" or not dialect.conditions:
        return None
    return read_condition(handler.condition, dialect)


def _on_error(value: object) -> OnError | None:
    if value is None:
        return None
    if isinstance(value, str) and value in list(OnError):
        return OnError(value)
    known = ", ".join(OnError)
    raise CompatError(ErrorCode.INVALID_DECLARATION, f"on_error is one of {known}, found {shown(value)}")


def _warnings(
    declaration: HookDeclaration, parts: _Parts, handler: Handler, plan: Plan, root: str
) -> tuple[Warned, ...]:
    """What the author should know although the hook is registered."""
    vendor, row = parts[:2]
    bridge = _bridge(vendor, plan)
    found: list[Warned] = []
    found.extend(odd_matcher(parts.matcher, declaration.matcher, row, vendor))
    if parts.timeout_s is not None and parts.timeout_s >= MILLISECONDS:
        text = f"a time limit of {parts.timeout_s:g} counts in seconds; it looks as if milliseconds were meant"
        remedy = f"write {parts.timeout_s / MILLISECONDS:g} if that was meant"
        found.append(Warned(code="timeout-in-milliseconds", text=text, remedy=remedy))
    if bridge:
        found += [Warned(code="bridge-drops-setting", text=text) for text in _not_carried(declaration, handler)]
    found += [
        Warned(code="placeholder-unset", text=text, remedy=UNSET)
        for text in unfilled(declaration, handler, vendor, bridge)
    ]
    condition = _condition(handler, vendor, row, bridge)
    found.extend(ignored_options(handler, declaration.handler, vendor, row, condition))
    folder = handler.cwd and Path(root, handler.cwd)
    if folder and not bridge and not os.path.isdir(folder):  # noqa: PTH112 - Path.is_dir raises for a long name
        text = f"the folder {shown(handler.cwd)} is not there, so the hook cannot start"
        found.append(Warned(code="cwd-missing", text=text, remedy="make the folder, or correct cwd"))
    return tuple(found)


def _not_carried(declaration: HookDeclaration, handler: Handler) -> list[str]:
    """Settings of a hook that the configuration of an official bridge has no place for."""
    settings = {
        "env": declaration.env or handler.env,
        "on_error": declaration.on_error or handler.on_error,
        "cwd": handler.cwd,
    }
    return [
        f"{name} is lost on the official bridge, whose configuration has no place for it; use bridge: native"
        for name, value in settings.items()
        if value
    ]


def _adapted(hook: Hook, warnings: tuple[Warned, ...]) -> CapabilityResult:
    return CapabilityResult(
        vendor=hook.vendor.name,
        event=hook.spelling,
        capability=Capability.ADAPTED,
        route=hook.plan.route,
        seams=hook.plan.seams,
        degradations=losses(hook.plan.degradations),
        executable=True,
        warnings=warnings,
        id=hook.id,
    )


def losses(degradations: Sequence[Degradation]) -> tuple[Loss, ...]:
    """The listed losses as they stand in a result."""
    return tuple(Loss(code=d.code, loss=d.loss, evidence=d.evidence) for d in degradations)


def _unsupported(parts: _Parts, reason: Degradation, catalog: Catalog) -> Graded:
    result = CapabilityResult(
        vendor=parts.vendor.name,
        event=parts.row.event,
        capability=Capability.UNSUPPORTED,
        code=reason.code,
        reason=reason.loss,
        remedy=catalog.losses[reason.code].remedy,
    )
    return Graded(result=result, hook=None)


def refuse(vendor: str, name: str, code: str, catalog: Catalog) -> CapabilityResult:
    """The result for something in the place of a hook that can never be one, such as the code of a plugin."""
    return CapabilityResult(
        vendor=vendor,
        event=name,
        capability=Capability.UNSUPPORTED,
        code=code,
        reason=catalog.loss(code).loss,
        remedy=catalog.losses[code].remedy,
    )
