"""The facts: one record for each thing that happened to a hook, to a policy, or to the facts themselves (seed 002).

A fact holds ids, words and numbers. What is large or sensitive is evidence, which a fact names by its hash. Two facts
of one run share their id: `hook.started`, then `hook.completed` or `hook.failed`.
"""

import hashlib
from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, NamedTuple, Protocol

from .ids import timestamp
from .preview import Members


class FactType(StrEnum):
    """What a fact is about."""

    STARTED = "hook.started"
    COMPLETED = "hook.completed"
    FAILED = "hook.failed"
    POLICY = "policy.changed"
    DROPPED = "facts.dropped"


class Evidence(NamedTuple):
    """A text without its credentials, addressed by the hash of what is kept of it.

    The hash is that of the redacted text, so it says nothing about a credential.
    """

    ref: str  # of what a hook reads empty until `Record.settled`
    text: str
    size: int  # characters of the original
    redactions: int
    cut: bool  # only the beginning is kept


def address(text: str) -> str:
    """What evidence of this text is referred to by."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


class Scope(NamedTuple):
    """Where something happened. The session is that of the event, or else that of the process."""

    session_id: str
    thread_id: str | None = None
    turn_id: str | None = None
    tool_call_id: str | None = None

    def to_dict(self) -> dict[str, object]:
        """The ids as JSON-ready data."""
        return {
            "session_id": self.session_id,
            "thread_id": self.thread_id,
            "turn_id": self.turn_id,
            "tool_call_id": self.tool_call_id,
        }


class Handler(NamedTuple):
    """Which hook ran, and on what. `ref` is a hash of its declaration, never the text of its command."""

    ref: str
    vendor: str
    event: str
    canonical: str | None
    point: str | None  # of seed 002

    def to_dict(self) -> dict[str, object]:
        """The handler as JSON-ready data."""
        return {
            "point": self.point,
            "vendor": self.vendor,
            "event": self.event,
            "canonical": self.canonical,
            "handler": self.ref,
        }


class Rewrite(NamedTuple):
    """What a hook put in the place of what; `honoured` says whether the host applies it."""

    effect: str
    before: str | None
    after: str
    honoured: bool


class Effects(NamedTuple):
    """What a hook's answer asks for, as far as it asks for anything. Texts are references."""

    goes_on: bool = True
    reason_ref: str | None = None
    rewrites: tuple[Rewrite, ...] = ()
    context_refs: tuple[str, ...] = ()
    message_ref: str | None = None
    suppress_output: bool = False
    audit_refs: Mapping[str, str] | None = None  # stdout, stderr and problems by name

    def to_dict(self) -> dict[str, object]:
        """Those members that say something, by the names of seed 002."""
        data: dict[str, object] = {} if self.goes_on else {"continue": False}
        if self.reason_ref:
            data["reason_ref"] = self.reason_ref
        for rewrite in self.rewrites:
            data[REWRITE_REFS[rewrite.effect]] = {
                "before": rewrite.before,
                "after": rewrite.after,
                "honoured": rewrite.honoured,
            }
        if self.context_refs:
            data["additional_context_refs"] = list(self.context_refs)
        if self.message_ref:
            data["message_ref"] = self.message_ref
        if self.suppress_output:
            data["suppress_output"] = True
        if self.audit_refs:
            data["audit_refs"] = dict(self.audit_refs)
        return data


REWRITE_REFS = {
    "rewrite-input": "updated_input_ref",
    "rewrite-prompt": "updated_prompt_ref",
    "rewrite-output": "updated_tool_output_ref",
}
NO_EFFECTS = Effects()


class Fact(Protocol):
    """One record."""

    @property
    def type(self) -> FactType:
        """What it is about."""
        ...

    @property
    def id(self) -> str:
        """Its own, or that of the run which it begins or ends."""
        ...

    @property
    def at_us(self) -> int:
        """When it happened, in microseconds since 1970."""
        ...

    @property
    def scope(self) -> Scope:
        """Where it happened."""
        ...

    def to_dict(self) -> dict[str, object]:
        """The fact as JSON-ready data (`dsh-compat schema facts`)."""
        ...


