"""The embedded host: seams, a tool pipeline, and the messages that a model would read.

It offers the seams of its surface file, runs tools through them, and is a complete place for hooks to run in.
"""

import time
import uuid
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from ...catalog.load import Catalog
from ...catalog.model import Surface, Vendor
from ...errors import CompatError, ErrorCode
from ...frozen import snapshot
from ...hooks.process import LocalShell, Shell
from ...routes.point import Mounting, Unmount
from ...seams.combine import combine
from ...seams.decisions import SOURCE, AcceptResult, AskTool, BlockResult, Decision, DenyTool, Notify
from ...seams.host import Dispose, HostEvent, Listener
from . import bridge
from .tools import ToolBody, local_tools

SURFACE = "embedded-0.1"


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
        if not Path(project_dir).is_dir():
            raise CompatError(ErrorCode.INVALID_INPUT, f"project_dir {project_dir!r} is no folder")
        self._catalog = catalog or Catalog.load()
        lacking = frozenset(without) | (frozenset() if approver else frozenset({"approval"}))
        surface = self._catalog.surfaces[SURFACE]
        self._surface = surface._replace(services=surface.services - lacking)
        self._project_dir = str(Path(project_dir).resolve())
        self._shell = None if "shell" in lacking else shell or LocalShell()
        self._tools = dict(local_tools(self._project_dir, shell or LocalShell()) if tools is None else tools)
        self._approver = approver
        self._listeners: dict[str, list[Listener]] = {}
        self._session_id = str(uuid.uuid4())
        self.messages: list[Message] = []

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
        """Whether an approver was given."""
        return self._approver is not None

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        """See `Host.subscribe`; listeners are called in the order of their subscription."""
        if seam not in self._surface.seams:
            raise CompatError(ErrorCode.UNKNOWN_NAME, f"the embedded host has no seam {seam!r}")
        listeners = self._listeners.setdefault(seam, [])
        listeners.append(listener)

        def dispose() -> None:
            if listener in listeners:
                listeners.remove(listener)

        return dispose

    async def mount_bridge(self, vendor: Vendor, config: Mapping[str, object], mounting: Mounting) -> Unmount:
        """Run an official bridge's configuration on this host."""
        return await bridge.mount(vendor, config, self._catalog, mounting)

    async def fire(self, seam: str, values: Mapping[str, object]) -> Decision:
        """Fire one event: every listener hears it, the strictest decision counts, contexts become messages."""
        event = HostEvent(seam=seam, values={**self._base_values(), **values})
        decisions = [await listener(event) for listener in tuple(self._listeners.get(seam, ()))]
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
        result = await self._execute(name, call)
        elapsed_ms = round((time.perf_counter() - started) * 1000)
        return await self._finish(call, result, elapsed_ms)

    async def _execute(self, name: str, call: Mapping[str, object]) -> ToolResult:
        match await self.fire("tools/pre-execute", call):
            case DenyTool(reason=reason):
                return ToolResult(text=f"Error: {reason}", is_error=True, denied=True)
            case AskTool(reason=reason) if not await self._approved(name, call, reason):
                return ToolResult(text=f"Error: not approved: {reason}", is_error=True, denied=True)
            case _:
                return await self._dispatch(name, call["tool.host_arguments"])

    async def _approved(self, name: str, call: Mapping[str, object], reason: str) -> bool:
        return self._approver is not None and await self._approver(name, call["tool.host_arguments"], reason)

    async def _dispatch(self, name: str, arguments: object) -> ToolResult:
        body = self._tools.get(name)
        if body is None:
            return ToolResult(text=f"Error: unknown tool {name!r}", is_error=True)
        if not isinstance(arguments, Mapping):
            return ToolResult(text="Error: the arguments are no object", is_error=True)
        try:
            return ToolResult(text=str(await body(arguments)))
        except Exception as error:  # noqa: BLE001 - a tool is foreign code; its failure is a result
            return ToolResult(text=f"Error: {error}", is_error=True)

    async def _finish(self, call: Mapping[str, object], result: ToolResult, elapsed_ms: int) -> ToolResult:
        match await self.fire("tools/post-execute", {**call, **_result_values(result, elapsed_ms)}):
            case BlockResult(feedback=feedback):
                result = replace(result, text=feedback, is_error=True)
            case AcceptResult(text=text) if text is not None:
                result = replace(result, text=text)
            case _:
                pass
        await self.fire("tools/result", {**call, **_result_values(result, elapsed_ms)})
        return result

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


def _result_values(result: ToolResult, elapsed_ms: int) -> dict[str, object]:
    return {
        "result.text": result.text,
        "result.value": result.text,
        "result.is_error": result.is_error,
        "result.error": result.text if result.is_error else None,
        "result.denied": result.denied,
        "result.duration_ms": elapsed_ms,
    }
