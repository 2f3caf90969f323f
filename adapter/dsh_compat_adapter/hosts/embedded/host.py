"""The embedded host: an agent host in Python with the seams of DSH, and a place for other agents' hooks to run in."""

import os
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from ...catalog.load import Catalog
from ...catalog.model import Vendor
from ...catalog.surface import Surface
from ...errors import CompatError, ErrorCode, nearest, shown
from ...hooks.closing import to_the_end
from ...hooks.local_shell import local_shell
from ...hooks.process import Shell
from ...routes.point import Mounting, Unmount
from ...seams.decisions import Decision
from ...seams.host import Dispose, Listener
from . import bridge
from .agent import Agent
from .approval import Approver
from .model import Model
from .pipeline import Guard, Pipeline, Wrapper
from .place import moment
from .seams import Seams
from .services import Answerer, Command, Services
from .session import SessionEvent
from .session_log import SessionLog, log_folder
from .tool import ToolBody
from .tools import local_tools

SURFACE = "embedded-0.1"
# a host without the service never comes to these seams
SEAMS_OF_SERVICES = {"approval": ("approval/request",), "subagents": ("subagent/start", "subagent/end")}
TOOLS_OF_SERVICES = {"shell": "bash", "subagents": "subagent"}
MAX_STEPS = 200


