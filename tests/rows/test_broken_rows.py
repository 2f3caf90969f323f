"""The row test fails for a row that is wrong: each test breaks a row in one way, and the checks say so."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter.events import Effect
from tests.rows import effects, firing, losses
from tests.rows.cases import Case, Data, case_of, cases, data
from tests.rows.firing import moments
from tests.rows.recorder import perform
from tests.rows.tour import WHOLE

CASES = [case for case in cases(data()) if case.spelling == case.row.event]
MOMENTS = moments()


def one_each(keys: Callable[[Case], Iterable[Any]]) -> list[tuple[Any, Case]]:
    """The first case for each key."""
    first: dict[Any, Case] = {}
    for case in CASES:
        for key in sorted(keys(case), key=str):
            first.setdefault(key, case)
    return list(first.items())


def broken(case: Case, breaks: Callable[[Data], object]) -> Case:
    """The case in a catalog of which `breaks` has changed the plan that the case runs by."""
    source = data()
    event = source["vendors"][case.vendor.name]["events"][case.row.event]
    if case.bridge == "native":
        for key in ("seams", "when", "payload"):
            if event["native"][key] is None:
                event["native"][key] = event[key]
        event = event["native"]
    breaks(event)
    return case_of(source, case.id)


async def fired(case: Case, root: Path) -> list[str]:
    return [*firing.complaints(await perform(case, root, WHOLE), MOMENTS[case.vendor.name])]


def trial(case: Case, root: Path) -> effects.Trial:
    return effects.Trial(case, root, [*MOMENTS[case.vendor.name][case.key]])


def paths(case: Case) -> list[str]:
    return [field.path for field in case.plan.payload.values() if field.path and field.path != "event.name"]


def ids(value: Any) -> str:
    return (
        value.id if isinstance(value, Case) else "-".join(map(str, value)) if isinstance(value, tuple) else str(value)
    )


@pytest.mark.parametrize(("seam", "case"), one_each(lambda case: list(case.plan.seams)), ids=ids)
async def test_a_wrong_seam_is_noticed(seam: str, case: Case, tmp_path: Path) -> None:
    wrong = broken(
        case, lambda event: event.update(seams=["agent/request" if seam == "agent/error" else "agent/error"])
    )
    assert await fired(wrong, tmp_path)


@pytest.mark.parametrize(("path", "case"), one_each(lambda case: list(case.plan.when)), ids=ids)
async def test_a_condition_that_is_left_out_or_wrong_is_noticed(path: str, case: Case, tmp_path: Path) -> None:
    assert await fired(broken(case, lambda event: event["when"].update({path: "no such value"})), tmp_path)


@pytest.mark.parametrize(("path", "case"), one_each(lambda case: paths(case)[:1]), ids=ids)
async def test_a_payload_field_with_another_path_is_noticed(path: str, case: Case, tmp_path: Path) -> None:
    name = next(name for name, field in case.plan.payload.items() if field.path == path)
    wrong = broken(case, lambda event: event["payload"].update({name: "step.no_such_value"}))
    assert f"the field {name!r} of the payload never came" in await fired(wrong, tmp_path)


@pytest.mark.parametrize(("key", "case"), one_each(lambda case: [(e, case.kind) for e in case.plan.honours]), ids=ids)
async def test_an_effect_that_is_no_longer_honoured_is_noticed(
    key: tuple[Effect, str], case: Case, tmp_path: Path
) -> None:
    effect = key[0]
    wrong = broken(case, lambda event: event["honours"].remove(effect))
    assert [complaint async for complaint in effects.offered(trial(wrong, tmp_path), effect)]


@pytest.mark.parametrize(
    ("key", "case"), one_each(lambda case: [(e, case.kind) for e in case.row.offers - case.plan.honours]), ids=ids
)
async def test_an_effect_that_is_said_to_be_honoured_is_noticed(
    key: tuple[Effect, str], case: Case, tmp_path: Path
) -> None:
    effect = key[0]
    wrong = broken(case, lambda event: event["honours"].append(effect))
    assert [complaint async for complaint in effects.offered(trial(wrong, tmp_path), effect)]


@pytest.mark.parametrize(
    ("code", "case"),
    one_each(lambda case: [loss["code"] for loss in case.losses if case.triggers[loss["code"]] in {*Effect}]),
    ids=ids,
)
async def test_a_run_time_loss_that_is_not_listed_is_noticed(code: str, case: Case, tmp_path: Path) -> None:
    def unlist(event: Data) -> None:
        event["degradations"] = [loss for loss in event["degradations"] if loss["code"] != code]

    effect = Effect(case.triggers[code] or "")
    found = [complaint async for complaint in effects.offered(trial(broken(case, unlist), tmp_path), effect)]
    # what reaches the host in a weaker form is no loss that one answer could show
    assert found or code in case.partial


@pytest.mark.parametrize(
    ("code", "key", "value"),
    [
        ("payload-fields-missing", "fields", "hook_event_name"),
        ("payload-field-constant", "value", "another value"),
        ("environment-missing", "names", "PATH"),
        ("agent-type-constant", "value", "explorer"),
        ("arguments-untranslated", "tools", "NoSuchTool"),
        ("payload-field-stand-in", "value", "session.id"),
    ],
)
async def test_a_listed_loss_that_says_something_else_is_noticed(
    code: str, key: str, value: str, tmp_path: Path
) -> None:
    case = next(case for case in CASES if any(loss["code"] == code for loss in case.losses))

    def lie(event: Data) -> None:
        for loss in event["degradations"]:
            if loss["code"] == code:
                loss[key] = value

    wrong = broken(case, lie)
    played = await perform(wrong, tmp_path, WHOLE)
    found = [complaint async for complaint in losses.complaints(played, trial(wrong, tmp_path))]
    assert [complaint for complaint in found if complaint.startswith(code)]
