"""From an outcome to the typed decision of a seam. Pure and total.

An outcome comes here restricted to what its route honours, so everything that is left is meant to be applied. An
`allow` never pre-approves: outside the approval seam it is no opinion.
"""

from typing import assert_never

from ..catalog.model import DecisionKind
from ..events import Effect
from ..hooks.fold import NO_REASON
from ..hooks.outcome import Outcome, Rank
from .decisions import (
    AcceptResult,
    AllowPrompt,
    AllowTool,
    Approve,
    AskTool,
    BlockPrompt,
    BlockResult,
    ContinueTurn,
    Decision,
    DenyTool,
    NoAnswer,
    Notify,
    Reject,
    StopTurn,
)

ASKS = "a hook asks for a confirmation"
STOPS = "a hook stops the agent"


def translate(  # noqa: C901, PLR0911, PLR0912 - one case a seam
    outcome: Outcome, kind: DecisionKind | None
) -> Decision:
    """The decision that a seam of this kind takes; `None` is a seam that only tells."""
    contexts = outcome.contexts
    refused = _refusal(outcome)
    match kind:
        case None | "session-start":
            return Notify(contexts=contexts)
        case "prompt":
            text = outcome.rewrites.get(Effect.REWRITE_PROMPT)
            if refused:
                return BlockPrompt(reason=refused, contexts=contexts)
            return AllowPrompt(text=text if isinstance(text, str) and text else None, contexts=contexts)
        case "pre-tool":
            if refused:
                return DenyTool(reason=refused, contexts=contexts)
            if outcome.decision is Rank.ASK:
                return AskTool(reason=outcome.reason or ASKS, contexts=contexts)
            return AllowTool(contexts=contexts)
        case "post-tool":
            if outcome.feedback:
                return BlockResult(feedback=outcome.feedback, contexts=contexts)
            return AcceptResult(text=_text(outcome.rewrites.get(Effect.REWRITE_OUTPUT)), contexts=contexts)
        case "continuation":
            if outcome.decision is Rank.DENY:
                return ContinueTurn(reason=outcome.reason or NO_REASON, contexts=contexts)
            return StopTurn(contexts=contexts)
        case "approval":
            if refused:
                return Reject(reason=refused, contexts=contexts)
            return Approve(contexts=contexts) if outcome.decision is Rank.ALLOW else NoAnswer(contexts=contexts)
        case _:
            assert_never(kind)


def _refusal(outcome: Outcome) -> str | None:
    if outcome.decision is Rank.DENY:
        return outcome.reason or NO_REASON
    return (outcome.stop_reason or STOPS) if outcome.stop else None


def _text(value: object) -> str | None:
    """The text of a rewritten output: a string, or the text member that the vendors' result objects have."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return next(
            (value[key] for key in ("textResultForLlm", "output", "text") if isinstance(value.get(key), str)),
            None,
        )
    return None
