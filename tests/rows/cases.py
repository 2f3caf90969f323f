"""One case a row of the catalog and way to run it: its plan, its native plan, and each spelling with a payload of its own."""

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from dsh_compat_adapter.catalog.load import FILE, Catalog
from dsh_compat_adapter.catalog.model import Dialect, Plan, Row, Vendor
from dsh_compat_adapter.catalog.surface import DecisionKind, Surface
from dsh_compat_adapter.events import Effect, Route

Data = dict[str, Any]
SURFACE = "embedded-0.1"
EFFECTS = [effect.value for effect in Effect]


@dataclass(frozen=True, kw_only=True)
class Case:
    """A row, the plan that it runs by, and the listed losses of that plan with what fills their sentences."""

    catalog: Catalog
    vendor: Vendor
    row: Row
    plan: Plan
    bridge: str
    spelling: str
    losses: tuple[Mapping[str, str], ...]
    triggers: Mapping[str, str | None]  # code -> what in an answer makes it a run-time loss
    partial: frozenset[str]  # codes of losses of which the weaker form still reaches the host

    @property
    def id(self) -> str:
        parts = [self.vendor.name, self.row.event]
        parts += ["native"] if self.bridge == "native" else []
        parts += [f"as-{self.spelling}"] if self.spelling != self.row.event else []
        return "/".join(parts)

    @property
    def key(self) -> str:
        """The case in the table of moments, which an event's other spellings share."""
        return f"{self.row.event} native" if self.bridge == "native" else self.row.event

    @property
    def surface(self) -> Surface:
        return self.catalog.surfaces[SURFACE]

    @property
    def kind(self) -> DecisionKind | None:
        """What the seam of the plan decides."""
        return self.surface.seams[self.plan.seams[0]].decision

    @property
    def bridged(self) -> bool:
        return self.plan.route is Route.OFFICIAL_BRIDGE

    @property
    def dialect(self) -> Dialect:
        """The wire habits on this plan's route."""
        return self.vendor.bridge.dialect if self.bridged and self.vendor.bridge else self.vendor.dialect

    def listed(self, effects: set[str], fields: set[str]) -> set[str]:
        """The codes that an answer with these effects and members has to list."""
        return {
            loss["code"]
            for loss in self.losses
            if (self.triggers[loss["code"]] == "field" and loss["field"] in fields)
            or self.triggers[loss["code"]] in effects
        }

    def misses(self, field: str) -> bool:
        """Whether a listed loss says that a field is not in the payload."""
        return any(
            field in loss["fields"].split(", ") for loss in self.losses if loss["code"] == "payload-fields-missing"
        )


def data() -> Data:
    """The compiled catalog, to be changed at will."""
    return deepcopy(_DATA)


def cases(source: Data) -> Iterator[Case]:
    """All cases of rows that run."""
    catalog = Catalog(source)
    for name, vendor in catalog.vendors.items():
        entry = source["vendors"][name]
        for row in vendor.rows.values():
            event = entry["events"][row.event]
            if row.plan is None:
                continue
            own = [*event["degradations"], *entry["everywhere"]]
            yield from (_case(source, catalog, vendor, row, row.plan, "official", s, own) for s in _spellings(row))
            if row.native_plan is not None:
                own = [*event["native"]["degradations"], *entry["everywhere"]]
                yield _case(source, catalog, vendor, row, row.native_plan, "native", row.event, own)


def case_of(source: Data, case_id: str) -> Case:
    return next(case for case in cases(source) if case.id == case_id)


def unsupported(source: Data) -> Iterator[tuple[Vendor, Row]]:
    for vendor in Catalog(source).vendors.values():
        yield from ((vendor, row) for row in vendor.rows.values() if row.plan is None)


def _spellings(row: Row) -> list[str]:
    return [row.event, *row.spellings]


def _case(  # noqa: PLR0913, PLR0917 - the parts of one value
    source: Data, catalog: Catalog, vendor: Vendor, row: Row, plan: Plan, bridge: str, spelling: str, losses: list[Data]
) -> Case:
    sentences = source["losses"]
    return Case(
        catalog=catalog,
        vendor=vendor,
        row=row,
        plan=plan,
        bridge=bridge,
        spelling=spelling,
        losses=tuple(losses),
        triggers={code: entry["trigger"] for code, entry in sentences.items()},
        partial=frozenset(code for code, entry in sentences.items() if entry["partial"]),
    )


_DATA: Data = json.loads(FILE.read_text(encoding="utf-8"))
