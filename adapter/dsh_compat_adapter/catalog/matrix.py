"""The matrix: every row with its losses, and the counts that the documents print.

`scripts/regenerate` keeps the whole of it as JSON beside the catalog, because the command line prints it in less
time than building it from the catalog takes.
"""

from collections import Counter
from dataclasses import dataclass

from ..events import Capability, Route
from .load import Catalog
from .loss import Degradation
from .model import Plan, Row, Vendor
from .rules import RulesFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Counts over one set of rows."""

    rows: int
    by_vendor: dict[str, int]
    by_route: dict[str, int]
    by_capability: dict[str, int]
    approximate: int

    def to_dict(self) -> dict[str, object]:
        """The counts as JSON-ready data."""
        return {
            "rows": self.rows,
            "by_vendor": self.by_vendor,
            "by_route": self.by_route,
            "by_capability": self.by_capability,
            "approximate": self.approximate,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """All rows and rules files of the catalog, in the order of the data files."""

    rows: tuple[Row, ...]
    rules: tuple[tuple[str, RulesFile], ...]  # vendor, file

    def counts(self, *, baseline: bool) -> Counts:
        """Counts of the baseline rows, or of all rows."""
        rows = [row for row in self.rows if row.baseline or not baseline]
        return Counts(
            rows=len(rows),
            by_vendor=dict(Counter(row.vendor for row in rows)),
            by_route={route: count for route in Route if (count := sum(_route(row) == route for row in rows))},
            by_capability={str(kind): sum(row.capability is kind for row in rows) for kind in Capability},
            approximate=sum(row.approximate for row in rows),
        )

    def to_dict(self) -> dict[str, object]:
        """The matrix as JSON-ready data (`dsh-compat schema matrix`)."""
        return {
            "rows": [row_dict(row) for row in self.rows],
            "rules": [_rules_dict(vendor, file) for vendor, file in self.rules],
            "counts": {
                "baseline": self.counts(baseline=True).to_dict(),
                "all": self.counts(baseline=False).to_dict(),
            },
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """All that the catalog knows about one event."""

    vendor: Vendor
    row: Row
    evidence: dict[str, str]  # evidence reference -> statement with its source
    means: dict[str, str]  # loss code -> what it means for somebody's hook
    remedies: dict[str, str]  # loss code -> the way out

    def to_dict(self) -> dict[str, object]:
        """The description as JSON-ready data."""
        row = self.row
        return {
            **row_dict(row),
            "title": self.vendor.title,
            "offers": sorted(row.offers),
            "payload": sorted(row.plan.payload) if row.plan else [],
            "timeout_s": row.timeout_s,
            "spellings": list(row.spellings),
            "native": _plan_dict(row.native_plan) if row.native_plan else None,
            "evidence": self.evidence,
            "means": self.means,
            "remedies": self.remedies,
        }


def matrix(catalog: Catalog) -> Matrix:
    """Every row of every vendor; this project's own dialect is no row."""
    vendors = catalog.vendors.values()
    return Matrix(
        rows=tuple(row for vendor in vendors for row in vendor.rows.values()),
        rules=tuple((vendor.name, file) for vendor in vendors for file in vendor.rules),
    )


def describe(catalog: Catalog, vendor: Vendor, row: Row) -> Described:
    """One row with the statements behind its evidence, and what its losses mean."""
    listed = [*row.degradations, *(row.native_plan.degradations if row.native_plan else ())]
    listed += [row.reason] if row.reason else []
    kinds = {d.code: catalog.losses[d.code] for d in listed}
    return Described(
        vendor=vendor,
        row=row,
        evidence={d.evidence: _statement(catalog, vendor, d) for d in listed},
        means={code: kind.means for code, kind in kinds.items()},
        remedies={code: kind.remedy for code, kind in kinds.items() if kind.remedy},
    )


def row_dict(row: Row) -> dict[str, object]:
    """One row as the matrix prints it."""
    return {
        "vendor": row.vendor,
        "event": row.event,
        "capability": row.capability.value,
        "route": _route(row),
        "seams": list(row.plan.seams) if row.plan else [],
        "canonical": row.canonical.value if row.canonical else None,
        "subject": row.subject,
        "baseline": row.baseline,
        "approximate": row.approximate,
        "honours": sorted(row.plan.honours) if row.plan else [],
        "degradations": [_degradation_dict(d) for d in row.degradations],
        "reason": _degradation_dict(row.reason) if row.reason else None,
        "checked": {"version": row.checked.version, "date": row.checked.date, "basis": row.checked.basis},
    }


def _route(row: Row) -> str | None:
    return row.plan.route.value if row.plan else None


def _plan_dict(plan: Plan) -> dict[str, object]:
    return {
        "route": plan.route.value,
        "seams": list(plan.seams),
        "honours": sorted(plan.honours),
        "degradations": [_degradation_dict(d) for d in plan.degradations],
    }


def _degradation_dict(degradation: Degradation) -> dict[str, object]:
    return {"code": degradation.code, "loss": degradation.loss, "evidence": degradation.evidence}


def _rules_dict(vendor: str, file: RulesFile) -> dict[str, object]:
    return {
        "vendor": vendor,
        "path": file.path,
        "layer": file.layer,
        "format": file.format,
        "capability": Capability.CARRY.value,
        "degradations": [_degradation_dict(d) for d in file.degradations],
    }


def _statement(catalog: Catalog, vendor: Vendor, degradation: Degradation) -> str:
    kind, _, target = degradation.evidence.partition(":")
    if kind == "fact":
        return vendor.facts[target]
    if kind == "surface":
        return next(
            (surface.limits[target] for surface in catalog.surfaces.values() if target in surface.limits),
            target,
        )
    return target
