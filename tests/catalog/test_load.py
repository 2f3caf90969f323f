"""`catalog.load`: the compiled file read into frozen values, and the lookups over them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.catalog.load import FILE, NATIVE, Catalog
from dsh_compat_adapter.catalog.loss import Degradation
from dsh_compat_adapter.catalog.model import Plan, Row
from dsh_compat_adapter.events import Canonical, Capability, Effect, Route

CATALOG = Catalog.load()
DATA: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
VENDORS = ["claude", "codex", "copilot", "opencode", "workbuddy"]

anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.binary(), st.lists(st.text()), st.text(), st.just("Claude")
)


EVERY = {**CATALOG.vendors, NATIVE: CATALOG.native}


def rows() -> Iterator[Row]:
    for vendor in EVERY.values():
        yield from vendor.rows.values()


def plans() -> Iterator[tuple[Row, Plan]]:
    for row in rows():
        for plan in (row.plan, row.native_plan):
            if plan is not None:
                yield row, plan


def listed() -> Iterator[Degradation]:
    for row, plan in plans():
        yield from plan.degradations
        if row.reason:
            yield row.reason
    for vendor in CATALOG.vendors.values():
        for file in vendor.rules:
            yield from file.degradations


def test_the_five_vendors_are_there_and_the_native_dialect_is_not_one_of_them() -> None:
    assert sorted(CATALOG.vendors) == VENDORS
    assert NATIVE not in CATALOG.vendors


@pytest.mark.parametrize(
    "name", [name for vendor in CATALOG.vendors.values() for name in (vendor.name, *vendor.aliases)]
)
def test_a_vendor_is_found_by_its_name_and_by_each_alias(name: str) -> None:
    vendor = CATALOG.vendor(name)
    assert name in (vendor.name, *vendor.aliases)


@pytest.mark.parametrize(
    ("misspelt", "hint"),
    [
        ("claud", "claude"),
        ("Claude", "claude"),
        ("codexx", "codex"),
        ("open-code", "opencode"),
        ("WORKBUDDY", "workbuddy"),
    ],
)
def test_an_unknown_vendor_raises_and_proposes_the_nearest(misspelt: str, hint: str) -> None:
    with pytest.raises(CompatError, match=f"Did you mean '{hint}'") as raised:
        CATALOG.vendor(misspelt)
    assert raised.value.code is ErrorCode.UNKNOWN_VENDOR


def test_an_unknown_vendor_that_is_near_to_nothing_is_told_all_names() -> None:
    with pytest.raises(CompatError, match=", ".join(VENDORS)):
        CATALOG.vendor("zzzzzz")


@pytest.mark.parametrize(
    ("vendor", "misspelt", "hint"),
    [
        ("claude", "PreTooluse", "PreToolUse"),
        ("copilot", "preToolUsed", "preToolUse"),
        ("copilot", "postSession", "sessionStart|sessionEnd"),
        ("opencode", "tool.execute.befor", "tool.execute.before"),
    ],
)
def test_an_unknown_event_raises_and_proposes_the_nearest(vendor: str, misspelt: str, hint: str) -> None:
    with pytest.raises(CompatError, match=f"Did you mean '({hint})'") as raised:
        CATALOG.row(CATALOG.vendor(vendor), misspelt)
    assert raised.value.code is ErrorCode.UNKNOWN_EVENT


def test_the_message_of_an_unknown_event_names_the_command_that_lists_them() -> None:
    with pytest.raises(CompatError, match="dsh-compat matrix"):
        CATALOG.row(CATALOG.vendor("claude"), "zzzzzz")


def test_an_event_is_found_by_its_name_and_by_each_spelling() -> None:
    for vendor in CATALOG.vendors.values():
        for row in vendor.rows.values():
            for name in (row.event, *row.spellings):
                assert CATALOG.row(vendor, name) is row


@given(anything)
def test_looking_a_vendor_up_finds_it_by_a_known_name_or_raises_the_one_code(name: object) -> None:
    vendors = CATALOG.vendors.values()
    if name in [known for vendor in vendors for known in (vendor.name, *vendor.aliases)]:
        assert CATALOG.vendor(name) in vendors
        return
    with pytest.raises(CompatError) as raised:
        CATALOG.vendor(name)
    assert raised.value.code is ErrorCode.UNKNOWN_VENDOR


@given(st.sampled_from(VENDORS), anything)
def test_looking_an_event_up_finds_it_by_a_known_name_or_raises_the_one_code(vendor: str, name: object) -> None:
    known = CATALOG.vendors[vendor].rows.values()
    if name in [spelling for row in known for spelling in (row.event, *row.spellings)]:
        assert CATALOG.row(CATALOG.vendors[vendor], name) in known
        return
    with pytest.raises(CompatError) as raised:
        CATALOG.row(CATALOG.vendors[vendor], name)
    assert raised.value.code is ErrorCode.UNKNOWN_EVENT


def test_two_loads_are_equal_and_share_nothing() -> None:
    other = Catalog.load()
    assert other.vendors == CATALOG.vendors
    assert other.surfaces == CATALOG.surfaces
    assert other.losses == CATALOG.losses
    assert other.vendors is not CATALOG.vendors


def test_another_file_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "catalog.json"
    path.write_text(
        json.dumps(DATA | {"vendors": {name: DATA["vendors"][name] for name in ("claude", NATIVE)}}), encoding="utf-8"
    )
    assert list(Catalog.load(path).vendors) == ["claude"]


def test_the_native_dialect_has_a_row_for_each_canonical_event() -> None:
    assert CATALOG.native.name == NATIVE
    assert [row.canonical for row in CATALOG.native.rows.values()] == list(Canonical)
    assert list(CATALOG.native.rows) == list(Canonical)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (CATALOG.vendors["claude"], "title"),
        (CATALOG.vendors["claude"].rows["Stop"], "capability"),
        (CATALOG.vendors["claude"].rows["Stop"].degradations[0], "loss"),
        (CATALOG.surfaces["embedded-0.1"], "services"),
    ],
    ids=["vendor", "row", "degradation", "surface"],
)
def test_what_is_loaded_is_frozen(value: object, name: str) -> None:
    with pytest.raises(AttributeError):
        setattr(value, name, "other")


def test_a_row_has_no_plan_exactly_when_it_is_unsupported_and_then_it_has_a_reason() -> None:
    for row in rows():
        unsupported = row.capability is Capability.UNSUPPORTED
        assert (row.plan is None) == unsupported == (row.reason is not None), row.event
        assert bool(row.degradations) != unsupported, row.event


def test_only_a_row_of_the_official_bridge_has_a_native_plan_and_it_translates() -> None:
    for row in rows():
        bridged = row.plan is not None and row.plan.route is Route.OFFICIAL_BRIDGE
        assert (row.native_plan is not None) == bridged, row.event
        if row.native_plan:
            assert row.native_plan.route is Route.NATIVE_TRANSLATE


def test_what_the_native_block_leaves_out_is_as_in_the_row() -> None:
    for vendor, entry in DATA["vendors"].items():
        for name, event in entry["events"].items():
            row = EVERY[vendor].rows[name]
            if row.native_plan is None or row.plan is None:
                continue
            for part in ("seams", "when", "payload"):
                if event["native"][part] is None:
                    assert getattr(row.native_plan, part) == getattr(row.plan, part), (name, part)
            assert row.native_plan.honours == set(map(Effect, event["native"]["honours"]))


def test_the_losses_of_the_whole_vendor_are_losses_of_each_of_its_plans() -> None:
    for row, plan in plans():
        for everywhere in EVERY[row.vendor].everywhere:
            assert everywhere in plan.degradations, (row.event, everywhere.code)


def test_each_loss_is_a_filled_sentence_in_both_languages_with_evidence() -> None:
    for degradation in listed():
        assert degradation.loss
        assert degradation.loss_zh
        assert "{" not in degradation.loss.replace("{event, input, output}", ""), degradation
        assert any("一" <= character <= "鿿" for character in degradation.loss_zh), degradation
        assert degradation.evidence.partition(":")[0] in ("fact", "surface", "test")


def test_a_loss_that_a_field_triggers_knows_which_field() -> None:
    by_field = [degradation for degradation in listed() if degradation.trigger == "field"]
    assert by_field
    assert all(degradation.field for degradation in by_field)


def test_the_approximate_mark_of_a_row_is_the_first_word_of_one_of_its_losses() -> None:
    for row in rows():
        begins = any(degradation.loss.startswith("Approximate") for degradation in row.degradations)
        assert row.approximate == begins, row.event


def test_what_a_row_does_not_say_is_what_its_dialect_says() -> None:
    for vendor, entry in DATA["vendors"].items():
        for name, event in entry["events"].items():
            row = EVERY[vendor].rows[name]
            assert row.timeout_s == (event["timeout_s"] or entry["dialect"]["timeout_s"])
            failure = event["on_failure"] or entry["dialect"]["on_failure"]
            assert {kind: getattr(row.on_failure, kind) for kind in failure} == failure
            assert row.timeout_s > 0


def test_a_condition_is_a_tuple_of_alternatives_whether_it_was_written_as_one_or_as_a_list() -> None:
    when = {"prompt.source": "user", "stop.active": False, "tool.host_name": ["write", "edit"]}
    event = DATA["vendors"]["opencode"]["events"]["file.edited"] | {"when": when}
    opencode = DATA["vendors"]["opencode"] | {"events": {"file.edited": event}}
    plan = (
        Catalog(DATA | {"vendors": DATA["vendors"] | {"opencode": opencode}})
        .vendors["opencode"]
        .rows["file.edited"]
        .plan
    )
    assert plan is not None
    assert plan.when == {"prompt.source": ("user",), "stop.active": (False,), "tool.host_name": ("write", "edit")}


def test_a_seam_knows_the_fields_that_every_seam_of_its_surface_has() -> None:
    for name, surface in CATALOG.surfaces.items():
        for seam in surface.seams.values():
            assert set(DATA["surfaces"][name]["fields"]) <= set(seam.fields)


def test_a_loss_of_the_host_fills_its_placeholders() -> None:
    loss = CATALOG.loss("no-shell", host="the host of this test")
    assert "the host of this test" in loss.loss
    assert "the host of this test" in loss.loss_zh


def test_a_plan_keeps_plain_stdout_unless_it_lists_that_as_lost() -> None:
    for _, plan in plans():
        assert plan.keeps_stdout == (not any(d.trigger == "plain-stdout" for d in plan.degradations))
        assert plan.can_block == (Effect.DENY in plan.honours)
