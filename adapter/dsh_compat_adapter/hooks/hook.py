"""One hook, resolved: what selects it, what it runs, and how long it may take."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..catalog.model import DecisionDialect, Dialect, Failure, Plan, Row, Vendor
from ..errors import Where
from .condition import Condition
from .matcher import Matcher
from .payload import Fields
from .policy import OnError


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCommand:
    """Run a program with the payload on stdin. `env` comes on top of what the engine gives."""

    argv: tuple[str, ...]
    cwd: str
    env: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PostWebhook:
    """Send the payload to an address; the response body is the answer.

    `$NAME` in a header value is replaced from the caller's environment, and stays as it is when that is not set.
    """

    url: str
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskOracle:
    """Ask a language model behind an OpenAI-compatible endpoint; `$ARGUMENTS` in the prompt is the payload."""

    prompt: str
    base_url: str
    model: str
    key_variable: str | None  # the environment variable that holds the key


Action = RunCommand | PostWebhook | AskOracle


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """Nothing below this value has a default of its own."""

    id: str  # stable: a hash of what was declared, never the command text
    vendor: Vendor
    row: Row
    plan: Plan
    dialect: Dialect  # the vendor's, or what its official bridge makes of it
    decision: DecisionDialect  # how its answer is read, at this event
    on_failure: Failure  # under the policy `vendor`
    spelling: str  # the event's name as it was declared
    fields: Fields  # of the payload
    matcher: Matcher
    condition: Condition | None  # of the handler, where it is evaluated
    action: Action
    identity: str  # equal for two declarations that a vendor which removes duplicates would run once
    once: bool  # it runs once a session, at the first occurrence that selects it
    detached: bool  # its decision is dropped, since the vendor would not have waited for it
    timeout_s: float
    on_error: OnError | None
    where: Where | None
