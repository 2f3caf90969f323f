"""What a hook that fails to answer does: warn and let the action go on, or refuse it.

Two named policies, both data. `vendor` does what the vendor's own engine does, which stands in the row. `strict` does
what the hook point says (seed 002, `vendors/points.yaml`): points that permit or act fail closed where the route can
refuse, every other point fails open with a warning. A hook's own `on_error` stands above both.
"""

from enum import StrEnum

from ..catalog.model import Failure, FailureMode, HookPoint, Plan
from .outcome import FailureKind


class Policy(StrEnum):
    """The named failure policies."""

    VENDOR = "vendor"
    STRICT = "strict"


class OnError(StrEnum):
    """What a hook's own declaration says about its failures."""

    WARN = "warn"
    BLOCK = "block"
    IGNORE = "ignore"


def failure_mode(  # noqa: PLR0913, PLR0917 - what the decision hangs on
    kind: FailureKind,
    policy: Policy,
    on_error: OnError | None,
    on_failure: Failure,
    plan: Plan,
    point: HookPoint | None,
) -> FailureMode:
    """Whether a failure of this kind refuses the action or lets it go on."""
    match on_error:
        case OnError.BLOCK:
            return "deny"
        case OnError.WARN | OnError.IGNORE:
            return "warn"
        case None:
            return _strict(kind, on_failure, plan, point) if policy is Policy.STRICT else _vendor(kind, on_failure)


def _strict(kind: FailureKind, on_failure: Failure, plan: Plan, point: HookPoint | None) -> FailureMode:
    if kind is FailureKind.EXIT:  # an exit code is an answer; what it means is the vendor's contract
        return on_failure.exit
    closed = point is None or point.strict == "closed"
    return "deny" if closed and plan.can_block else "warn"


def _vendor(kind: FailureKind, modes: Failure) -> FailureMode:
    match kind:
        case FailureKind.TIMEOUT:
            return modes.timeout
        case FailureKind.ANSWER:
            return modes.answer
        case FailureKind.SPAWN:
            return modes.spawn
        case FailureKind.EXIT | FailureKind.KILLED | FailureKind.COMMAND:
            return modes.exit  # the vendor sees the exit code of the shell and nothing else
