"""A sink that tests read: the facts of a recorder, in order, and their evidence by reference."""

from typing import Any, Literal

from dsh_compat_adapter.facts.fact import (
    NO_EFFECTS,
    Evidence,
    Handler,
    HookCompleted,
    HookFailed,
    HookStarted,
    PolicyChanged,
    Scope,
    address,
)
from dsh_compat_adapter.facts.ids import new_id, now_us
from dsh_compat_adapter.facts.recorder import Recorder
from dsh_compat_adapter.facts.sink import Record

NOW_US = now_us()
ENDED = ("hook.completed", "hook.failed")


class Kept:
    """Keeps facts as JSON-ready data."""

    name = "kept"

    def __init__(self) -> None:
        self.facts: list[dict[str, Any]] = []
        self.evidence: dict[str, str] = {}

    def write(self, record: Record) -> None:
        record = record.settled()
        self.facts.append(record.fact.to_dict())
        self.evidence |= {one.ref: one.text for one in record.evidence}

    def close(self) -> None:
        pass

    @property
    def ended(self) -> list[dict[str, Any]]:
        """The facts that end a run."""
        return [fact for fact in self.facts if fact["type"] in ENDED]

    def recorder(self) -> Recorder:
        """A recorder of which this is the only sink."""
        return Recorder([self], session="s-of-the-process")


def fact(id_: str, session: str = "s") -> PolicyChanged:
    """A small fact with this id."""
    scope = Scope(session_id=session)
    return PolicyChanged(id=id_, at_us=0, scope=scope, before="vendor", after="strict", source="code")


def run_of(  # noqa: PLR0913 - what tests filter by
    at_us: int,
    *,
    session: str = "s",
    turn: str | None = None,
    vendor: str = "claude",
    handler: str = "h1",
    decision: str = "none",
    failed: Literal["open", "closed"] | None = None,
    duration_us: int = 1000,
    text: str = "seen",
) -> tuple[Record, Record]:
    """The two facts of one run, `at_us` after the tests began."""
    at_us += NOW_US
    id_ = new_id(at_us)
    scope = Scope(session_id=session, turn_id=turn)
    who = Handler(ref=handler, vendor=vendor, event="PreToolUse", canonical="tool:before", point="pre_tool_use")
    seen = Evidence(address(text), text, len(text), 0, cut=False)
    started = HookStarted(
        id=id_, at_us=at_us, scope=scope, handler=who, timeout_s=60, redactions=0, shown=(), input_ref=seen.ref
    )
    end_us = at_us + duration_us
    if failed is None:
        completed = HookCompleted(
            id=id_,
            at_us=end_us,
            scope=scope,
            handler=who,
            duration_us=duration_us,
            decision=decision,
            honoured=True,
            effects=NO_EFFECTS,
            losses=(),
            problems=(),
            redactions=0,
        )
        return Record(started, (seen,)), Record(completed)
    ended = HookFailed(
        id=id_,
        at_us=end_us,
        scope=scope,
        handler=who,
        duration_us=duration_us,
        category="timeout",
        retryable=True,
        failed=failed,
        decision="deny" if failed == "closed" else "none",
        decision_source="policy:vendor",
        effects=NO_EFFECTS,
        problems=(),
        redactions=0,
    )
    return Record(started, (seen,)), Record(ended)
