"""The embedded host: seams, a tool pipeline, and the messages that a model would read.

It offers the seams of its surface file, runs tools through them, and is a complete place for hooks to run in.
"""

import os
import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType

from ...catalog.load import Catalog
from ...catalog.model import Surface, Vendor
from ...errors import CompatError, ErrorCode, nearest
from ...frozen import freeze, snapshot
from ...hooks.local_shell import local_shell
from ...hooks.process import Shell
from ...routes.point import Mounting, Unmount
from ...seams.combine import combine
from ...seams.decisions import (
    SOURCE,
    AcceptResult,
    AllowOnce,
    AllowTool,
    AskTool,
    BlockResult,
    Decision,
    DenyTool,
    Notify,
    Reject,
)
from ...seams.host import Dispose, HostEvent, Listener
from . import bridge
from .tools import ToolBody, local_tools

SURFACE = "embedded-0.1"
# a host without the service never comes to these seams
SEAMS_OF_SERVICES = {"approval": ("approval/request",), "subagents": ("subagent/start", "subagent/end")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message that the model would read, with whose it is."""

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool call came to, JSON-safe, whatever the tool or a hook did."""

    text: str
    is_error: bool = False
    denied: bool = False


# who is asked: tool name, arguments, reason -> allowed, this once
Approver = Callable[[str, object, str], Awaitable[bool]]


class EmbeddedHost:
    """One agent session. `approver` answers an ask; without one every ask is a denial."""

    def __init__(  # noqa: PLR0913 - each is one thing that a host may be given
        self,
        project_dir: str,
        *,
        tools: Mapping[str, ToolBody] | None = None,
        approver: Approver | None = None,
        shell: Shell | None = None,
        without: Iterable[str] = (),
        catalog: Catalog | None = None,
    ) -> None:
        """`without` names services of the surface that this host shall lack (`shell`, `approval`, …)."""
        if not os.path.isdir(project_dir):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
            raise CompatError(ErrorCode.INVALID_INPUT, f"project_dir {project_dir!r} is no folder")
        self._catalog = catalog or Catalog.load()
        lacking = frozenset(without) | (frozenset() if approver else frozenset({"approval"}))
        self._surface = _lacking(self._catalog.surfaces[SURFACE], lacking)
        self._project_dir = os.path.realpath(project_dir)
        self._shell = None if "shell" in lacking else shell or local_shell()
        self._tools = dict(local_tools(self._project_dir, shell or local_shell()) if tools is None else tools)
        self._approver = None if "approval" in lacking else approver
        self._listeners: dict[str, dict[object, Listener]] = {}
        self._session_id = str(uuid.uuid4())
        self.messages: list[Message] = []
        self.observer_errors: list[Exception] = []  # of listeners that only observe; they disturb nobody

    @property
    def surface(self) -> Surface:
        """What this host offers, without the services that it lacks."""
        return self._surface

    @property
    def shell(self) -> Shell | None:
        """Where command hooks run."""
        return self._shell

    @property
    def project_dir(self) -> str:
        """The project that hooks are run from."""
        return self._project_dir

    @property
    def can_ask(self) -> bool:
        """Whether an approver answers."""
        return self._approver is not None

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        """See `Host.subscribe`; listeners are called in the order of their subscription."""
        self._check_seam(seam)
        listeners = self._listeners.setdefault(seam, {})
        token = object()  # the same listener may be subscribed twice
        listeners[token] = listener

        def dispose() -> None:
            listeners.pop(token, None)

        return dispose

    async def mount_bridge(self, vendor: Vendor, config: Mapping[str, object], mounting: Mounting) -> Unmount:
        """Run an official bridge's configuration on this host."""
        return await bridge.mount(vendor, config, self._catalog, mounting)

    async def fire(self, seam: str, values: Mapping[str, object]) -> Decision:
        """Fire one event: every listener hears it, the strictest decision counts, contexts become messages.

        Listeners get a frozen copy of the values. Where a seam only tells, one that fails is kept in
        `observer_errors`; where a seam decides, its exception is raised and the caller has no decision.
        """
        self._check_seam(seam)
        frozen = {path: freeze(value) for path, value in values.items()}
        event = HostEvent(seam=seam, values=MappingProxyType({**self._base_values(), **frozen}))
        observing = self._surface.seams[seam].kind == "emit"
        decisions: list[Decision] = []
        for listener in tuple(self._listeners.get(seam, {}).values()):
            try:
                decisions.append(await listener(event))
            except Exception as error:
                if not observing:
                    raise
                self.observer_errors.append(error)
        for decision in decisions:
            source = decision.source if isinstance(decision, Notify) else SOURCE
            self.messages += [Message(text=text, source=source) for text in decision.contexts]
        return combine(decisions)

    async def start(self, source: str = "startup") -> None:
        """Announce the session (startup, resume, clear or compact); context and carried rules become messages."""
        await self.fire("agent/created", {"session.source": source, "agent.is_subagent": False})

    async def call(self, name: str, arguments: object) -> ToolResult:
        """Run one tool call through the pipeline. Whatever goes wrong is an error result, never an exception."""
        call: dict[str, object] = {"tool.host_name": name, "tool.call_id": str(uuid.uuid4())}
        try:
            call["tool.host_arguments"] = snapshot(arguments)
        except ValueError as error:
            return ToolResult(text=f"Error: the arguments are {error}", is_error=True)
        started = time.perf_counter()
        try:
            result = await self._execute(name, call)
        except Exception as error:  # noqa: BLE001 - a listener or approver is foreign code: without its answer, no call
            result = _failed(error)
        elapsed_ms = round((time.perf_counter() - started) * 1000)
        return await self._finish(call, result, elapsed_ms)

    async def _execute(self, name: str, call: Mapping[str, object]) -> ToolResult:
        match await self.fire("tools/pre-execute", call):
            case DenyTool(reason=reason):
                return ToolResult(text=f"Error: {reason}", is_error=True, denied=True)
            case AskTool(reason=reason):
                refusal = await self._refusal(name, call, reason)
            case AllowTool() | Notify():
                refusal = None
            case other:
                raise TypeError(f"{type(other).__name__} is no decision of tools/pre-execute")
        if refusal is not None:
            return ToolResult(text=f"Error: not approved: {refusal}", is_error=True, denied=True)
        return await self._dispatch(name, call["tool.host_arguments"])

    async def _refusal(self, name: str, call: Mapping[str, object], reason: str) -> str | None:
        """Why an ask is refused, or none when it was allowed: listeners answer first, then the approver."""
        if self._approver is None:
            return reason
        match await self.fire("approval/request", {**call, "approval.reason": reason}):
            case AllowOnce():
                return None
            case Reject(reason=rejection):
                return rejection
            case _:
                return None if await self._approver(name, call["tool.host_arguments"], reason) else reason

    async def _dispatch(self, name: str, arguments: object) -> ToolResult:
        body = self._tools.get(name)
        if body is None:
            return ToolResult(text=f"Error: unknown tool {name!r}", is_error=True)
        if not isinstance(arguments, Mapping):
            return ToolResult(text="Error: the arguments are no object", is_error=True)
        try:
            return ToolResult(text=str(await body(arguments)))
        except Exception as error:  # noqa: BLE001 - a tool is foreign code; its failure is a result
            return _failed(error)

    async def _finish(self, call: Mapping[str, object], result: ToolResult, elapsed_ms: int) -> ToolResult:
        try:
            decision = await self.fire("tools/post-execute", {**call, **_result_values(result, elapsed_ms)})
        except Exception as error:  # noqa: BLE001 - a listener is foreign code; its failure is a result
            result = replace(_failed(error), denied=result.denied)
        else:
            result = _decided(result, decision)
        await self.fire("tools/result", {**call, **_result_values(result, elapsed_ms)})
        return result

    def _check_seam(self, seam: str) -> None:
        if seam not in self._surface.seams:
            hint = nearest(seam, self._surface.seams)
            raise CompatError(ErrorCode.UNKNOWN_NAME, f"the embedded host has no seam {seam!r}.{hint}")

    def _base_values(self) -> dict[str, object]:
        now = datetime.now(UTC)
        return {
            "session.id": self._session_id,
            "session.transcript": "",
            "session.cwd": self._project_dir,
            "session.project_dir": self._project_dir,
            "session.permission_mode": "default",
            "session.model": "",
            "turn.id": "",
            "time.iso": now.isoformat(),
            "time.ms": int(now.timestamp() * 1000),
        }


def _lacking(surface: Surface, services: frozenset[str]) -> Surface:
    """The surface without some of its services and the seams that they serve."""
    for service in sorted(services - surface.services):
        hint = nearest(service, surface.services)
        raise CompatError(ErrorCode.UNKNOWN_NAME, f"the embedded host has no service {service!r} to lack.{hint}")
    gone = {seam for service in services for seam in SEAMS_OF_SERVICES.get(service, ())}
    seams = {name: seam for name, seam in surface.seams.items() if name not in gone}
    return surface._replace(services=surface.services - services, seams=seams)


def _decided(result: ToolResult, decision: Decision) -> ToolResult:
    match decision:
        case BlockResult(reason=feedback):
            return replace(result, text=feedback, is_error=True)
        case AcceptResult(text=text) if text is not None:
            return replace(result, text=text)
        case _:
            return result


def _failed(error: Exception) -> ToolResult:
    return ToolResult(text=f"Error: {str(error) or type(error).__name__}", is_error=True)


def _result_values(result: ToolResult, elapsed_ms: int) -> dict[str, object]:
    return {
        "result.text": result.text,
        "result.value": result.text,
        "result.is_error": result.is_error,
        "result.error": result.text if result.is_error else None,
        "result.denied": result.denied,
        "result.duration_ms": elapsed_ms,
    }
