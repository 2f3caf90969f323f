"""`hooks.values`: the values of a host event as one vendor's hook sees them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.catalog.model import Tool, Vendor, When
from dsh_compat_adapter.hooks.payload import build
from dsh_compat_adapter.hooks.values import MISSING, applies, lookup, renamed, subjects, view
from tests.strategies import VENDORS, WAYS, Way, json_objects, json_values, texts, way, ways

TOOLS = [(vendor, tool) for vendor in VENDORS for tool in vendor.tools]
every_tool = pytest.mark.parametrize(
    ("vendor", "tool"), TOOLS, ids=[f"{vendor.name}-{tool.name}" for vendor, tool in TOOLS]
)


@every_tool
def test_a_tool_is_shown_under_the_vendors_name_and_selected_by_all_of_its_names(vendor: Vendor, tool: Tool) -> None:
    """B57: the table of names holds in both directions."""
    values = {"tool.host_name": tool.host, "tool.host_arguments": {}}
    assert view(values, vendor)["tool.name"] == tool.name
    row = next(row for row in vendor.rows.values() if row.subject == "tool.name")
    assert list(subjects(values, row, vendor)) == [tool.name, *tool.aliases]


@every_tool
def test_the_arguments_of_a_tool_are_shown_under_the_vendors_names_and_nothing_is_lost(
    vendor: Vendor, tool: Tool
) -> None:
    arguments = {**{host: f"value of {host}" for host in tool.arguments.values()}, "other": 1}
    shown = view({"tool.host_name": tool.host, "tool.host_arguments": arguments}, vendor)["tool.arguments"]
    assert isinstance(shown, dict)
    assert shown == {name: f"value of {host}" for name, host in tool.arguments.items()} | {"other": 1}
    assert renamed(shown, tool.arguments) == arguments


@pytest.mark.parametrize("order", [1, -1])
def test_an_argument_that_the_tool_ignores_cannot_hide_the_one_that_it_acts_on(order: int) -> None:
    arguments = dict([("file_path", "/etc/passwd"), ("path", "harmless.txt")][::order])
    values = {"tool.host_name": "write", "tool.host_arguments": arguments}
    assert view(values, way("copilot", "preToolUse").vendor)["tool.arguments"] == {"path": "/etc/passwd"}


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_no_two_tools_of_a_vendor_are_the_same_tool_of_the_host(vendor: Vendor) -> None:
    hosts = [tool.host for tool in vendor.tools]
    assert len(hosts) == len(set(hosts))


@pytest.mark.parametrize("name", ["mcp__srv__push", "srv_push", "brand_new"])
def test_a_tool_outside_the_table_keeps_its_name_and_is_selected_by_it(name: str) -> None:
    found = way("claude", "PreToolUse")
    values = {"tool.host_name": name, "tool.host_arguments": {"file_path": "a"}}
    assert view(values, found.vendor)["tool.name"] == name
    assert view(values, found.vendor)["tool.arguments"] == {"file_path": "a"}
    assert tuple(subjects(values, found.row, found.vendor)) == (name,)


def test_the_subject_that_a_host_does_not_tell_is_what_the_hook_is_told() -> None:
    found = way("claude", "PreCompact")
    assert subjects({"event.type": "compaction/start"}, found.row, found.vendor) == ("auto",)


def test_an_event_without_a_tool_is_shown_as_it_is() -> None:
    values = {"prompt.text": "hi"}
    assert view(values, way("claude", "PreToolUse").vendor) is values


@pytest.mark.parametrize(
    ("found", "values", "expected"),
    [
        (way("claude", "SessionStart"), {"session.source": "resume"}, ("resume",)),
        (way("claude", "SessionStart"), {}, ("",)),
        (way("claude", "SessionStart"), {"session.source": None}, ("",)),
        (way("claude", "UserPromptSubmit"), {"prompt.text": "hi"}, ()),
        (way("claude", "StopFailure"), {"event.data": {"error_code": "UNKNOWN"}}, ("unknown",)),
        (way("claude", "StopFailure"), {"event.data": {"error_code": 7}}, ("7",)),
        (way("copilot", "notification"), {"event.type": "approval/asked"}, ("permission_prompt",)),
    ],
)
def test_the_subject_of_an_event_is_the_value_that_the_vendor_knows(
    found: Way, values: dict[str, object], expected: tuple[str, ...]
) -> None:
    assert tuple(subjects(values, found.row, found.vendor)) == expected


# a bridge tells a constant where the host knows a value, and says so as a loss of its own
SUBJECT_TOLD = [
    found
    for found in WAYS
    if found.row.subject not in (None, "tool.name")
    and any(field.path == found.row.subject for field in found.plan.payload.values())
]


@pytest.mark.parametrize("found", SUBJECT_TOLD, ids=lambda found: f"{found.vendor.name}-{found.spelling}")
@given(value=st.sampled_from(["startup", "INVALID_REQUEST", "approval/asked", "x"]))
def test_a_matcher_is_tried_on_the_value_that_the_hook_reads(found: Way, value: str) -> None:
    subject = str(found.row.subject)
    payload = build({subject: value}, found.vendor, found.row, found.plan, found.spelling)
    assert subjects({subject: value}, found.row, found.vendor)[0] in payload.values()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a", {"b": {"c": 1}}),
        ("a.b", {"c": 1}),
        ("a.b.c", 1),
        ("a.b.c.d", MISSING),
        ("a.x", MISSING),
        ("x", MISSING),
        ("x.y", MISSING),
        ("flat.path", 2),
        ("flat.path.x", MISSING),
        ("", MISSING),
    ],
)
def test_a_path_finds_a_flat_value_or_one_inside_an_object(path: str, value: object) -> None:
    assert lookup({"a": {"b": {"c": 1}}, "flat.path": 2}, path) == value


@pytest.mark.parametrize(
    ("when", "values", "expected"),
    [
        ({}, {}, True),
        ({"a": ("x",)}, {"a": "x"}, True),
        ({"a": ("x",)}, {"a": "y"}, False),
        ({"a": ("x",)}, {}, False),
        ({"a": ("x", "y")}, {"a": "y"}, True),
        ({"a": ("x",), "b": ("y",)}, {"a": "x"}, False),
        ({"a": (False,)}, {"a": False}, True),
        ({"a": (False,)}, {"a": 0}, False),
        ({"a": (False,)}, {}, False),
        ({"a": (1,)}, {"a": 1}, True),
        ({"a": ("~^mcp__",)}, {"a": "mcp__x"}, True),
        ({"a": ("~^mcp__",)}, {"a": 5}, False),
        ({"a": ("!x",)}, {"a": "y"}, True),
        ({"a": ("!x",)}, {"a": "x"}, False),
        ({"a": ("!x",)}, {}, True),
        ({"a.b": ("x",)}, {"a": {"b": "x"}}, True),
    ],
)
def test_an_event_is_meant_when_each_condition_holds(*, when: When, values: dict[str, object], expected: bool) -> None:
    assert applies(values, when) is expected


@given(values=st.dictionaries(st.sampled_from(["tool.host_name", "tool.host_arguments", "event.data"]), json_values))
def test_any_values_have_a_view_and_subjects_for_every_row(values: dict[str, Any]) -> None:
    for found in WAYS:
        assert all(isinstance(name, str) for name in subjects(values, found.row, found.vendor))
        assert applies(values, found.plan.when) in (True, False)


@given(found=ways, name=texts, arguments=json_objects)
def test_arguments_keep_their_number_and_order_in_every_view(found: Way, name: str, arguments: dict[str, Any]) -> None:
    shown = view({"tool.host_name": name, "tool.host_arguments": arguments}, found.vendor)["tool.arguments"]
    assert isinstance(shown, dict)
    assert list(shown.values()) == list(arguments.values())


@given(values=json_objects, path=texts)
def test_any_path_is_looked_up_without_an_error(values: dict[str, Any], path: str) -> None:
    lookup(values, path)
