"""The typed decisions, one closed union a seam (seed 001). Frozen, small, without optional powers.

Every decision can carry contexts: text that the host gives to the model with the adapter as its source.
"""

from dataclasses import dataclass

SOURCE = "compat-adapter"  # whose message a context is, in the host's log


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reasoned:
    """A decision that somebody has to read the reason of, so there is always one."""

    reason: str
    contexts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.reason.strip():
            raise ValueError(f"{type(self).__name__} needs a reason that is not empty")


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
class BlockPrompt(_Reasoned):
    """The prompt does not enter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowTool:
    """No objection; guards, other listeners and the approval policy still decide."""

    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DenyTool(_Reasoned):
    """The tool does not run; the model reads the reason, which is never empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskTool(_Reasoned):
    """The approval seam decides; everything but allowed-once is a denial."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptResult:
    """The result stands, with another text for the model if `text` is given."""

    text: str | None = None
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockResult(_Reasoned):
    """The model reads the reason instead of the result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StopTurn:
    """The turn ends as it wanted to."""

    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinueTurn(_Reasoned):
    """The turn goes on with another step that begins with the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowOnce:
    """Allowed, this once."""

    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reject(_Reasoned):
    """Not allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel(_Reasoned):
    """Not answered, since the question itself was withdrawn; the call is denied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unavailable:
    """No answer from here; the next answerer is asked, and when nobody answers the call is denied."""

    contexts: tuple[str, ...] = ()


PromptDecision = AllowPrompt | BlockPrompt
PreToolDecision = AllowTool | DenyTool | AskTool
PostToolDecision = AcceptResult | BlockResult
ContinuationDecision = StopTurn | ContinueTurn
ApprovalDecision = AllowOnce | Reject | Cancel | Unavailable
Decision = Notify | PromptDecision | PreToolDecision | PostToolDecision | ContinuationDecision | ApprovalDecision
