"""A hook point: the hooks of one vendor event with one plan, as a listener of a seam."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from ..catalog.surface import DecisionKind
from ..hooks.engine import Dispatched, Engine
from ..hooks.hook import Hook
from ..hooks.outcome import Outcome
from ..hooks.values import applies
from ..seams.decisions import Decision
from ..seams.host import Dispose, Host, HostEvent, Listener
from ..seams.translate import translate

Unmount = Callable[[], Awaitable[None]]


def unmounting(dispose: Dispose) -> Unmount:
    """What a host gives for a subscription, as what a route gives for a mount."""

    async def unmount() -> None:
        dispose()

    return unmount


async def unmount_all(standing: list[Unmount]) -> None:
    """Take each off, whatever the others do; what the host does not let go of stays in the list and is raised."""
    refused: list[Exception] = []
    for unmount in tuple(standing):
        try:
            await unmount()
        except Exception as error:  # noqa: BLE001 - a host is foreign code
            refused.append(error)
        else:
            standing.remove(unmount)
    if len(refused) == 1:
        raise refused[0]
    if refused:
        raise ExceptionGroup("the host did not let go of every seam", refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One dispatch, as the owner of the adapter is told about it while it happens; what lasts are the facts."""

    hooks: tuple[Hook, ...]
    event: HostEvent
    dispatched: Dispatched
    decision: Decision


Reporter = Callable[[Report], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mounting:
    """What a route needs besides the hooks."""

    host: Host
    engine: Engine
    report: Reporter


Told = Callable[[HostEvent, Outcome], None]


def nothing(_event: HostEvent, _outcome: Outcome) -> None:
    """Where the decision of the seam is all that an outcome comes to."""


def listener(hooks: Sequence[Hook], kind: DecisionKind | None, mounting: Mounting, told: Told = nothing) -> Listener:
    """A seam listener: runs the hooks when the event is one that their row means, and answers in the seam's type.

    `told` is told of each outcome before that.
    """
    plan = hooks[0].plan

    async def listen(event: HostEvent) -> Decision:
        if not applies(event.values, plan.when):
            return translate(Outcome(), kind)
        dispatched = await mounting.engine.dispatch(hooks, event.values, can_ask=mounting.host.can_ask)
        told(event, dispatched.outcome)
        decision = translate(dispatched.outcome, kind)
        mounting.report(Report(hooks=tuple(hooks), event=event, dispatched=dispatched, decision=decision))
        return decision

    return listen
