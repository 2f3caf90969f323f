"""`hosts.dsh.wire`: decisions as the connector reads them."""

from typing import get_args

import pytest

from dsh_compat_adapter.hosts.dsh.wire import TYPES, answer
from dsh_compat_adapter.seams.decisions import (
    AcceptResult,
    AllowTool,
    AskTool,
    ContinueTurn,
    Decision,
    DenyTool,
    Notify,
)
from tests.checkout import PACKAGE

CONNECTOR = (PACKAGE / "hosts/dsh/connector.mjs").read_text(encoding="utf-8")
# the connector answers these with what it does when nobody says anything
SILENT = {"notify", "allow-prompt", "allow-tool", "stop-turn", "unavailable"}


def test_every_decision_has_a_type() -> None:
    assert set(TYPES) == set(get_args(Decision))


@pytest.mark.parametrize("name", sorted(set(TYPES.values()) - SILENT))
def test_the_connector_knows_every_decision_that_changes_something(name: str) -> None:
    assert f"'{name}'" in CONNECTOR or f" {name}: '" in CONNECTOR


def test_the_strictest_decision_counts_and_every_context_keeps_its_source() -> None:
    rules = Notify(contexts=("rule",), source="compat-adapter-rules")
    assert answer([AllowTool(contexts=("a",)), DenyTool(reason="no", contexts=("b",)), AskTool(reason="sure?")]) == {
        "ok": True,
        "decision": {"type": "deny-tool", "reason": "no"},
        "messages": [{"text": "a", "source": "compat-adapter"}, {"text": "b", "source": "compat-adapter"}],
    }
    assert answer([rules, Notify(contexts=("c",))])["messages"] == [
        {"text": "rule", "source": "compat-adapter-rules"},
        {"text": "c", "source": "compat-adapter"},
    ]


@pytest.mark.parametrize(
    ("decision", "written"),
    [
        (ContinueTurn(reason="go on"), {"type": "continue-turn", "reason": "go on"}),
        (AcceptResult(text=""), {"type": "accept-result", "text": ""}),
        (AcceptResult(), {"type": "accept-result"}),
    ],
)
def test_a_member_stands_where_it_says_something(decision: Decision, written: dict[str, object]) -> None:
    assert answer([decision])["decision"] == written


def test_nobody_listening_is_no_decision() -> None:
    assert answer([]) == {"ok": True, "decision": {"type": "notify"}, "messages": []}
