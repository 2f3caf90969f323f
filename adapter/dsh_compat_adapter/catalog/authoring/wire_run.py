"""The shapes of what `run` prints and `listen` answers, as pydantic models: the source of their schemas."""

from __future__ import annotations

from typing import Any, Literal

from .models import Model
from .wire import Finding, Problem, Result


class Outcome(Model):
    """What a hook point came to. Optional members stand only where they say something."""

    decision: Literal["none", "allow", "ask", "deny"]
    reason: str | None
    stop: bool
    stopReason: str | None = None  # noqa: N815 - the names of the wire, seed 000
    additionalContext: list[str] | None = None  # noqa: N815
    systemMessage: list[str] | None = None  # noqa: N815
    suppressOutput: bool | None = None  # noqa: N815
    updatedInput: Any = None  # noqa: N815
    updatedOutput: Any = None  # noqa: N815
    updatedPrompt: Any = None  # noqa: N815
    feedback: str | None = None
    downgraded: bool | None = None
    rawDecision: Literal["none", "allow", "ask", "deny"] | None = None  # noqa: N815
    rawReason: str | None = None  # noqa: N815
    losses: list[str] | None = None
    problems: list[Problem] | None = None


class RunHook(Model):
    """Which hook ran."""

    id: str
    vendor: str
    event: str
    matcher: str | None
    source: str | None


class Run(Model):
    """One handler that ran."""

    fact: str | None = None  # the id of its facts, where they are recorded
    hook: RunHook
    outcome: Outcome
    durationMs: float  # noqa: N815


class RunReport(Model):
    """`dsh-compat run --format json`."""

    event: str
    vendors: list[str]
    canonical: str | None
    outcome: Outcome
    runs: list[Run]
    unsupported: list[Result]
    findings: list[Finding]


class Reply(Model):
    """One line that `listen` answers; which members there are depends on the request."""

    ok: bool
    id: Any = None
    error: str | None = None
    code: str | None = None
    pong: bool | None = None
    cancelled: bool | None = None
    canonical: str | None = None
    outcome: Outcome | None = None
    runs: list[Run] | None = None
    diagnostics: list[Finding | Result] | None = None
