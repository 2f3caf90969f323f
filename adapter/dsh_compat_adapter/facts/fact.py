"""The facts: one record for each thing that happened to a hook, to a policy, or to the facts themselves (seed 002).

A fact holds ids, words and numbers. What is large or sensitive is evidence, which a fact names by its hash. Two facts
of one run share their id: `hook.started`, then `hook.completed` or `hook.failed`.
"""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol


class FactType(StrEnum):
    """What a fact is about."""

    STARTED = "hook.started"
    COMPLETED = "hook.completed"
    FAILED = "hook.failed"
    POLICY = "policy.changed"
    DROPPED = "facts.dropped"


class Evidence(NamedTuple):
    """A text without its credentials, addressed by the hash of what is kept of it."""

    ref: str
    text: str
    size: int  # characters of the original
    redactions: int
    cut: bool  # only the beginning is kept


def evidence(text: str, *, size: int, redactions: int, cut: bool) -> Evidence:
    """Evidence with its address. The hash is that of the redacted text, so it says nothing about a credential."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return Evidence(f"sha256:{digest}", text, size, redactions, cut)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """What a hook put in the place of what; `honoured` says whether the host applies it."""

    effect: str
    before: str | None
    after: str
    honoured: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
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

    def to_dict(self) -> dict[str, object]:
        """The fact as JSON-ready data (`dsh-compat schema facts`)."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class HookStarted:
    """A hook is about to run."""

    type = FactType.STARTED
    id: str
    at_us: int
    scope: Scope
    handler: Handler
    timeout_s: float
    preview: str
    input_ref: str
    redactions: int

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            "type": self.type.value,
            "id": self.id,
            "ts": timestamp(self.at_us),
            **self.scope.to_dict(),
            **self.handler.to_dict(),
            "timeout_s": self.timeout_s,
            "preview": self.preview,
            "input_ref": self.input_ref,
            "redactions": self.redactions,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCompleted:
    """A hook has answered. Its decision is one source among others, and `honoured` says what the route does with it."""

    type = FactType.COMPLETED
    id: str
    at_us: int
    scope: Scope
    handler: Handler
    duration_us: int
    decision: str
    honoured: bool
    effects: Effects
    losses: tuple[str, ...]
    problems: tuple[str, ...]
    redactions: int

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            "type": self.type.value,
            "id": self.id,
            "ts": timestamp(self.at_us),
            **self.scope.to_dict(),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class HookFailed:
    """A hook has not answered. `failed` says which way: the action went on (open) or was refused (closed).

    Neither is said of a run that was cancelled together with the action.
    """

    type = FactType.FAILED
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

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            "type": self.type.value,
            "id": self.id,
            "ts": timestamp(self.at_us),
            **self.scope.to_dict(),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyChanged:
    """The failure policy is another one from here on."""

    type = FactType.POLICY
    id: str
    at_us: int
    scope: Scope
    before: str
    after: str
    source: str

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            "type": self.type.value,
            "id": self.id,
            "ts": timestamp(self.at_us),
            **self.scope.to_dict(),
            "before": self.before,
            "after": self.after,
            "source": self.source,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsDropped:
    """Facts that a sink has not got, because it failed for longer than they could wait."""

    type = FactType.DROPPED
    id: str
    at_us: int
    scope: Scope
    sink: str
    count: int
    error: str

    def to_dict(self) -> dict[str, object]:
        """See `Fact.to_dict`."""
        return {
            "type": self.type.value,
            "id": self.id,
            "ts": timestamp(self.at_us),
            **self.scope.to_dict(),
            "sink": self.sink,
            "count": self.count,
            "error": self.error,
        }


Ended = HookCompleted | HookFailed


def timestamp(at_us: int) -> str:
    """A moment in microseconds since 1970, as ISO 8601 in UTC."""
    return f"{_second(at_us // 1_000_000)}.{at_us % 1_000_000:06d}+00:00"


@lru_cache(maxsize=8)  # several facts fall into one second
def _second(at_s: int) -> str:
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def new_id(at_us: int) -> str:
    """An id that no other process makes, and that sorts by its moment."""
    return f"{at_us:014x}{os.urandom(6).hex()}"


def moment(id_: str) -> int:
    """The moment of an id, in microseconds since 1970."""
    return int(id_[:14], 16)
