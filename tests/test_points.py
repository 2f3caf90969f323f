"""`points`: what an event name means, worked out once, before any event comes."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.events import Canonical
from dsh_compat_adapter.points import Point, point
from tests.mounting import CATALOG, hook

VENDORS = [*CATALOG.vendors.values(), CATALOG.native]
NAMES = sorted({name for one in VENDORS for row in one.rows.values() for name in (row.event, *row.spellings)})
OF_A_VENDOR = [(one.name, name) for one in VENDORS for row in one.rows.values() for name in (row.event, *row.spellings)]


def fired(one: Point) -> list[tuple[str, str]]:
    """The rows that an event fires, by vendor and event."""
    return [(vendor.name, row.event) for vendor, row in one.rows]


# -- which rows


@pytest.mark.parametrize("name", NAMES)
def test_an_event_fires_its_row_and_that_of_every_vendor_that_has_the_same_moment(name: str) -> None:
    found = point(CATALOG, name, None, ())
    for _, row in found.rows:
        assert name in (row.event, *row.spellings) or row.canonical is found.canonical is not None
    named = [vendor for vendor in VENDORS for row in vendor.rows.values() if name in (row.event, *row.spellings)]
    assert {vendor.name for vendor in named} <= set(found.vendors)
    if found.canonical is not None:
        others = [vendor for vendor in VENDORS if any(row.canonical is found.canonical for row in vendor.rows.values())]
        assert {vendor.name for vendor in others} <= set(found.vendors)


@pytest.mark.parametrize("canonical", list(Canonical))
def test_a_canonical_name_means_every_row_of_its_moment(canonical: Canonical) -> None:
    found = point(CATALOG, canonical.value, None, ())
    assert found.canonical is canonical
    expected = [
        (vendor.name, row.event) for vendor in VENDORS for row in vendor.rows.values() if row.canonical is canonical
    ]
    assert set(fired(found)) <= set(expected)
    assert {vendor for vendor, _ in fired(found)} == {vendor for vendor, _ in expected}


@pytest.mark.parametrize("name", NAMES)
def test_the_vendors_stand_in_the_order_of_the_catalog_whoevers_name_it_is(name: str) -> None:
    order = [vendor.name for vendor in VENDORS]
    found = point(CATALOG, name, None, ())
    assert list(found.vendors) == sorted(found.vendors, key=order.index)
    assert [vendor for vendor, _ in fired(found)] == list(found.vendors)


@pytest.mark.parametrize(("vendor", "name"), OF_A_VENDOR, ids=" ".join)
def test_with_a_vendor_its_own_row_alone_is_fired(vendor: str, name: str) -> None:
    found = point(CATALOG, name, vendor, ())
    assert {one for one, _ in fired(found)} == {vendor}
    (row, *_) = [
        row for one in VENDORS if one.name == vendor for row in one.rows.values() if name in (row.event, *row.spellings)
    ]
    assert (vendor, row.event) in fired(found)


@pytest.mark.parametrize("name", ["PreToolUse", "preToolUse", "tool.execute.before", "tool:before"])
def test_the_names_of_one_moment_mean_the_same_vendors(name: str) -> None:
    assert point(CATALOG, name, None, ()).vendors == point(CATALOG, "tool:before", None, ()).vendors


def test_an_event_without_a_canonical_counterpart_means_the_vendors_that_have_the_name() -> None:
    found = point(CATALOG, "MessageDisplay", None, ())
    assert (found.canonical, found.vendors) == (None, ("claude",))


@pytest.mark.parametrize(
    ("name", "vendor", "code", "says"),
    [
        ("PreToolUsed", None, ErrorCode.UNKNOWN_EVENT, "no vendor has an event 'PreToolUsed'. Did you mean 'PreToolUse'?"),
        ("PRETOOLUSE", None, ErrorCode.UNKNOWN_EVENT, "Did you mean 'PreToolUse'?"),
        ("tool:befor", None, ErrorCode.UNKNOWN_EVENT, "Did you mean 'tool:before'?"),
        ("", None, ErrorCode.UNKNOWN_EVENT, "no vendor has an event ''."),
        ("x" * 10_000, None, ErrorCode.UNKNOWN_EVENT, "no vendor has an event 'xxx"),
        ("\ud800", None, ErrorCode.UNKNOWN_EVENT, "no vendor has an event '\\ud800'"),
        ("tool.execute.before", "claude", ErrorCode.UNKNOWN_EVENT, "Claude Code has no event 'tool.execute.before'"),
        ("PreToolUse", "claud", ErrorCode.UNKNOWN_VENDOR, "Did you mean 'claude'?"),
    ],
    ids=lambda value: value[:20] if isinstance(value, str) else "",
)  # fmt: skip
def test_an_unknown_name_is_an_error_with_the_nearest_one(
    name: str, vendor: str | None, code: ErrorCode, says: str
) -> None:
    with pytest.raises(CompatError) as caught:
        point(CATALOG, name, vendor, ())
    assert caught.value.code is code
    assert says in caught.value.message
    assert len(caught.value.message) < 300


@given(name=st.text(max_size=20))
def test_any_name_is_a_point_or_an_error(name: str) -> None:
    known = name in NAMES or name in list(Canonical)
    refused = None
    try:
        point(CATALOG, name, None, ())
    except CompatError as error:
        refused = error.code
    assert refused is (None if known else ErrorCode.UNKNOWN_EVENT)


# -- which hooks


def test_hooks_are_grouped_by_vendor_in_the_order_of_the_catalog_and_keep_their_own_order(tmp_path: Path) -> None:
    declared = [("codex", "a"), ("claude", "b"), ("codex", "c"), ("claude", "d")]
    hooks = [hook(vendor, "PreToolUse", text, project=tmp_path) for vendor, text in declared]
    groups = point(CATALOG, "PreToolUse", None, hooks).groups
    assert [(group.vendor.name, len(group.hooks)) for group in groups] == [("claude", 2), ("codex", 2)]
    assert [group.hooks for group in groups] == [(hooks[1], hooks[3]), (hooks[0], hooks[2])]


def test_hooks_that_go_another_way_are_a_group_of_their_own(tmp_path: Path) -> None:
    """What a route loses is cut from the outcome of its own hooks only."""
    official = hook("claude", "PreToolUse", "a", project=tmp_path)
    native = hook("claude", "PreToolUse", "b", project=tmp_path, bridge="native")
    groups = point(CATALOG, "PreToolUse", None, [native, official]).groups
    assert [group.hooks for group in groups] == [(native,), (official,)]


def test_hooks_of_other_events_and_other_vendors_are_in_no_group(tmp_path: Path) -> None:
    hooks = [hook("claude", "Stop", "a", project=tmp_path), hook("codex", "PreToolUse", "b", project=tmp_path)]
    assert point(CATALOG, "PreToolUse", "claude", hooks).groups == ()


def test_a_hook_that_was_declared_by_another_spelling_is_one_of_the_event(tmp_path: Path) -> None:
    one = hook("copilot", "PreToolUse", {"bash": "a"}, project=tmp_path)
    (group,) = point(CATALOG, "preToolUse", None, [one]).groups
    assert group.hooks == (one,)


@pytest.mark.parametrize(
    ("events", "by_tool"),
    [
        ([], True),
        ([("claude", "PreToolUse")], True),
        ([("claude", "PreToolUse"), ("native", "tool:before")], True),
        ([("claude", "Stop")], False),
        ([("claude", "SessionStart")], False),
    ],
)
def test_a_point_says_whether_the_name_of_the_tool_alone_decides(
    tmp_path: Path, events: list[tuple[str, str]], *, by_tool: bool
) -> None:
    hooks = [hook(vendor, event, "true", project=tmp_path) for vendor, event in events]
    name = events[0][1] if events else "PreToolUse"
    assert point(CATALOG, name, None, hooks).by_tool is by_tool


# -- how a payload is read


@pytest.mark.parametrize(
    ("event", "member", "path"),
    [
        ("PreToolUse", "tool_name", "tool.name"),
        ("PreToolUse", "tool_input", "tool.arguments"),
        ("PreToolUse", "session_id", "session.id"),
        ("preToolUse", "toolName", "tool.name"),
        ("preToolUse", "toolArgs", "tool.arguments"),
        ("preToolUse", "sessionId", "session.id"),
        ("tool.execute.before", "input.tool", "tool.name"),
        ("tool.execute.before", "output.args", "tool.arguments"),
        ("tool:before", "tool_name", "tool.name"),
        ("UserPromptSubmit", "prompt", "prompt.text"),
        ("SessionStart", "source", "session.source"),
    ],
)
def test_a_member_of_a_payload_has_its_place_in_the_event(event: str, member: str, path: str) -> None:
    assert path in [one.path for one in point(CATALOG, event, None, ()).members[member]]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_the_event_is_read_from_no_payload(name: str) -> None:
    found = point(CATALOG, name, None, ())
    assert "event.name" not in [one.path for members in found.members.values() for one in members]


@pytest.mark.parametrize("name", NAMES)
def test_no_member_fills_one_place_twice(name: str) -> None:
    for members in point(CATALOG, name, None, ()).members.values():
        paths = [one.path for one in members]
        assert sorted(set(paths)) == sorted(paths)


@pytest.mark.parametrize("name", NAMES)
def test_everything_above_a_nested_member_is_known_to_be_nested(name: str) -> None:
    found = point(CATALOG, name, None, ())
    for member in found.members:
        parts = member.split(".")
        assert {".".join(parts[:end]) for end in range(1, len(parts))} <= found.nested
    assert all(any(member.startswith(f"{one}.") for member in found.members) for one in found.nested)


@pytest.mark.parametrize(
    ("event", "member", "path", "value", "host"),
    [
        ("FileChanged", "event", "file.change", "unlink", "absent"),
        ("notification", "notification_type", "event.type", "permission_prompt", "approval/asked"),
        ("FinalStop", "final_stop_reason", "event.data.reason_kind", "failed", "error"),
    ],
)
def test_a_value_that_a_vendor_renames_is_read_as_the_host_says_it(
    event: str, member: str, path: str, value: str, host: str
) -> None:
    members = point(CATALOG, event, None, ()).members[member]
    assert next(one.host_values[value] for one in members if one.path == path) == host


@pytest.mark.parametrize(("vendor", "name"), OF_A_VENDOR, ids=" ".join)
def test_each_vendors_own_payload_is_read_completely_beside_those_of_the_others(vendor: str, name: str) -> None:
    """A member that two vendors use for different things fills both places."""
    every = point(CATALOG, name, None, ()).members
    for member, own in point(CATALOG, name, vendor, ()).members.items():
        assert {one.path for one in own} <= {one.path for one in every[member]}


@pytest.mark.parametrize(
    ("name", "host"),
    [("Write", "write"), ("create", "write"), ("write", "write"), ("Bash", "bash"), ("bash", "bash")],
)
def test_a_tool_is_known_by_every_vendors_name_for_it(name: str, host: str) -> None:
    assert point(CATALOG, "tool:before", None, ()).tools[name].host == host


@pytest.mark.parametrize(
    ("event", "tool", "vendor"), [("tool.execute.before", "edit", "opencode"), ("preToolUse", "edit", "copilot")]
)
def test_a_word_for_a_tool_is_read_as_the_vendor_means_it_whose_event_name_was_used(
    event: str, tool: str, vendor: str
) -> None:
    assert point(CATALOG, event, None, ()).tools[tool] in CATALOG.vendor(vendor).tools
