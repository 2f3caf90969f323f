"""The seams of the embedded host: who listens where, and what an event comes to."""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType, UnionType

from ...catalog.surface import DecisionKind, Surface
from ...frozen import freeze
from ...hooks.closing import is_cancelled
from ...seams.combine import combine
from ...seams.decisions import (
    SOURCE,
    ApprovalDecision,
    ContinuationDecision,
    Decision,
    Notify,
    PostToolDecision,
    PreToolDecision,
    PromptDecision,
)
from ...seams.host import Dispose, HostEvent, Listener
from ...seams.listeners import Listeners

OBSERVER_ERRORS = 1000  # are kept; a listener that always fails fills no memory
DECISIONS: Mapping[DecisionKind | None, UnionType | type] = {
    None: Notify,
    "session-start": Notify,
    "prompt": PromptDecision,
    "pre-tool": PreToolDecision,
    "post-tool": PostToolDecision,
    "continuation": ContinuationDecision,
    "approval": ApprovalDecision,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """Text for the model, with whose it is."""

    text: str
    source: str = SOURCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Fired:
    """What the listeners of one event came to."""

    decision: Decision
    contexts: tuple[Context, ...]


class Seams:
    """The listeners of one host."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._listeners = Listeners(surface)
        self.observer_errors: deque[Exception] = deque(maxlen=OBSERVER_ERRORS)

    def subscribe(self, seam: str, listener: Listener) -> Dispose:
        """See `Host.subscribe`."""
        return self._listeners.subscribe(seam, listener)

    async def fire(self, seam: str, values: Mapping[str, object]) -> Fired:
        """Tell every listener, one after another; the strictest decision counts.

        Listeners get a frozen copy of the values. Where a seam only tells, one that fails is kept in
        `observer_errors`; where a seam decides, its exception is raised and the caller has no decision.
        """
        listeners = self._listeners.at(seam)
        if not listeners:
            return Fired(decision=Notify(), contexts=())
        frozen = MappingProxyType({path: freeze(value) for path, value in values.items()})
        event = HostEvent(seam=seam, values=frozen)
        told = self._surface.seams[seam]
        observing = told.kind == "emit"
        decisions: list[Decision] = []
        for listener in listeners:
            try:
                decisions.append(_checked(await listener(event), seam, told.decision))
            except asyncio.CancelledError:
                if is_cancelled():
                    raise
                self._failed(RuntimeError("a listener cancelled itself"), observing=observing)
            except Exception as error:  # noqa: BLE001 - a listener is foreign code
                self._failed(error, observing=observing)
        contexts = tuple(
            Context(text=text, source=decision.source if isinstance(decision, Notify) else SOURCE)
            for decision in decisions
            for text in decision.contexts
        )
        return Fired(decision=combine(decisions), contexts=contexts)

    def _failed(self, error: Exception, *, observing: bool) -> None:
        if not observing:
            raise error
        self.observer_errors.append(error)


def _checked(answer: Decision, seam: str, kind: DecisionKind | None) -> Decision:
    """The answer of a listener, if it is a decision of the seam; raises TypeError otherwise."""
    if not isinstance(answer, Notify | DECISIONS[kind]):
        raise TypeError(f"{type(answer).__name__} is no decision of {seam}")
    texts: tuple[object, ...] = (answer.contexts, *answer.contexts, getattr(answer, "text", None) or "")
    if not isinstance(texts[0], tuple) or not all(isinstance(text, str) for text in texts[1:]):
        raise TypeError(f"the contexts of a {type(answer).__name__} are a tuple of texts, and its text is one")
    return answer
