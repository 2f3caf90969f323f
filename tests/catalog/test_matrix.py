"""`catalog.matrix`: every row with its losses, the counts that documents print, and what is known about one event."""

import json
from collections import Counter

import pytest

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.matrix import Matrix, describe, matrix, row_dict
from dsh_compat_adapter.catalog.model import Row
from dsh_compat_adapter.events import Canonical, Capability, Effect, Route

CATALOG = Catalog.load()
MATRIX = matrix(CATALOG)
BASELINE = [row for row in MATRIX.rows if row.baseline]
# seed 004 and DESIGN section 5
EVENTS = {"claude": 33, "codex": 12, "workbuddy": 24, "opencode": 29, "copilot": 14}
ROUTES = {"official-bridge": 17, "native-translate": 80, "native-seam": 5, "builtin-bridge": 10}
ROUTES_OF = {
    "claude": {"official-bridge": 7, "native-translate": 24, "native-seam": 2},
    "codex": {"official-bridge": 5, "native-translate": 6, "native-seam": 1},
    "workbuddy": {"official-bridge": 5, "native-translate": 17, "native-seam": 2},
    "opencode": {"native-translate": 29},
    "copilot": {"native-translate": 4, "builtin-bridge": 10},
}
APPROXIMATE = {
    ("claude", "MessageDisplay"),
    ("claude", "StopFailure"),
    ("codex", "Interrupt"),
    ("workbuddy", "Elicitation"),
    ("workbuddy", "ElicitationResult"),
    ("opencode", "installation.updated"),
    ("opencode", "server.connected"),
    ("opencode", "session.deleted"),
    ("opencode", "session.updated"),
    ("opencode", "tui.toast.show"),
}


def names(rows: list[Row]) -> list[str]:
    return [f"{row.vendor} {row.event}" for row in rows]


def route(row: Row) -> str | None:
    return row.plan.route.value if row.plan else None


def test_the_baseline_has_112_rows_with_the_counts_of_the_specification() -> None:
    counts = MATRIX.counts(baseline=True)
    assert counts.rows == 112
    assert counts.by_vendor == EVENTS
    assert counts.by_route == ROUTES
    assert counts.by_capability == {"DIRECT": 0, "ADAPTED": 112, "CARRY": 0, "UNSUPPORTED": 0}
    assert counts.approximate == 10


@pytest.mark.parametrize("vendor", EVENTS)
def test_the_baseline_events_of_a_vendor_take_the_routes_of_the_specification(vendor: str) -> None:
    assert Counter(route(row) for row in BASELINE if row.vendor == vendor) == ROUTES_OF[vendor]


def test_ten_baseline_rows_are_approximate_and_they_are_those_of_the_design() -> None:
    assert {(row.vendor, row.event) for row in BASELINE if row.approximate} == APPROXIMATE


def test_no_row_is_direct() -> None:
    assert [row for row in MATRIX.rows if row.capability is Capability.DIRECT] == []


@pytest.mark.parametrize("row", MATRIX.rows, ids=names(list(MATRIX.rows)))
def test_an_adapted_row_lists_a_loss_and_an_unsupported_one_its_reason(row: Row) -> None:
    if row.capability is Capability.ADAPTED:
        assert row.degradations
        assert row.reason is None
    else:
        assert row.capability is Capability.UNSUPPORTED
        assert row.reason is not None
        assert row.reason.loss
        assert not row.baseline


def test_every_workbuddy_row_says_that_the_desktop_app_has_no_public_hook_api() -> None:
    rows = [row for row in BASELINE if row.vendor == "workbuddy"]
    assert len(rows) == 24
    for row in rows:
        said = [d for d in row.degradations if d.code == "desktop-app-no-hook-api"]
        assert [d.loss for d in said if "desktop app has no public hook API" in d.loss], row.event


def test_each_of_the_ten_canonical_events_is_some_row() -> None:
    assert {row.canonical for row in BASELINE} - {None} == set(Canonical)


def test_a_row_that_only_observes_honours_nothing() -> None:
    for row in MATRIX.rows:
        if row.plan and row.plan.route is Route.NATIVE_SEAM:
            assert row.plan.honours == set(), row.event