class EmbeddedHost:
    """A host for agents of one project.

    Use it as an async context manager, or call `aclose`. `approver` answers an ask; without one every ask is a denial.
    `answerer` answers the question tool. Without a `model` tools can be called and no turn can be run.
    """

    def __init__(  # noqa: PLR0913 - each is one thing that a host may be given
        self,
        project_dir: str,
        *,
        tools: Mapping[str, ToolBody] | None = None,
        model: Model | None = None,
        approver: Approver | None = None,
        answerer: Answerer | None = None,
        commands: Mapping[str, Command] | None = None,
        instructions: Iterable[str] = (),
        shell: Shell | None = None,
        without: Iterable[str] = (),
        max_steps: int = MAX_STEPS,
        compact_above: int | None = None,
        permission_mode: str = "default",
        session_log: str | os.PathLike[str] | None = None,
        catalog: Catalog | None = None,
    ) -> None:
        """`without` names services of the surface that this host shall lack (`shell`, `approval`, …).

        `instructions` are files of the project that every agent reads first. `max_steps` bounds one turn, and above
        `compact_above` characters a session is compacted at its next step. `permission_mode` is what hooks are told;
        the host permits nothing by it. `session_log` is a folder: each session keeps its log there too, in ID.jsonl.
        """
        if not os.path.isdir(project_dir):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
            raise CompatError(ErrorCode.INVALID_INPUT, f"project_dir {project_dir!r} is no folder")
        bounds: dict[str, object] = {
            "max_steps": max_steps,
            "compact_above": 1 if compact_above is None else compact_above,
        }
        for name, bound in bounds.items():
            if not isinstance(bound, int) or bound < 1:
                raise CompatError(ErrorCode.INVALID_INPUT, f"{name} is a number above 0, found {shown(bound)}")
        self._catalog = catalog or Catalog.load()
        lacking = frozenset(without) | (frozenset() if approver else frozenset({"approval"}))
        surface = _lacking(self._catalog.surfaces[SURFACE], lacking)
        self._surface = surface._replace(tools=tuple(dict.fromkeys((*surface.tools, *(tools or ())))))
        self._project_dir = os.path.realpath(project_dir)
        self._shell = None if "shell" in lacking else shell or local_shell()
        gone = {TOOLS_OF_SERVICES.get(service) for service in lacking}
        shipped = local_tools(Path(self._project_dir), shell or local_shell())
        own = {name: body for name, body in shipped.items() if name not in gone} if tools is None else tools
        self._seams = Seams(self._surface)
        self._services = Services(
            seams=self._seams,
            pipeline=Pipeline(
                own,
                None if "approval" in lacking else approver,
            ),
            model=model,
            answerer=answerer,
            project_dir=self._project_dir,
            permission_mode=_mode(permission_mode),
            log=None if session_log is None else partial(SessionLog, log_folder(session_log)),
            commands=dict(commands or {}),
            instructions=tuple(instructions),
            max_steps=max_steps,
            compact_above=compact_above,
        )
        self._can_ask = "approval" not in lacking
        self._agents: dict[str, Agent] = {}
        self._closed = False
        self._settings: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def start(self, source: str = "startup", *, former: Iterable[SessionEvent] = ()) -> Agent:
        """Start an agent with a session of its own; context of listeners and carried rules are its first messages.

        `source` is startup, resume, clear or compact; `former` are the events of the session that is resumed.
        """
        agent = self.agent(former)
        try:
            await agent.announce(source)
        except BaseException:  # a listener refused it, or the caller left: it never came to be
            await agent.dispose()
            raise
        if agent.disposed:
            raise CompatError(ErrorCode.DISPOSED, "the agent was disposed while it started")
        return agent

    def agent(self, former: Iterable[SessionEvent] = ()) -> Agent:
        """An agent that nobody was told of; `start` is what most want."""
        if self._closed:
            raise CompatError(ErrorCode.DISPOSED, "this host was closed; make a new one")
        self._agents = {key: agent for key, agent in self._agents.items() if not agent.disposed}
        agent = Agent(self._services, former=former)
        self._agents[agent.id] = agent
        return agent

    async def aclose(self) -> None:
        """Dispose all agents; no more can be started. May be called twice; complete even if cancelled meanwhile.

        Within the work of an agent it does not wait for that one; see `Agent.dispose`.
        """
        await to_the_end(self._aclose())

    async def _aclose(self) -> None:
        self._closed = True
        for agent in self._agents.values():
            await agent.dispose()

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
        return self._can_ask

    @property
    def observer_errors(self) -> list[Exception]:
        """What listeners raised that only observe, the last thousand of it; it disturbed nobody."""
        return list(self._seams.observer_errors)

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        """See `Host.subscribe`; listeners are called in the order of their subscription."""
        return self._seams.subscribe(seam, listener)

    def guard(self, guard: Guard) -> Dispose:
        """Add a last word about tool calls; see `Pipeline.guard`."""
        return self._services.pipeline.guard(guard)

    def wrap(self, wrapper: Wrapper) -> Dispose:
        """Add a wrapper around the tools' bodies; see `Pipeline.wrap`."""
        return self._services.pipeline.wrap(wrapper)

    async def fire(self, seam: str, values: Mapping[str, object]) -> Decision:
        """Fire an event of the host itself, which belongs to no agent; see `Seams.fire`."""
        place = {"session.project_dir": self._project_dir, "session.cwd": self._project_dir}
        return (await self._seams.fire(seam, {**place, **moment(), **values})).decision

    async def update_settings(self, namespace: str) -> None:
        """Tell that a document of the host's settings was changed."""
        self._settings[namespace] = revision = self._settings.get(namespace, 0) + 1
        await self.fire("settings/document-updated", {"settings.namespace": namespace, "settings.revision": revision})

    async def mount_bridge(self, vendor: Vendor, config: Mapping[str, object], mounting: Mounting) -> Unmount:
        """Run an official bridge's configuration on this host, and tell that its plugins changed."""
        unmount = await bridge.mount(vendor, config, self._catalog, mounting)
        await self.fire("plugin-manager/changed", {"plugin.reason": "add"})

        async def taken_off() -> None:
            await unmount()
            await self.fire("plugin-manager/changed", {"plugin.reason": "remove"})

        return taken_off


def _mode(name: object) -> str:
    if isinstance(name, str) and name:
        return name
    raise CompatError(ErrorCode.INVALID_INPUT, f"permission_mode is the name of a mode, found {shown(name)}")


def _lacking(surface: Surface, services: frozenset[str]) -> Surface:
    """The surface without some of its services and the seams that they serve."""
    for service in sorted(services - surface.services):
        hint = nearest(service, surface.services)
        raise CompatError(ErrorCode.UNKNOWN_NAME, f"the embedded host has no service {service!r} to lack.{hint}")
    gone = {seam for service in services for seam in SEAMS_OF_SERVICES.get(service, ())}
    seams = {name: seam for name, seam in surface.seams.items() if name not in gone}
    return surface._replace(services=surface.services - services, seams=seams)
