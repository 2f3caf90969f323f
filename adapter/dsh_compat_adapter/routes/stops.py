"""Turns that a hook has stopped at a seam which cannot end them: their next step is refused, and so the turn ends."""

from collections import OrderedDict
from collections.abc import Sequence

from ..hooks.engine import Dispatched
from ..hooks.hook import Hook
from ..hooks.outcome import Outcome
from ..seams.decisions import AllowPrompt, BlockPrompt, Decision
from ..seams.host import HostEvent, Listener
from ..seams.translate import STOPS
from .point import Mounting, Report

AGENTS = 1000  # remembered; whoever was stopped longest ago and never came to a next step is forgotten


class Stops:
    """What one group of hooks has stopped, by agent."""

    def __init__(self) -> None:
        self._stopped: OrderedDict[object, tuple[object, str]] = OrderedDict()

    def note(self, event: HostEvent, outcome: Outcome, *, any_turn: bool) -> None:
        """Keep the stop of an outcome until the next step of the same turn, or of any."""
        if not outcome.stop:
            return
        reason = outcome.stop_reason or ""
        turn = None if any_turn else _turn(event)
        self._stopped[_agent(event)] = (turn, reason if reason.strip() else STOPS)
        if len(self._stopped) > AGENTS:
            self._stopped.popitem(last=False)

    def listener(self, hooks: Sequence[Hook], mounting: Mounting) -> Listener:
        """Refuses the next step of a stopped agent once; one of a later turn than the stopped one goes on."""

        async def listen(event: HostEvent) -> Decision:
            turn, reason = self._stopped.pop(_agent(event), (None, ""))
            if not reason or turn not in (None, _turn(event)):
                return AllowPrompt()
            decision = BlockPrompt(reason=reason)
            dispatched = Dispatched(outcome=Outcome(stop=True, stop_reason=reason), runs=())
            mounting.report(Report(hooks=tuple(hooks), event=event, dispatched=dispatched, decision=decision))
            return decision

        return listen


def _agent(event: HostEvent) -> object:
    return event.values.get("agent.id")


def _turn(event: HostEvent) -> object:
    return event.values.get("turn.id")
