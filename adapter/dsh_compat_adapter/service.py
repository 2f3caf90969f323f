"""CompatAdapter: registers hooks and rules on a host, and says what became of each.

Registration is transactional (see `routes.mounts`). Two adapters in one process know nothing of each other.
"""

import asyncio
import os
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from .arguments import all_of, callable_or_none, host_of, merged, one_of, path_of, reading, sinks_of, texts
from .capability import CapabilityResult
from .catalog.load import Catalog
from .catalog.matrix import Described, Matrix, describe, matrix
from .declare.declaration import (
    BRIDGES,
    HookDeclaration,
    RulesDeclaration,
    hook_declaration,
    rules_declaration,
)
from .declare.findings import Finding, from_error
from .declare.manifest import Manifest, read_manifest
from .declare.scan import scan
from .errors import CompatError, ErrorCode, Where, shown
from .facts.choose import FactsTo
from .facts.memory import MemorySink
from .facts.recorder import Recorder, warn
from .grading import Graded, grade, refuse
from .hooks.closing import ClosingShell, to_the_end
from .hooks.engine import Engine
from .hooks.inside import Works
from .hooks.policy import Policy
from .hooks.threads import in_thread
from .loading import read_policy
from .registered import ProjectResult, Status
from .routes import carry
from .routes.mounts import Mounts
from .routes.point import Mounting, Report, Reporter
from .seams.host import Host

D = TypeVar("D", HookDeclaration, RulesDeclaration)
R = TypeVar("R")
RECENT = 20  # facts that `status()` shows


@dataclass(frozen=True, slots=True, kw_only=True)
class _Carried:
    read: carry.Read
    result: CapabilityResult


