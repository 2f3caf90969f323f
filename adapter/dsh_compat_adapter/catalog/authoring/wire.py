"""The shapes of every JSON output, as pydantic models: the source of their schemas.

A test validates what the commands print against them, so that the dataclasses of the running side keep to these.
"""

from __future__ import annotations

from typing import Any, Literal

from .models import Model
from .wire_facts import FactsStatus


class Degradation(Model):
    """One listed loss."""

    code: str
    loss: str
    evidence: str


class Checked(Model):
    """Against what, when and how."""

    version: str
    date: str
    basis: Literal["observed", "read", "inferred"]


class MatrixRow(Model):
    """One event."""

    vendor: str
    event: str
    capability: Literal["ADAPTED", "UNSUPPORTED"]
    route: str | None
    seams: list[str]
    canonical: str | None
    subject: str | None
    baseline: bool
    approximate: bool
    honours: list[str]
    degradations: list[Degradation]
    reason: Degradation | None
    checked: Checked


class MatrixRules(Model):
    """One kind of rules file."""

    vendor: str
    path: str
    layer: str
    format: str
    capability: Literal["CARRY"]
    degradations: list[Degradation]


class Counts(Model):
    """Counts over one set of rows."""

    rows: int
    by_vendor: dict[str, int]
    by_route: dict[str, int]
    by_capability: dict[str, int]
    approximate: int


class MatrixCounts(Model):
    """Baseline rows, and all rows."""

    baseline: Counts
    all: Counts


class Matrix(Model):
    """`dsh-compat matrix --format json`."""

    rows: list[MatrixRow]
    rules: list[MatrixRules]
    counts: MatrixCounts


class Plan(Model):
    """The way of an official-bridge event without the bridge."""

    route: str
    seams: list[str]
    honours: list[str]
    degradations: list[Degradation]


class ObservedCase(Model):
    """One case that the vendor's own engine was asked, and how the adapter compares with it."""

    id: str
    says: str
    verdict: Literal["equal", "stricter", "weaker", "different", "not comparable"]
    codes: list[str]
    because: str | None


class Observed(Model):
    """What was seen of one event in the vendor's own engine."""

    version: str
    date: str
    cases: list[ObservedCase]


class Described(MatrixRow):
    """`dsh-compat explain VENDOR EVENT --format json`."""

    title: str
    offers: list[str]
    payload: list[str]
    timeout_s: float
    spellings: list[str]
    native: Plan | None
    evidence: dict[str, str]
    means: dict[str, str]
    remedies: dict[str, str]
    observed: Observed | None = None  # of the command line; none where the engine was not asked


class CatalogRow(Model):
    """When one row was last checked against its vendor."""

    vendor: str
    event: str
    version: str
    date: str
    basis: Literal["observed", "read", "inferred"]
    days: int


class CatalogRows(Model):
    """`dsh-compat catalog --format json`."""

    rows: list[CatalogRow]


class Problem(Model):
    """Something that an author should know."""

    code: str
    text: str


class CarriedFile(Model):
    """One carried rules file."""

    path: str
    sha256: str
    bytes: int
    scope: list[str]
    imported_by: str | None


class Warned(Model):
    """Something that the author of a declaration should know although it was taken."""

    code: str
    text: str
    remedy: str | None


class Result(Model):
    """The capability result of one registration."""

    vendor: str
    event: str | None
    capability: Literal["ADAPTED", "CARRY", "UNSUPPORTED"]
    route: str | None
    seams: list[str]
    degradations: list[Degradation]
    executable: bool
    code: str | None
    reason: str | None
    remedy: str | None
    files: list[CarriedFile]
    warnings: list[Warned]
    id: str | None


class StatusCounts(Model):
    """How many of each."""

    hooks: int
    executable: int
    unsupported: int
    rules: int
    carried_files: int


class Status(Model):
    """`CompatAdapter.status().to_dict()`."""

    host: str
    policy: str
    hooks: list[Result]
    rules: list[Result]
    counts: StatusCounts
    dispatches: int
    facts: FactsStatus | None
    disposed: bool


class Finding(Model):
    """Something in a file that its author should know."""

    code: str
    severity: Literal["error", "warning", "note"]
    file: str
    line: int | None
    column: int | None
    message: str
    remedy: str | None


class Item(Model):
    """One hook or rules file that was found."""

    file: str
    line: int | None
    column: int | None
    name: str
    matcher: str | None
    result: Result | None


class CheckCounts(Model):
    """How many of each grade, and findings by severity."""

    files: int
    adapted: int
    carried: int
    unsupported: int
    refused: int
    errors: int
    warnings: int
    notes: int
    ignored: int


class Check(Model):
    """`dsh-compat check --format json`, and one line of `--format jsonl`."""

    root: str
    files: list[str]
    items: list[Item]
    findings: list[Finding]
    ignored: list[Finding]
    counts: CheckCounts


class NotChecked(Model):
    """The line of a repository that could not be checked."""

    root: str
    error: Problem


class BuildItem(Model):
    """One hook or rules file of a project, and what it comes to in DSH."""

    file: str
    line: int | None
    column: int | None
    name: str
    result: Result


class Build(Model):
    """`dsh-compat build --format json`."""

    directory: str
    patch: str
    dsh: str
    project: str
    policy: Literal["vendor", "strict"]
    bridges: list[str]
    seams: list[str]
    items: list[BuildItem]
    findings: list[Finding]


class Init(Model):
    """`dsh-compat init --format json`."""

    path: str
    exists: bool
    written: bool
    manifest: str
    hooks: int
    rules: int
    diff: list[str]
    left_out: list[Finding]


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


class Validate(Model):
    """`dsh-compat validate --format json`."""

    findings: list[Finding]
    unsupported: list[Result]


class Files(Model):
    """`dsh-compat list --format json`."""

    files: list[str]


class DumpedHook(Model):
    """One hook that would run."""

    id: str
    vendor: str
    event: str
    canonical: str | None
    matcher: str | None
    route: str
    handler: str
    timeout_s: float
    on_error: Literal["warn", "block", "ignore"] | None
    source: str | None


class Dump(Model):
    """`dsh-compat dump --format json`."""

    policy: Literal["vendor", "strict"]
    hooks: list[DumpedHook]


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
