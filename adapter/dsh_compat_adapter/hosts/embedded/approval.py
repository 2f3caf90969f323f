"""The approval service: an ask becomes one of four outcomes, and everything but allowed-once denies the call."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Protocol

from ...hooks.closing import is_cancelled, to_the_end
from ...seams.decisions import AllowOnce, Cancel, Decision, Reject


class ApprovalOutcome(StrEnum):
    """How an ask ended; the words are those of DSH."""

    ALLOWED_ONCE = "allowed-once"
    REJECTED = "rejected"
    CANCELLED = "cancelled"
    UNAVAILABLE = "unavailable"


# who is asked: tool name, arguments, reason -> an outcome; True and False stand for allowed-once and rejected
Approver = Callable[[str, object, str], Awaitable[ApprovalOutcome | bool]]


class Asking(Protocol):
    """The agent whose call is asked about."""

    async def fire(self, seam: str, values: Mapping[str, object]) -> Decision:
        """Fire an event; see `Agent.fire`."""
        ...

    async def log(self, kind: str, data: Mapping[str, object]) -> None:
        """Write an event into the session's log."""
        ...


async def refusal(agent: Asking, values: Mapping[str, object], reason: str, approver: Approver) -> str | None:
    """Why the ask is refused, or none when it was allowed: listeners of the seam answer first, then the approver.

    An answerer that fails is one that is unavailable.
    """
    name, call_id = str(values["tool.host_name"]), values["tool.call_id"]
    asked = {"id": str(uuid.uuid4()), "tool_name": name, "call_id": call_id}
    try:
        await agent.log("approval/asked", {**asked, "reason": reason})
        outcome, said = await _answer(agent, values, reason, approver)
    except asyncio.CancelledError:
        if is_cancelled():
            await to_the_end(agent.log("approval/decided", {**asked, "outcome": ApprovalOutcome.CANCELLED.value}))
            raise
        outcome, said = ApprovalOutcome.CANCELLED, f"{reason} (the question was withdrawn)"
    except Exception as error:  # noqa: BLE001 - a listener or approver is foreign code: without its answer, no call
        outcome, said = (
            ApprovalOutcome.UNAVAILABLE,
            f"{reason} (nobody could answer: {str(error) or type(error).__name__})",
        )
    await agent.log("approval/decided", {**asked, "outcome": outcome.value})
    return None if outcome is ApprovalOutcome.ALLOWED_ONCE else said


async def _answer(
    agent: Asking, values: Mapping[str, object], reason: str, approver: Approver
) -> tuple[ApprovalOutcome, str]:
    match await agent.fire("approval/request", {**values, "approval.reason": reason}):
        case AllowOnce():
            return ApprovalOutcome.ALLOWED_ONCE, reason
        case Reject(reason=said):
            return ApprovalOutcome.REJECTED, said
        case Cancel(reason=said):
            return ApprovalOutcome.CANCELLED, said
        case _:
            answer = await approver(str(values["tool.host_name"]), values["tool.host_arguments"], reason)
            return _outcome(answer), reason


def _outcome(answer: object) -> ApprovalOutcome:
    """Only an answer that is surely meant counts: what merely is not empty allows nothing."""
    if isinstance(answer, ApprovalOutcome):
        return answer
    if isinstance(answer, bool):
        return ApprovalOutcome.ALLOWED_ONCE if answer else ApprovalOutcome.REJECTED
    return ApprovalOutcome.UNAVAILABLE