class CompatAdapter:
    """Hooks and rules of other agents on one host.

    Use it as an async context manager, or call `dispose`. `environment` is what handlers inherit (by default a
    snapshot of this process's), without credentials. `report` is told each dispatch. `facts` says where the facts go:
    true is the user's own store, false keeps only the newest in memory, a path is another store or a `.jsonl` file; or
    sinks of your own. Values of the names in `redact` are kept out of them as credentials are.
    """

    def __init__(  # noqa: PLR0913 - each is one thing that an adapter may be given
        self,
        host: Host,
        *,
        policy: str = Policy.VENDOR,
        environment: Mapping[str, str] | None = None,
        report: Reporter | None = None,
        facts: FactsTo = True,
        redact: Sequence[str] = (),
        catalog: Catalog | None = None,
    ) -> None:
        self._host = host_of(host)
        self._policy = read_policy(policy)
        self._environment = dict(os.environ) if environment is None else texts(environment)
        self._catalog = Catalog.load() if catalog is None else one_of(catalog, Catalog, "catalog")
        self._shell = None if host.shell is None else ClosingShell(host.shell)
        self._report = callable_or_none(report, "report")
        self._dispatches = 0
        self._memory = MemorySink()
        self._recorder = Recorder(
            [self._memory, *sinks_of(facts, warn)],
            session=f"embedded-{uuid.uuid4().hex}",
            names=all_of(redact, str, "redact"),
        )
        self._engine = self._make_engine(self._shell)
        mounting = None if self._engine is None else Mounting(host=host, engine=self._engine, report=self._tell)
        self._mounts = Mounts(host, mounting)
        self._lock = asyncio.Lock()
        self._changes = Works()
        self._hooks: list[CapabilityResult] = []
        self._rules: list[CapabilityResult] = []
        self._disposed = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.dispose()

    async def register_hook(
        self,
        declaration: Mapping[str, object] | None = None,
        /,
        **fields: object,
    ) -> CapabilityResult:
        """Register one hook, by keyword or as a mapping.

        Keys: vendor, event, handler, and perhaps matcher, timeout (seconds), on_error (warn, block, ignore), env,
        bridge (official, native).

        Returns what it comes to; a lack of portability is an UNSUPPORTED result. Raises CompatError when the
        declaration cannot be processed; then nothing was registered.
        """
        with reading("the declaration"):
            declared = hook_declaration(merged(declaration, fields))
        (result,) = await self._register([declared], [])
        return result

    async def register_rules(
        self,
        declaration: Mapping[str, object] | None = None,
        /,
        **fields: object,
    ) -> CapabilityResult:
        """Carry rules: vendor, source (a path, `file://` or a glob) and, for a relative source, an absolute base_dir.

        The files are read now. They reach the model as text when an agent is created and are never a security
        boundary. Raises CompatError when they cannot be read; then nothing was registered.
        """
        with reading("the declaration"):
            declared = rules_declaration(merged(declaration, fields))
        (result,) = await self._register([], [declared])
        return result

    async def register_manifest(self, path: str | os.PathLike[str]) -> tuple[CapabilityResult, ...]:
        """Register everything that a `compat.yaml` declares, hooks first, all of it or nothing.

        Raises CompatError for the first error in it, and for a failure policy that is not the adapter's.
        """
        manifest = await in_thread(partial(read_manifest, path_of(path, "the manifest")))
        self._check_policy(manifest)
        return await self.register(manifest.hooks, manifest.rules)

    async def register(
        self, hooks: Sequence[HookDeclaration], rules: Sequence[RulesDeclaration]
    ) -> tuple[CapabilityResult, ...]:
        """Register declarations that were read elsewhere, all of them or nothing; raises as `register_hook` does."""
        declared = all_of(hooks, HookDeclaration, "hooks")
        return await self._register(declared, all_of(rules, RulesDeclaration, "rules"))

    async def register_project(
        self, *, bridge: str = "official", home: str | os.PathLike[str] | None = None
    ) -> ProjectResult:
        """Register what the files of the host's project declare, as `dsh-compat check` finds it.

        `bridge` is official or native, for hooks that do not say; `home` is a user's folder whose own files count as
        well. What cannot be processed is a finding and drops only itself. Raises CompatError for a failure policy of
        the manifest that is not the adapter's.
        """
        root = path_of(self._host.project_dir, "the project of the host")
        user = None if home is None else path_of(home, "home")
        if bridge not in BRIDGES:
            message = f"bridge is {' or '.join(BRIDGES)}, found {shown(bridge)}"
            raise CompatError(ErrorCode.INVALID_DECLARATION, message)
        found = await in_thread(partial(scan, root, self._catalog, home=user))
        if found.manifest is not None:
            self._check_policy(found.manifest)
        skipped: list[Finding] = []
        results = await self._register([hook.bridged(bridge) for hook in found.hooks], found.rules, skipped)
        refused = [refuse(vendor, entry.name, entry.code, self._catalog) for vendor, entry in found.refused]
        return ProjectResult(results=(*results, *refused), findings=(*found.findings, *skipped))

    def set_policy(self, policy: str) -> None:
        """Choose the failure policy from here on; raises UNKNOWN_NAME. A change is a `policy.changed` fact."""
        self._check_open()
        self._policy = read_policy(policy)
        if self._engine is not None:
            self._engine.change_policy(self._policy, "code")

    def status(self) -> Status:
        """What is registered, with the hashes of the carried files."""
        return Status(
            host=self._host.surface.title,
            policy=self._policy.value,
            hooks=tuple(self._hooks),
            rules=tuple(self._rules),
            dispatches=self._dispatches,
            facts={**self._recorder.status(), "recent": [fact.to_dict() for fact in self._memory.facts[-RECENT:]]},
            disposed=self._disposed,
        )

    def matrix(self) -> Matrix:
        """Every row of the catalog, with counts."""
        return matrix(self._catalog)

    def describe(self, vendor: str, event: str) -> Described:
        """What happens to one event, and what it loses; raises UNKNOWN_VENDOR or UNKNOWN_EVENT."""
        with reading("the name"):
            found = self._catalog.vendor(vendor)
            row = self._catalog.row(found, event)
        return describe(self._catalog, found, row)

    async def dispose(self) -> None:
        """Take everything off the host again and kill the hooks that run; their events go on as the policy says.

        Afterwards registration raises DISPOSED. May be called twice. It is complete even if it is cancelled meanwhile.
        """
        await to_the_end(self._dispose())

    async def _dispose(self) -> None:
        async with self._change():
            self._disposed = True
            try:
                await self._mounts.remove()
            finally:
                if self._shell is not None:
                    await self._shell.aclose()
                await in_thread(self._recorder.close)

    @asynccontextmanager
    async def _change(self) -> AsyncGenerator[None, None]:
        """One registration or disposal at a time. A listener that the host tells of one cannot wait for the next."""
        if self._changes.is_inside:
            message = "a registration cannot wait for its own end; register or dispose when it is over"
            raise CompatError(ErrorCode.INVALID_INPUT, message)
        async with self._lock:
            with self._changes.lasting():
                yield

    def _check_open(self) -> None:
        if self._disposed:
            raise CompatError(ErrorCode.DISPOSED, "this adapter was disposed; make a new one")

    def _check_policy(self, manifest: Manifest) -> None:
        if manifest.policy is not None and read_policy(manifest.policy) is not self._policy:
            raise CompatError(
                ErrorCode.INVALID_DECLARATION,
                f"the manifest wants the policy {manifest.policy!r} and this adapter has {self._policy.value!r}; "
                f"make it with policy={manifest.policy!r}",
                where=Where(manifest.file),
            )

    async def _grade(self, declaration: HookDeclaration) -> Graded:
        host = self._host
        return grade(declaration, self._catalog, host.surface, host.project_dir, has_shell=host.shell is not None)

    async def _register(
        self,
        hooks: Sequence[HookDeclaration],
        rules: Sequence[RulesDeclaration],
        skipped: list[Finding] | None = None,
    ) -> tuple[CapabilityResult, ...]:
        """All of it or nothing: everything is graded and read before anything is mounted.

        With `skipped` a declaration that cannot be processed is added there, and is none of it.
        """
        async with self._change():
            self._check_open()
            graded = await _each(hooks, self._grade, skipped)
            carried = await _each(rules, self._read, skipped)
            if skipped is not None:  # what its own front matter switches off is none of a project
                skipped += [finding for one in carried if not one.read.rules for finding in one.read.findings]
                carried = [one for one in carried if one.read.rules]

            def stands() -> None:
                self._hooks += [one.result for one in graded]
                self._rules += [one.result for one in carried]

            await self._mounts.add(
                [one.hook for one in graded if one.hook is not None],
                [rule for one in carried for rule in one.read.rules],
                stands,
            )
        return (*[one.result for one in graded], *[one.result for one in carried])

    async def _read(self, declared: RulesDeclaration) -> _Carried:
        vendor = self._catalog.vendor(declared.vendor)
        read = await in_thread(partial(carry.read_rules, declared, vendor))
        return _Carried(read=read, result=carry.result(read, vendor, self._catalog))

    def _make_engine(self, shell: ClosingShell | None) -> Engine | None:
        if shell is None:
            return None
        return Engine(
            shell,
            policy=self._policy,
            environment=self._environment,
            recorder=self._recorder,
            policy_source="code",
        )

    def _tell(self, report: Report) -> None:
        self._dispatches += 1
        if self._report is not None:
            self._report(report)


async def _each(declared: Sequence[D], process: Callable[[D], Awaitable[R]], skipped: list[Finding] | None) -> list[R]:
    processed: list[R] = []
    for one in declared:
        try:
            with reading("the declaration"):
                processed.append(await process(one))
        except CompatError as error:
            if skipped is None:
                raise
            skipped.append(from_error(error, one.where or Where(str(one.vendor))))
    return processed
