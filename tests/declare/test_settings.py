"""`declare.settings`: what settings say beside their hooks, by the data of their vendor."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.settings import environment, settings_findings, switched_off
from dsh_compat_adapter.errors import Where
from tests.projects import vendor
from tests.strategies import json_values


def place(*steps: str | int) -> Where:
    return Where("/".join(map(str, steps)))


def said(name: str, data: dict[str, object]) -> list[tuple[str, str]]:
    return [(one.code, one.where.file) for one in settings_findings(data, place, vendor(name))]


@pytest.mark.parametrize(
    ("name", "data", "where"),
    [
        ("claude", {"permissions": {"deny": ["Read(.env)"], "allow": []}}, "permissions/deny"),
        ("claude", {"sandbox": {"enabled": True}}, "sandbox"),
        ("claude", {"sandbox": {"network": {"allow": ["x"]}}}, "sandbox"),
        ("claude", {"allowManagedHooksOnly": True}, "allowManagedHooksOnly"),
        ("codex", {"approval_policy": "untrusted", "sandbox_mode": "read-only"}, "approval_policy"),
        ("opencode", {"permission": {"bash": {"*": "allow", "rm *": "deny"}}}, "permission"),
        ("workbuddy", {"permissions": {"ask": ["Bash"]}}, "permissions/ask"),
    ],
)
def test_what_restricts_the_agent_is_said_once_a_file(name: str, data: dict[str, object], where: str) -> None:
    assert said(name, data) == [("policy-not-enforced", where)]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("claude", {"permissions": {"deny": [], "allow": ["Bash"], "defaultMode": "plan"}, "model": "x"}),
        ("claude", {"sandbox": {"enabled": False, "network": {"allow": ["x"]}}}),
        ("claude", {"hooks": {}, "env": {}, "enabledPlugins": {}, "disableAllHooks": False}),
        ("codex", {"approval_policy": "never", "sandbox_mode": "danger-full-access", "notice": {}, "model": "x"}),
        ("codex", {"features": {"hooks": True, "web_search": True}}),
        ("opencode", {"permission": {"edit": "allow", "bash": {"*": "allow"}}, "plugins": []}),
        ("opencode", {"permission": "allow"}),
        ("copilot", {"version": 1, "hooks": {}}),
    ],
)
def test_settings_that_restrict_nothing_are_quiet(name: str, data: dict[str, object]) -> None:
    assert said(name, data) == []


@pytest.mark.parametrize(
    ("name", "data", "where"),
    [
        ("claude", {"permission": {}}, "permission"),
        ("claude", {"Hooks": {}}, "Hooks"),
        ("claude", {"permissions": {"denny": ["x"]}}, "permissions/denny"),
        ("codex", {"hook": {}}, "hook"),
        ("workbuddy", {"permisions": {}}, "permisions"),
        ("copilot", {"disabledAllHooks": True}, "disabledAllHooks"),
    ],
)
def test_a_key_that_is_nearly_one_is_said(name: str, data: dict[str, object], where: str) -> None:
    assert said(name, data) == [("key-misspelt", where)]


def test_the_program_of_a_notification_is_not_started() -> None:
    assert said("codex", {"notify": ["say", "done"]}) == [("program-not-started", "notify")]
    assert said("codex", {"notify": []}) == []


def test_a_feature_that_is_off_switches_hooks_off() -> None:
    assert switched_off({"features": {"hooks": False}}, vendor("codex")) == "features.hooks is false"
    assert switched_off({"features": {"hooks": True}}, vendor("codex")) is None
    assert switched_off({"features": 1}, vendor("codex")) is None


def test_variables_have_their_places() -> None:
    assert environment({"env": {"A": "1"}}, place, vendor("claude")) == {"A": Where("env/A")}
    assert environment({"env": ["A"]}, place, vendor("claude")) == {}


@given(st.dictionaries(st.sampled_from(["permissions", "sandbox", "env", "permission", "features"]), json_values))
def test_any_settings_are_read_without_an_error(data: dict[str, object]) -> None:
    for name in ("claude", "codex", "opencode"):
        assert all(one.message for one in settings_findings(data, place, vendor(name)))
        environment(data, place, vendor(name))
        switched_off(data, vendor(name))
