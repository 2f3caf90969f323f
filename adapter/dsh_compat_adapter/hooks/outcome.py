"""The values between a hook's process and the host's decision: answer, run, outcome."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from ..events import Effect


class Rank(IntEnum):
    """How far a decision goes; the strictest of several wins."""

    NONE = 0
    ALLOW = 1
    ASK = 2
    DENY = 3

    @property
    def word(self) -> str:
        """The word of the wire: none, allow, ask or deny."""
        return self.name.lower()


class FailureKind(StrEnum):
    """How a hook failed to answer."""

    EXIT = "exit"  # an exit code other than 0 and 2
    KILLED = "killed"
    TIMEOUT = "timeout"
    SPAWN = "spawn"  # no process came to be
    COMMAND = "command"  # the shell ran and could not start the command (126, 127)
    ANSWER = "answer"  # it answered, and the answer is void


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something about an answer that its author should know. `code` is stable."""

    code: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one hook said, dialect-free."""

    decision: Rank = Rank.NONE
    reason: str | None = None
    stop: bool = False
    stop_reason: str | None = None
    contexts: tuple[str, ...] = ()
    plain_stdout: bool = False  # plain text where the vendor takes that as context
    message: str | None = None
    suppress: bool = False
    rewrites: Mapping[Effect, object] = field(default_factory=dict)
    fields: frozenset[str] = frozenset()  # the names of its members; a row lists those that are lost
    failure: FailureKind | None = None
    problems: tuple[Problem, ...] = ()


SILENT = Answer()  # of a hook that has nothing to say, as most have at most times


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a hook point came to: the answers folded into one, and what of it was lost."""

    decision: Rank = Rank.NONE
    reason: str | None = None
    stop: bool = False
    stop_reason: str | None = None
    contexts: tuple[str, ...] = ()
    plain_stdout: bool = False
    messages: tuple[str, ...] = ()
    suppress: bool = False
    rewrites: Mapping[Effect, object] = field(default_factory=dict)
    fields: frozenset[str] = frozenset()
    feedback: str | None = None  # a deny after the fact, as text that the model reads
    downgraded: bool = False  # a deny where nothing can be prevented; the original is in raw_*
    raw_decision: Rank | None = None
    raw_reason: str | None = None
    losses: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The outcome on the wire; optional members stand only where they say something."""
        data: dict[str, object] = {"decision": self.decision.word, "reason": self.reason, "stop": self.stop}
        optional: dict[str, object] = {
            "stopReason": self.stop_reason,
            "additionalContext": list(self.contexts),
            "systemMessage": list(self.messages),
            "suppressOutput": self.suppress,
            "updatedInput": self.rewrites.get(Effect.REWRITE_INPUT),
            "updatedOutput": self.rewrites.get(Effect.REWRITE_OUTPUT),
            "updatedPrompt": self.rewrites.get(Effect.REWRITE_PROMPT),
            "feedback": self.feedback,
            "downgraded": self.downgraded,
            "rawDecision": self.raw_decision.word if self.raw_decision is not None else None,
            "rawReason": self.raw_reason,
            "losses": list(self.losses),
            "problems": [{"code": problem.code, "text": problem.text} for problem in self.problems],
        }
        # an empty rewrite ({} or "") is an answer, so only what is absent is left out
        return data | {
            key: value for key, value in optional.items() if not (value is None or value is False or value == [])
        }
