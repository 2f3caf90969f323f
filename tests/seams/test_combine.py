"""`seams.combine`: one decision of several listeners of one seam."""

import itertools
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.catalog.surface import DecisionKind
from dsh_compat_adapter.hooks.outcome import Outcome
from dsh_compat_adapter.seams.combine import STRICTNESS, combine
from dsh_compat_adapter.seams.decisions import (
    AcceptResult,
    AllowOnce,
    AllowPrompt,
    AllowTool,
    AskTool,
    BlockPrompt,
    BlockResult,
    ContinueTurn,
    Decision,
    DenyTool,
    Notify,
    Reject,
    StopTurn,
    Unavailable,
)
from dsh_compat_adapter.seams.translate import translate
from tests.strategies import outcomes

KINDS: list[DecisionKind | None] = [None, "prompt", "pre-tool", "post-tool", "continuation", "approval"]


@pytest.mark.parametrize(
    ("milder", "stricter"),
    [
        (AllowPrompt(), BlockPrompt(reason="no")),
        (AllowPrompt(text="new"), BlockPrompt(reason="no")),
        (AllowTool(), AskTool(reason="sure?")),
        (AskTool(reason="sure?"), DenyTool(reason="no")),
        (AllowTool(), DenyTool(reason="no")),
        (AcceptResult(text="new"), BlockResult(reason="no")),
        (StopTurn(), ContinueTurn(reason="go on")),
        (Unavailable(), AllowOnce()),
        (AllowOnce(), Reject(reason="no")),
        (Unavailable(), Reject(reason="no")),
    ],
)
def test_the_stricter_of_two_decisions_counts_in_either_order(milder: Decision, stricter: Decision) -> None:
    """B16: an allow of one listener never undoes a deny of another."""
    assert combine([milder, stricter]) == stricter
    assert combine([stricter, milder]) == stricter


@pytest.mark.parametrize("rewrite", [AllowPrompt(text="new"), AcceptResult(text="new")])
def test_a_listener_that_decides_nothing_hides_no_rewrite(rewrite: Decision) -> None:
    assert combine([Notify(), rewrite]) == combine([rewrite, Notify()]) == rewrite


def test_of_equally_strict_decisions_the_first_counts() -> None:
    assert combine([DenyTool(reason="a"), AllowTool(), DenyTool(reason="b")]) == DenyTool(reason="a")


@pytest.mark.parametrize("kind", [AcceptResult, AllowPrompt])
def test_of_several_rewrites_the_last_counts_and_silence_erases_none(kind: type[AcceptResult | AllowPrompt]) -> None:
    """B22, B47 of two listeners: the order is stated, and an empty answer undoes nothing."""
    decisions: list[Decision] = [kind(text="a"), kind(), kind(text="b"), kind()]
    assert combine(decisions) == kind(text="b")
    decisions = [kind(), kind(text="")]
    assert combine(decisions) == kind(text="")


def test_every_context_is_kept_in_order_whoever_decides() -> None:
    decisions: list[Decision] = [
        AllowTool(contexts=("a",)),
        DenyTool(reason="no", contexts=("b",)),
        AskTool(reason="?", contexts=("c",)),
    ]
    assert combine(decisions) == DenyTool(reason="no", contexts=("a", "b", "c"))
    rewriting = [AllowPrompt(text="new", contexts=("a",)), AllowPrompt(contexts=("b",))]
    assert combine(rewriting) == AllowPrompt(text="new", contexts=("a", "b"))


def test_no_listener_means_that_nothing_is_decided() -> None:
    assert combine([]) == Notify()


def test_one_decision_is_itself() -> None:
    for decision in (Notify(contexts=("a",), source="s"), DenyTool(reason="no"), AcceptResult(text="t")):
        assert combine([decision]) == decision


def test_every_decision_has_a_strictness() -> None:
    assert set(STRICTNESS) == set(get_args(Decision))


@given(
    all_outcomes=st.lists(outcomes, min_size=1, max_size=3),
    kind=st.sampled_from(KINDS),
)
def test_the_result_is_a_decision_of_the_seam_and_the_strictest_in_every_order(
    all_outcomes: list[Outcome], kind: DecisionKind | None
) -> None:
    decisions = [translate(outcome, kind) for outcome in all_outcomes]
    strictest = max(STRICTNESS[type(decision)] for decision in decisions)
    for order in itertools.permutations(decisions):
        combined = combine(order)
        assert STRICTNESS[type(combined)] == strictest
        assert replace(combined, contexts=()) in [replace(decision, contexts=()) for decision in decisions]
