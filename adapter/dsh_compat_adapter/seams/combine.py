"""One decision of several listeners of one seam: the strictest counts, and every context is kept. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from .decisions import (
    AcceptResult,
    AllowOnce,
    AllowPrompt,
    AllowTool,
    AskTool,
    BlockPrompt,
    BlockResult,
    Cancel,
    ContinueTurn,
    Decision,
    DenyTool,
    Notify,
    Reject,
    StopTurn,
    Unavailable,
)

# higher is stricter; only decisions of one seam are ever compared
STRICTNESS: dict[type, int] = {
    Notify: 0,
    AllowPrompt: 0,
    BlockPrompt: 1,
    AllowTool: 0,
    AskTool: 1,
    DenyTool: 2,
    AcceptResult: 0,
    BlockResult: 1,
    StopTurn: 0,
    ContinueTurn: 1,
    Unavailable: 0,
    AllowOnce: 1,
    Cancel: 2,
    Reject: 3,
}


def combine(decisions: Sequence[Decision]) -> Decision:
    """The strictest decision, the first of equals, with the contexts of all in order; the last rewrite counts."""
    if not decisions:
        return Notify()
    counts = max(decisions, key=lambda decision: STRICTNESS[type(decision)])
    if not STRICTNESS[type(counts)]:
        # a rewrite also counts behind the Notify of a listener that decides nothing
        rewriting = [d for d in decisions if isinstance(d, AcceptResult | AllowPrompt) and d.text is not None]
        counts = rewriting[-1] if rewriting else counts
    return replace(counts, contexts=tuple(context for decision in decisions for context in decision.contexts))