def test_the_counts_of_all_rows_are_those_of_the_baseline_and_what_is_beyond() -> None:
    every, baseline = MATRIX.counts(baseline=False), MATRIX.counts(baseline=True)
    beyond = [row for row in MATRIX.rows if not row.baseline]
    assert every.rows == len(MATRIX.rows) == baseline.rows + len(beyond)
    assert sum(every.by_vendor.values()) == sum(every.by_capability.values()) == every.rows
    # a row without a route is unsupported
    assert sum(every.by_route.values()) == every.rows - every.by_capability["UNSUPPORTED"]


def test_an_empty_matrix_counts_nothing() -> None:
    counts = Matrix(rows=(), rules=()).counts(baseline=True)
    assert (counts.rows, counts.by_vendor, counts.by_route, counts.approximate) == (0, {}, {}, 0)


def test_the_rows_come_vendor_by_vendor_in_the_order_of_the_files() -> None:
    expected = [(name, event) for name, vendor in CATALOG.vendors.items() for event in vendor.rows]
    assert [(row.vendor, row.event) for row in MATRIX.rows] == expected


def test_the_matrix_as_data_has_a_row_for_each_row_and_survives_json() -> None:
    data = MATRIX.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert data["rows"] == [row_dict(row) for row in MATRIX.rows]
    assert data["counts"] == {
        "baseline": MATRIX.counts(baseline=True).to_dict(),
        "all": MATRIX.counts(baseline=False).to_dict(),
    }


def test_a_row_as_data_has_the_members_that_the_matrix_promises() -> None:
    promised = {"vendor", "event", "capability", "route", "seams", "canonical", "subject", "baseline", "approximate"}
    promised |= {"degradations", "reason", "checked"}
    for row in MATRIX.rows:
        data = row_dict(row)
        assert promised <= data.keys()
        assert data["degradations"] == [
            {"code": d.code, "loss": d.loss, "evidence": d.evidence} for d in row.degradations
        ]


def test_rules_are_listed_with_their_vendor_and_always_carried() -> None:
    data = MATRIX.to_dict()["rules"]
    assert isinstance(data, list)
    assert {entry["vendor"] for entry in data} == set(EVENTS)
    assert {entry["capability"] for entry in data} == {"CARRY"}
    assert all(entry["degradations"] for entry in data)


@pytest.mark.parametrize("row", MATRIX.rows, ids=names(list(MATRIX.rows)))
def test_a_description_explains_each_loss_and_states_what_it_rests_on(row: Row) -> None:
    described = describe(CATALOG, CATALOG.vendors[row.vendor], row)
    listed = [*row.degradations, *(row.native_plan.degradations if row.native_plan else ())]
    listed += [row.reason] if row.reason else []
    assert described.means.keys() == {d.code for d in listed}
    assert all(described.means.values())
    assert described.evidence.keys() == {d.evidence for d in listed}
    for reference, statement in described.evidence.items():
        # a statement with its source, not the bare reference; a test is its own statement
        kind, _, target = reference.partition(":")
        assert kind == "test" or (statement != target and statement.endswith(")")), reference
    assert described.remedies.keys() <= described.means.keys()


def test_a_description_names_what_the_vendor_offers_what_is_honoured_and_what_the_hook_reads() -> None:
    claude = CATALOG.vendors["claude"]
    data = describe(CATALOG, claude, claude.rows["PreToolUse"]).to_dict()
    assert data["title"] == "Claude Code"
    assert {"deny", "ask", "allow", "rewrite-input"} <= set(data["offers"])  # type: ignore[call-overload] # JSON
    assert data["honours"] == [Effect.ASK, Effect.DENY]
    assert data["payload"] == ["tool_input", "tool_name", "tool_use_id"]
    assert isinstance(data["native"], dict)
    assert data["native"]["route"] == "native-translate"


def test_a_description_of_an_unsupported_event_has_no_route_and_says_why() -> None:
    claude = CATALOG.vendors["claude"]
    data = describe(CATALOG, claude, claude.rows["PreSkillShellCommand"]).to_dict()
    assert (data["capability"], data["route"], data["seams"], data["honours"]) == ("UNSUPPORTED", None, [], [])
    assert isinstance(data["reason"], dict)
    assert data["reason"]["code"] in data["means"]  # type: ignore[operator] # JSON
    assert json.loads(json.dumps(data)) == data
