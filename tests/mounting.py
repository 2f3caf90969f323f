"""Hosts that show what stands on them, and hooks that say one thing, for the tests of adapter, routes and hosts."""

import asyncio
import json
import os
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import psutil

from dsh_compat_adapter import CompatAdapter, EmbeddedHost
from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.surface import Surface
from dsh_compat_adapter.declare.declaration import HookDeclaration
from dsh_compat_adapter.facts.choose import FactsTo
from dsh_compat_adapter.grading import grade
from dsh_compat_adapter.hooks.engine import Engine
from dsh_compat_adapter.hooks.hook import Hook
from dsh_compat_adapter.hooks.policy import Policy
from dsh_compat_adapter.hooks.process import LocalShell
from dsh_compat_adapter.hosts.embedded.agent import Agent
from dsh_compat_adapter.hosts.embedded.session import Message, SessionEvent
from dsh_compat_adapter.hosts.embedded.tool import ToolResult
from dsh_compat_adapter.routes.point import Mounting, Reporter
from dsh_compat_adapter.seams.decisions import Decision
from dsh_compat_adapter.seams.host import Dispose, Host, Listener
from tests.recording import Kept

CATALOG = Catalog.load()
SURFACE: Surface = CATALOG.surfaces["embedded-0.1"]
BRIDGED = [
    (name, row.event) for name, vendor in CATALOG.vendors.items() for row in vendor.rows.values() if row.native_plan
]


class RefusedError(Exception):
    """What a host of a test raises."""


class WatchedHost(EmbeddedHost):
    """An embedded host with one agent, which says what stands on it and refuses what it is told to refuse."""

    def __init__(
        self,
        project: Path,
        **options: Any,
    ) -> None:
        super().__init__(str(project), **options, catalog=CATALOG)
        self._standing: dict[object, str] = {}
        self._one: Agent | None = None
        self.refused: frozenset[str] = frozenset()  # seams on which nobody may listen any more
        self.keeps: frozenset[str] = frozenset()  # seams on which a subscription is not given back

    @property
    def standing(self) -> list[str]:
        """The seams of the subscriptions, in order."""
        return list(self._standing.values())

    @property
    def one(self) -> Agent:
        """The agent: the one that was started last, or one that nobody was told of."""
        self._one = self._one or self.agent()
        return self._one

    @property
    def messages(self) -> list[Message]:
        """What the agent reads next."""
        return list(self.one.messages)

    async def start(self, source: str = "startup", *, former: Iterable[SessionEvent] = ()) -> Agent:
        self._one = await super().start(source, former=former)
        return self._one

    async def call(self, name: str, arguments: object) -> ToolResult:
        """A tool call of the agent."""
        return await self.one.call(name, arguments)

    async def fire(self, seam: str, values: Mapping[str, object]) -> Decision:
        """An event of the agent."""
        return await self.one.fire(seam, values)

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        if seam in self.refused:
            raise RefusedError(seam)
        dispose = super().subscribe(seam, listener)
        token = object()
        self._standing[token] = seam

        def take_off() -> None:
            if seam in self.keeps:
                raise RefusedError(seam)
            dispose()
            self._standing.pop(token, None)

        return take_off


def adapting(  # noqa: PLR0913 - as the adapter
    host: Host,
    *,
    policy: str = "vendor",
    environment: Mapping[str, str] | None = None,
    report: Reporter | None = None,
    facts: FactsTo = False,
    catalog: Catalog = CATALOG,
) -> CompatAdapter:
    """An adapter that shares the catalog of the tests, which takes longer to read than a hook to run."""
    return CompatAdapter(host, policy=policy, environment=environment, report=report, facts=facts, catalog=catalog)


def prints(document: object) -> str:
    """A command that answers with this document."""
    return f"printf '%s' {shlex.quote(json.dumps(document))}"


def decides(decision: str, reason: str, event: str = "PreToolUse") -> str:
    """A command that answers in the nested grammar."""
    return prints(
        {
            "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": decision,
                "permissionDecisionReason": reason,
            }
        }
    )


def denies(reason: str) -> str:
    """A command that denies a tool call in the nested grammar."""
    return decides("deny", reason)


def adds_context(text: str, event: str) -> str:
    """A command that answers with context in the nested grammar."""
    return prints({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})


def hook(vendor: str, event: str, handler: object, *, project: Path, **fields: object) -> Hook:
    """A graded hook, as a route gets it."""
    declaration = HookDeclaration(vendor=vendor, event=event, handler=handler, **fields)  # type: ignore[arg-type] # tests name the fields
    graded = grade(declaration, CATALOG, SURFACE, str(project), has_shell=True)
    assert graded.hook is not None, graded.result
    return graded.hook


def mounting(host: EmbeddedHost, kept: Kept | None = None) -> Mounting:
    """What a route needs besides the hooks, on the local shell and under the vendor's policy."""
    recorder = None if kept is None else kept.recorder()
    engine = Engine(LocalShell(), policy=Policy.VENDOR, environment=os.environ, recorder=recorder)
    return Mounting(host=host, engine=engine, report=lambda _: None)


async def heard(fifo: Path) -> str:
    """What somebody writes into the FIFO, once it is written whole."""
    return (await asyncio.to_thread(fifo.read_text)).strip()


def alive(pid: str) -> bool:
    """Whether a process is there and no corpse."""
    try:
        return psutil.Process(int(pid)).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
