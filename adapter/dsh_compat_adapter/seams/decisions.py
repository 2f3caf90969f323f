"""The typed decisions, one closed union a seam (seed 001). Frozen, small, without optional powers.

Every decision can carry contexts: text that the host gives to the model with the adapter as its source.
"""

from dataclasses import dataclass

SOURCE = "compat-adapter"  # whose message a context is, in the host's log


@dataclass(frozen=True, slots=True, kw_only=True)
class Notify:
    """Of a seam that only tells: nothing is decided."""

    contexts: tuple[str, ...] = ()
    source: str = SOURCE


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowPrompt:
    """The prompt enters, rewritten if `text` is given."""

    text: str | None = None
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPrompt:
    """The prompt does not enter."""

    reason: str
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowTool:
    """No objection; guards, other listeners and the approval policy still decide."""

    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DenyTool:
    """The tool does not run; the model reads the reason, which is never empty."""

    reason: str
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskTool:
    """The approval seam decides; everything but allowed-once is a denial."""

    reason: str
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptResult:
    """The result stands, with another text for the model if `text` is given."""

    text: str | None = None
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockResult:
    """The model reads the feedback instead of the result."""

    feedback: str
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTurn:
    """The turn ends as it wanted to."""

    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinueTurn:
    """The turn goes on with another step that begins with the reason."""

    reason: str
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Approve:
    """Allowed, this once."""

    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject:
    """Not allowed."""

    reason: str
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """No opinion; the next answerer is asked."""

    contexts: tuple[str, ...] = ()


PromptDecision = AllowPrompt | BlockPrompt
PreToolDecision = AllowTool | DenyTool | AskTool
PostToolDecision = AcceptResult | BlockResult
ContinuationDecision = StopTurn | ContinueTurn
ApprovalDecision = Approve | Reject | NoAnswer
Decision = Notify | PromptDecision | PreToolDecision | PostToolDecision | ContinuationDecision | ApprovalDecision
