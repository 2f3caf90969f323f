"""From an outcome to the typed decision of a seam. Pure and total.

An outcome comes here restricted to what its route honours, so everything that is left is meant to be applied. An
`allow` never pre-approves: outside the approval seam it is no opinion.
"""

from typing import assert_never

from ..catalog.surface import DecisionKind
from ..events import Effect
from ..hooks.fold import NO_REASON
from ..hooks.outcome import Outcome, Rank
from .decisions import (
    AcceptResult,
    AllowOnce,
    AllowPrompt,
    AllowTool,
    AskTool,
    BlockPrompt,
    BlockResult,
    ContinueTurn,
    Decision,
    DenyTool,
    Notify,
    Reject,
    StopTurn,
    Unavailable,
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
                return AskTool(reason=_said(outcome.reason, ASKS), contexts=contexts)
            return AllowTool(contexts=contexts)
        case "post-tool":
            if outcome.feedback is not None:
                return BlockResult(reason=_said(outcome.feedback, NO_REASON), contexts=contexts)
            return AcceptResult(text=_text(outcome.rewrites.get(Effect.REWRITE_OUTPUT)), contexts=contexts)
        case "continuation":
            if outcome.decision is Rank.DENY:
                return ContinueTurn(reason=_said(outcome.reason, NO_REASON), contexts=contexts)
            return StopTurn(contexts=contexts)
        case "approval":
            if refused:
                return Reject(reason=refused, contexts=contexts)
            return AllowOnce(contexts=contexts) if outcome.decision is Rank.ALLOW else Unavailable(contexts=contexts)
        case _:
            assert_never(kind)


def _refusal(outcome: Outcome) -> str | None:
    if outcome.decision is Rank.DENY:
        return _said(outcome.reason, NO_REASON)
    return _said(outcome.stop_reason, STOPS) if outcome.stop else None


def _said(reason: str | None, otherwise: str) -> str:
    return reason if reason and reason.strip() else otherwise


def _text(value: object) -> str | None:
    """The text of a rewritten output: a string, or the text member that the vendors' result objects have."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return next(
            (value[key] for key in ("textResultForLlm", "stdout", "output", "text") if isinstance(value.get(key), str)),
            None,
        )
    return None
