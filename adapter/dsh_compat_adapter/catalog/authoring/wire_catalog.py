"""The shapes of what the commands print about the catalog, as pydantic models: the source of their schemas."""

from __future__ import annotations

from typing import Literal

from .models import Model
from .wire import Degradation


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
