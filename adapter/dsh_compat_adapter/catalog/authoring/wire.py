"""The shapes of what the commands print about a project, as pydantic models: the source of their schemas.

The `wire_*` beside this hold those of the other outputs. A test validates what the commands print against all of
them, so that the dataclasses of the running side keep to these.
"""

from __future__ import annotations

from typing import Literal

from .models import Model
from .wire_facts import FactsStatus


class Degradation(Model):
    """One listed loss."""

    code: str
    loss: str
    evidence: str


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
