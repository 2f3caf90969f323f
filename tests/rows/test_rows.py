"""Every row of the catalog, fired on the embedded host: one case a row and way to run it, none named in the code."""

from collections.abc import Callable
from pathlib import Path

import pytest

from dsh_compat_adapter.events import Capability
from dsh_compat_adapter.hosts.embedded.session import Session
from tests.mounting import CATALOG, WatchedHost, adapting
from tests.rows import effects, firing, losses
from tests.rows.cases import SURFACE, Case, cases, data, unsupported
from tests.rows.firing import moments, plain
from tests.rows.recorder import perform
from tests.rows.tour import WHOLE, staged, travel

CASES = list(cases(data()))
OWN_NAMES = [case for case in CASES if case.spelling == case.row.event]
UNSUPPORTED = list(unsupported(data()))
MOMENTS = moments()
Note = Callable[[str, object], None]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
async def test_a_hook_runs_exactly_when_its_row_says_and_reads_what_the_host_had(
    case: Case, tmp_path: Path, record_property: Note
) -> None:
    played = await perform(case, tmp_path, WHOLE)
    assert not [*firing.complaints(played, MOMENTS[case.vendor.name])]
    if case.spelling == case.row.event:
        tried = effects.Trial(case, tmp_path, [*MOMENTS[case.vendor.name][case.key]])
        assert not [complaint async for complaint in losses.complaints(played, tried)]
    assert all(run.endswith(b"\n") == case.dialect.stdin_newline for run in played.runs)
    record_property("fired", [case.vendor.name, case.row.event, case.plan.route.value, case.row.baseline])


@pytest.mark.parametrize("case", OWN_NAMES, ids=lambda case: case.id)
async def test_what_a_hook_answers_reaches_the_host_or_is_reported_as_lost(case: Case, tmp_path: Path) -> None:
    tried = effects.Trial(case, tmp_path, [*MOMENTS[case.vendor.name][case.key]])
    assert not [complaint async for complaint in effects.complaints(tried)]


@pytest.mark.parametrize(
    ("vendor", "event"), [(vendor.name, row.event) for vendor, row in UNSUPPORTED], ids=lambda name: name
)
async def test_a_row_without_a_plan_mounts_nothing_and_says_why(vendor: str, event: str, tmp_path: Path) -> None:
    async with WatchedHost(tmp_path) as host, adapting(host) as adapter:
        result = await adapter.register_hook(vendor=vendor, event=event, handler="true")
        assert host.standing == []
    reason = CATALOG.vendors[vendor].rows[event].reason
    assert reason is not None
    assert (result.capability, result.code, result.reason) == (Capability.UNSUPPORTED, reason.code, reason.loss)
    assert not result.executable


def test_every_row_is_a_case_or_is_unsupported() -> None:
    rows = {(vendor.name, row.event) for vendor in CATALOG.vendors.values() for row in vendor.rows.values()}
    fired = {(case.vendor.name, case.row.event) for case in CASES}
    refused = {(vendor.name, row.event) for vendor, row in UNSUPPORTED}
    assert fired | refused == rows
    assert not fired & refused
    assert {(v, key) for v, listed in MOMENTS.items() for key in listed} == {(c.vendor.name, c.key) for c in OWN_NAMES}


def test_each_code_of_a_loss_has_a_check_or_a_reason_why_it_has_none() -> None:
    untriggered = {loss["code"] for case in CASES for loss in case.losses if case.triggers[loss["code"]] is None}
    assert losses.CHECKS.keys() | losses.unchecked().keys() == untriggered
    assert not losses.CHECKS.keys() & losses.unchecked().keys()


async def test_the_tour_passes_every_seam_and_logs_every_event_that_nobody_has_to_refuse(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await travel(stage, WHOLE)
    assert {seen.seam for seen in stage.seen} == set(CATALOG.surfaces[SURFACE].seams)
    logged = {kind for kind, _ in stage.log}
    assert set(data()["surfaces"][SURFACE].get("session_events", logged)) - logged <= {"prompt/blocked"}


async def test_the_host_tells_its_listeners_what_its_log_says(tmp_path: Path) -> None:
    async with staged(tmp_path) as stage:
        await travel(stage, WHOLE)
        session: Session = stage.agent.session
        told = [s.values for s in stage.seen if s.seam == "session/event" and s.values["session.id"] == session.id]
        assert [(v["event.type"], v["event.seq"], plain(v["event.data"])) for v in told] == [
            (event.type, event.seq, plain(event.data)) for event in session.events
        ]
        results = {event.data["call_id"]: event.data for event in session.events if event.type == "tool/result"}
        calls = {event.data["call_id"]: event.data for event in session.events if event.type == "tool/call"}
        for seen in stage.seen:
            if seen.seam == "tools/result" and seen.values["session.id"] == session.id:
                call_id = seen.values["tool.call_id"]
                assert seen.values["tool.host_name"] == calls[call_id]["name"]
                assert plain(seen.values["tool.host_arguments"]) == plain(calls[call_id]["arguments"])
                assert seen.values["result.text"] == results[call_id]["text"]
                assert seen.values["result.is_error"] == results[call_id]["is_error"]
        prompts = [s.values["prompt.text"] for s in stage.seen if s.values.get("prompt.source") == "user"]
        entered = [
            e.data["text"] for e in session.events if e.type == "user/message" and e.data["source_kind"] == "user"
        ]
        assert [text for text in prompts if not str(text).startswith("/")] == [
            t for t in entered if t != "Say hello to Ada."
        ]