class HookStarted(NamedTuple):
    """A hook is about to run."""

    id: str
    at_us: int
    scope: Scope
    handler: Handler
    timeout_s: float
    redactions: int
    shown: Members  # of what the hook reads, for the preview
    # empty until `Record.settled`
    input_ref: str = ""
    preview: str = ""

    @property
    def type(self) -> Literal[FactType.STARTED]:
        """See `Fact.type`."""
        return FactType.STARTED

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            **_head(self),
            **self.handler.to_dict(),
            "timeout_s": self.timeout_s,
            "preview": self.preview,
            "input_ref": self.input_ref,
            "redactions": self.redactions,
        }


class HookCompleted(NamedTuple):
    """A hook has answered. Its decision is one source among others, and `honoured` says what the route does with it."""

    id: str
    at_us: int
    scope: Scope
    handler: Handler
    duration_us: int
    # of a hook that has said nothing
    decision: str = "none"
    honoured: bool = True
    effects: Effects = NO_EFFECTS
    losses: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    redactions: int = 0

    @property
    def type(self) -> Literal[FactType.COMPLETED]:
        """See `Fact.type`."""
        return FactType.COMPLETED

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            **_head(self),
            **self.handler.to_dict(),
            "status": "completed",
            "duration_ms": self.duration_us / 1000,
            "decision": self.decision,
            "decision_source": "hook",
            "honoured": self.honoured,
            **self.effects.to_dict(),
            "losses": list(self.losses),
            "problems": list(self.problems),
            "redactions": self.redactions,
        }


class HookFailed(NamedTuple):
    """A hook has not answered. `failed` says which way: the action went on (open) or was refused (closed).

    Neither is said of a run that was cancelled together with the action.
    """

    id: str
    at_us: int
    scope: Scope
    handler: Handler
    duration_us: int
    category: str
    retryable: bool
    failed: Literal["open", "closed"] | None
    decision: str
    decision_source: str  # the policy by its name, or on_error of the hook
    effects: Effects
    problems: tuple[str, ...]
    redactions: int

    @property
    def type(self) -> Literal[FactType.FAILED]:
        """See `Fact.type`."""
        return FactType.FAILED

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            **_head(self),
            **self.handler.to_dict(),
            "status": "failed",
            "duration_ms": self.duration_us / 1000,
            "category": self.category,
            "retryable": self.retryable,
            "failed": self.failed,
            "decision": self.decision,
            "decision_source": self.decision_source,
            **self.effects.to_dict(),
            "problems": list(self.problems),
            "redactions": self.redactions,
        }


class PolicyChanged(NamedTuple):
    """The failure policy is another one from here on."""

    id: str
    at_us: int
    scope: Scope
    before: str
    after: str
    source: str

    @property
    def type(self) -> Literal[FactType.POLICY]:
        """See `Fact.type`."""
        return FactType.POLICY

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            **_head(self),
            "before": self.before,
            "after": self.after,
            "source": self.source,
        }


class FactsDropped(NamedTuple):
    """Facts that a sink has not got, because it failed for longer than they could wait."""

    id: str
    at_us: int
    scope: Scope
    sink: str
    lost: int
    error: str

    @property
    def type(self) -> Literal[FactType.DROPPED]:
        """See `Fact.type`."""
        return FactType.DROPPED

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            **_head(self),
            "sink": self.sink,
            "count": self.lost,
            "error": self.error,
        }


Ended = HookCompleted | HookFailed


def _head(fact: Fact) -> dict[str, object]:
    """What every fact has."""
    return {"type": fact.type.value, "id": fact.id, "ts": timestamp(fact.at_us), **fact.scope.to_dict()}
