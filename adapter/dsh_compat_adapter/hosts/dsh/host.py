"""DSH as a `Host`: the seams of its surface, fed by the connector."""

from collections.abc import Collection, Mapping

from ...catalog.model import Vendor
from ...catalog.surface import Surface
from ...errors import CompatError, ErrorCode
from ...hooks.process import Shell
from ...hooks.stop_guard import StopGuard
from ...routes.point import Mounting, Unmount
from ...seams.decisions import ContinueTurn, Decision, StopTurn
from ...seams.host import Dispose, HostEvent, Listener
from ...seams.listeners import Listeners
from .bridges import Bridges
from .values import event_values
from .wire import answer


class DshHost:
    """One running harness. `services` are those that it has; what it lacks is not stood in for."""

    def __init__(
        self,
        surface: Surface,
        project_dir: str,
        *,
        shell: Shell | None,
        services: Collection[str],
        bridges: Bridges,
    ) -> None:
        self._surface = surface
        self._project_dir = project_dir
        self._shell = shell
        self._services = frozenset(services)
        self._bridges = bridges
        self._listeners = Listeners(surface)
        self._guard = StopGuard()

    @property
    def surface(self) -> Surface:
        """What this version offers."""
        return self._surface

    @property
    def shell(self) -> Shell | None:
        """The harness's own shell."""
        return self._shell

    @property
    def project_dir(self) -> str:
        """The project of the bundle."""
        return self._project_dir

    @property
    def can_ask(self) -> bool:
        """Whether the profile has an approval service."""
        return "approval" in self._services

    @property
    def seams(self) -> tuple[str, ...]:
        """The seams that somebody listens at, which are those that the connector has to send."""
        return self._listeners.seams

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        """See `Host.subscribe`."""
        return self._listeners.subscribe(seam, listener)

    async def mount_bridge(self, vendor: Vendor, config: Mapping[str, object], mounting: Mounting) -> Unmount:
        """Have an official bridge of the harness run a configuration."""
        del mounting  # the bridge runs its hooks itself
        return await self._bridges.mount(vendor, config)

    async def fire(self, seam: str, sent: Mapping[str, object]) -> dict[str, object]:
        """Ask every listener of a seam; the answer as the connector reads it."""
        known = self._surface.seams.get(seam)
        if known is None:
            raise CompatError(ErrorCode.INVALID_INPUT, f"{self._surface.title} has no seam {seam!r:.80}")
        values = event_values(sent, self._project_dir)
        key = "/".join(str(values.get(path, "")) for path in ("session.id", "agent.id", "turn.id"))
        if known.decision == "continuation":
            values["stop.active"] = self._guard.active(key)
        event = HostEvent(seam=seam, values=values)
        decisions = [await listener(event) for listener in self._listeners.at(seam)]
        if known.decision == "continuation":
            decisions = self._capped(key, decisions)
        return answer(decisions)

    def _capped(self, key: str, decisions: list[Decision]) -> list[Decision]:
        """The decisions after the cap on consecutive blocks of a stop, which DSH itself does not limit."""
        if not any(isinstance(decision, ContinueTurn) for decision in decisions):
            self._guard.reset(key)
            return decisions
        if self._guard.allows(key):
            return decisions
        return [StopTurn(contexts=one.contexts) if isinstance(one, ContinueTurn) else one for one in decisions]
