"""CompatAdapter: registers hooks and rules on a host, and says what became of each.

Registration is transactional: a group of hooks is mounted anew with the added one before the former mount goes, so a
refusal leaves what stood before. Two adapters in one process know nothing of each other.
"""

import asyncio
import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from .capability import CapabilityResult
from .catalog.load import Catalog
from .catalog.matrix import Described, Matrix, describe, matrix
from .declare.declaration import (
    HookDeclaration,
    RulesDeclaration,
    hook_declaration,
    rules_declaration,
)
from .declare.manifest import read_manifest
from .errors import CompatError, ErrorCode
from .events import Capability
from .grading import Graded, grade
from .hooks.engine import Engine
from .hooks.hook import Hook
from .hooks.policy import Policy
from .loading import read_policy
from .routes import ROUTES, carry
from .routes.point import Mounting, Report, Reporter, Unmount
from .seams.host import Dispose, Host


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What an adapter has registered, in order."""

    host: str
    policy: str
    hooks: tuple[CapabilityResult, ...]
    rules: tuple[CapabilityResult, ...]
    dispatches: int
    disposed: bool

    def to_dict(self) -> dict[str, object]:
        """The status as JSON-ready data."""
        return {
            "host": self.host,
            "policy": self.policy,
            "hooks": [result.to_dict() for result in self.hooks],
            "rules": [result.to_dict() for result in self.rules],
            "counts": {
                "hooks": len(self.hooks),
                "executable": sum(result.executable for result in self.hooks),
                "unsupported": sum(result.capability is Capability.UNSUPPORTED for result in self.hooks),
                "rules": len(self.rules),
                "carried_files": sum(len(result.files) for result in self.rules),
            },
            "dispatches": self.dispatches,
            "disposed": self.disposed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Mounted:
    hooks: tuple[Hook, ...]
    unmount: Unmount


class CompatAdapter:
    """Hooks and rules of other agents on one host.

    Use it as an async context manager, or call `dispose`. `environment` is what handlers inherit (by default a
    snapshot of this process's), without credentials. `report` is told each dispatch.
    """

    def __init__(
        self,
        host: Host,
        *,
        policy: str = Policy.VENDOR,
        environment: Mapping[str, str] | None = None,
        report: Reporter | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        self._host = host
        self._policy = read_policy(policy)
        self._environment = dict(os.environ) if environment is None else dict(environment)
        self._report = report
        self._catalog = catalog or Catalog.load()
        self._lock = asyncio.Lock()
        self._mounted: dict[Hashable, _Mounted] = {}
        self._hooks: list[CapabilityResult] = []
        self._rules: list[CapabilityResult] = []
        self._carried: list[carry.Rule] = []
        self._dispose_rules: Dispose | None = None
        self._dispatches = 0
        self._disposed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.dispose()

    async def register_hook(
        self,
        declaration: Mapping[str, object] | HookDeclaration | None = None,
        /,
        **fields: object,
    ) -> CapabilityResult:
        """Register one hook, by keyword or as a mapping.

        Keys: vendor, event, handler, and perhaps matcher, timeout (seconds), on_error (warn, block, ignore), env,
        bridge (official, native).

        Returns what it comes to; a lack of portability is an UNSUPPORTED result. Raises CompatError when the
        declaration cannot be processed; then nothing was registered.
        """
        declared = (
            declaration if isinstance(declaration, HookDeclaration) else hook_declaration(_merged(declaration, fields))
        )
        async with self._lock:
            self._check_open()
            graded = self._grade(declared)
            if graded.hook is not None:
                await self._mount(graded.hook)
            self._hooks.append(graded.result)
        return graded.result

    async def register_rules(
        self,
        declaration: Mapping[str, object] | RulesDeclaration | None = None,
        /,
        **fields: object,
    ) -> CapabilityResult:
        """Carry rules: vendor, source (a path, `file://` or a glob) and, for a relative source, an absolute base_dir.

        The files are read now. They reach the model as text when an agent is created and are never a security
        boundary. Raises CompatError when they cannot be read; then nothing was registered.
        """
        declared = (
            declaration
            if isinstance(declaration, RulesDeclaration)
            else rules_declaration(_merged(declaration, fields))
        )
        async with self._lock:
            self._check_open()
            vendor = self._catalog.vendor(declared.vendor)
            rules = await asyncio.to_thread(carry.read_rules, declared, vendor)
            result = carry.result(rules, vendor, self._catalog)
            carried = [*self._carried, *rules]
            dispose = carry.mount(self._host, carried)
            if self._dispose_rules is not None:
                self._dispose_rules()
            self._dispose_rules, self._carried = dispose, carried
            self._rules.append(result)
        return result

    async def register_manifest(self, path: str | os.PathLike[str]) -> tuple[CapabilityResult, ...]:
        """Register everything that a `compat.yaml` declares, in its order.

        All of it is read and graded first, so a manifest with an error registers nothing.
        """
        manifest = await asyncio.to_thread(read_manifest, Path(path))
        for declared in manifest.hooks:
            self._grade(declared)
        for rules in manifest.rules:
            await asyncio.to_thread(carry.read_rules, rules, self._catalog.vendor(rules.vendor))
        hooks = [await self.register_hook(declared) for declared in manifest.hooks]
        return (*hooks, *[await self.register_rules(rules) for rules in manifest.rules])

    def status(self) -> Status:
        """What is registered, with the hashes of the carried files."""
        return Status(
            host=self._host.surface.title,
            policy=self._policy.value,
            hooks=tuple(self._hooks),
            rules=tuple(self._rules),
            dispatches=self._dispatches,
            disposed=self._disposed,
        )

    def matrix(self) -> Matrix:
        """Every row of the catalog, with counts."""
        return matrix(self._catalog)

    def describe(self, vendor: str, event: str) -> Described:
        """What happens to one event, and what it loses; raises UNKNOWN_VENDOR or UNKNOWN_EVENT."""
        found = self._catalog.vendor(vendor)
        return describe(self._catalog, found, self._catalog.row(found, event))

    async def dispose(self) -> None:
        """Take everything off the host again. Afterwards registration raises DISPOSED. May be called twice."""
        async with self._lock:
            self._disposed = True
            if self._dispose_rules is not None:
                self._dispose_rules()
                self._dispose_rules = None
            while self._mounted:
                _, mounted = self._mounted.popitem()
                await mounted.unmount()

    def _check_open(self) -> None:
        if self._disposed:
            raise CompatError(ErrorCode.DISPOSED, "this adapter was disposed; make a new one")

    def _grade(self, declaration: HookDeclaration) -> Graded:
        host = self._host
        return grade(declaration, self._catalog, host.surface, host.project_dir, has_shell=host.shell is not None)

    async def _mount(self, hook: Hook) -> None:
        way = ROUTES[hook.plan.route]
        key = (hook.plan.route, way.group(hook))
        former = self._mounted.get(key)
        hooks = (*(former.hooks if former else ()), hook)
        unmount = await way.mount(hooks, self._mounting())
        self._mounted[key] = _Mounted(hooks=hooks, unmount=unmount)
        if former is not None:
            await former.unmount()

    def _mounting(self) -> Mounting:
        assert self._host.shell is not None  # grading refuses hooks on a host without one
        engine = Engine(self._host.shell, policy=self._policy, environment=self._environment)
        return Mounting(host=self._host, engine=engine, report=self._tell)

    def _tell(self, report: Report) -> None:
        self._dispatches += 1
        if self._report is not None:
            self._report(report)


def _merged(declaration: Mapping[str, object] | None, fields: Mapping[str, object]) -> Mapping[str, object]:
    return {**(declaration or {}), **fields}
