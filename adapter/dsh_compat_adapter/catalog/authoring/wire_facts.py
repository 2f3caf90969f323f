"""The shapes of facts and of what `dsh-compat audit` prints, as pydantic models: the source of their schemas."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .models import Model

Reference = Annotated[str, Field(pattern=r"^sha256:[0-9a-f]{64}$")]


class Scoped(Model):
    """What every fact has."""

    id: str
    ts: str
    session_id: str
    thread_id: str | None
    turn_id: str | None
    tool_call_id: str | None


class OfHook(Scoped):
    """What every fact of a hook has. The handler is a hash of its declaration."""

    point: str | None
    vendor: str
    event: str
    canonical: str | None
    handler: str


class Started(OfHook):
    """A hook is about to run. `audit` adds the status of a run that has no end."""

    type: Literal["hook.started"]
    timeout_s: float
    preview: str
    input_ref: Reference
    redactions: int
    status: Literal["running", "interrupted"] | None = None


class Rewritten(Model):
    """What a hook put in the place of what."""

    before: Reference | None
    after: Reference
    honoured: bool


class Ended(OfHook):
    """How a run ended. What a hook did not ask for is left out."""

    duration_ms: float
    decision: Literal["none", "allow", "ask", "deny"]
    decision_source: str
    continue_: Literal[False] | None = Field(default=None, alias="continue")
    reason_ref: Reference | None = None
    updated_input_ref: Rewritten | None = None
    updated_prompt_ref: Rewritten | None = None
    updated_tool_output_ref: Rewritten | None = None
    additional_context_refs: list[Reference] | None = None
    message_ref: Reference | None = None
    suppress_output: Literal[True] | None = None
    audit_refs: dict[str, Reference] | None = None
    problems: list[str]
    redactions: int


class Completed(Ended):
    """A hook has answered. `honoured` says whether the route carries its decision to the host."""

    type: Literal["hook.completed"]
    status: Literal["completed"]
    honoured: bool
    losses: list[str]


class Failed(Ended):
    """A hook has not answered, and the action went on (open) or was refused (closed)."""

    type: Literal["hook.failed"]
    status: Literal["failed"]
    category: Literal["exit", "killed", "timeout", "spawn", "command", "answer", "cancelled", "defect"]
    retryable: bool
    failed: Literal["open", "closed"] | None


class PolicyChanged(Scoped):
    """The failure policy is another one."""

    type: Literal["policy.changed"]
    before: Literal["vendor", "strict"]
    after: Literal["vendor", "strict"]
    source: str


class Dropped(Scoped):
    """Facts that a sink has not got."""

    type: Literal["facts.dropped"]
    sink: str
    count: int
    error: str


Fact = Started | Completed | Failed | PolicyChanged | Dropped


class Evidence(Model):
    """What a fact names, without its credentials."""

    ref: Reference
    text: str
    size: int | None = None
    redactions: int | None = None
    cut: bool | None = None


class Facts(Model):
    """`dsh-compat audit --format json`; with an id also the evidence. With `jsonl` each fact is a line."""

    facts: list[Fact]
    evidence: list[Evidence] | None = None


class Duration(Model):
    """What one handler cost."""

    handler: str
    vendor: str
    event: str
    runs: int
    p50_ms: float
    p95_ms: float
    max_ms: float
    total_ms: float
    turns: int
    per_turn_ms: float
    slow: bool


class Durations(Model):
    """`dsh-compat audit --durations --format json`."""

    durations: list[Duration]


class SinkStatus(Model):
    """How a sink fared."""

    sink: str
    written: int
    waiting: int
    failures: int
    dropped: int
    error: str | None


class FactsStatus(Model):
    """The facts in `CompatAdapter.status().to_dict()`: how many there were, the newest, and the sinks."""

    recorded: int
    defects: int
    sinks: list[SinkStatus]
    recent: list[Fact]
