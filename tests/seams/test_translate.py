"""`seams.translate`: an outcome becomes the typed decision of a seam, and an allow pre-approves nothing."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.catalog.surface import DecisionKind
from dsh_compat_adapter.events import Effect
from dsh_compat_adapter.hooks.fold import NO_REASON, fold, restrict
from dsh_compat_adapter.hooks.outcome import Answer, Outcome, Rank
from dsh_compat_adapter.seams.decisions import (
    AcceptResult,
    AllowOnce,
    AllowPrompt,
    AllowTool,
    ApprovalDecision,
    AskTool,
    BlockPrompt,
    BlockResult,
    ContinuationDecision,
    ContinueTurn,
    Decision,
    DenyTool,
    Notify,
    PostToolDecision,
    PreToolDecision,
    PromptDecision,
    Reject,
    StopTurn,
    Unavailable,
)
from dsh_compat_adapter.seams.translate import ASKS, STOPS, translate
from tests.strategies import Way, answers, outcomes, ways

UNIONS: dict[DecisionKind | None, tuple[type, ...]] = {
    None: (Notify,),
    "session-start": (Notify,),
    "prompt": get_args(PromptDecision),
    "pre-tool": get_args(PreToolDecision),
    "post-tool": get_args(PostToolDecision),
    "continuation": get_args(ContinuationDecision),
    "approval": get_args(ApprovalDecision),
}
REFUSING = (BlockPrompt, DenyTool, BlockResult, ContinueTurn, Reject)
kinds = st.sampled_from(list(UNIONS))

DENY = Outcome(decision=Rank.DENY, reason="no")
ASK = Outcome(decision=Rank.ASK, reason="sure?")
ALLOW = Outcome(decision=Rank.ALLOW, reason="fine")
STOP = Outcome(stop=True, stop_reason="enough")


@pytest.mark.parametrize(
    ("kind", "outcome", "decision"),
    [
        (None, DENY, Notify()),
        ("session-start", DENY, Notify()),
        ("prompt", Outcome(), AllowPrompt()),
        ("prompt", ALLOW, AllowPrompt()),
        ("prompt", DENY, BlockPrompt(reason="no")),
        ("prompt", STOP, BlockPrompt(reason="enough")),
        ("prompt", Outcome(rewrites={Effect.REWRITE_PROMPT: "new"}), AllowPrompt(text="new")),
        ("pre-tool", Outcome(), AllowTool()),
        ("pre-tool", ALLOW, AllowTool()),
        ("pre-tool", ASK, AskTool(reason="sure?")),
        ("pre-tool", Outcome(decision=Rank.ASK), AskTool(reason=ASKS)),
        ("pre-tool", DENY, DenyTool(reason="no")),
        ("pre-tool", Outcome(decision=Rank.DENY), DenyTool(reason=NO_REASON)),
        ("pre-tool", STOP, DenyTool(reason="enough")),
        ("pre-tool", Outcome(stop=True), DenyTool(reason=STOPS)),
        ("pre-tool", Outcome(decision=Rank.ASK, stop=True), DenyTool(reason=STOPS)),
        ("pre-tool", Outcome(decision=Rank.DENY, reason="no", stop=True, stop_reason="enough"), DenyTool(reason="no")),
        ("post-tool", Outcome(), AcceptResult()),
        ("post-tool", Outcome(feedback="no"), BlockResult(reason="no")),
        ("post-tool", Outcome(rewrites={Effect.REWRITE_OUTPUT: "new"}), AcceptResult(text="new")),
        ("post-tool", Outcome(rewrites={Effect.REWRITE_OUTPUT: ""}), AcceptResult(text="")),
        ("post-tool", Outcome(rewrites={Effect.REWRITE_OUTPUT: {"textResultForLlm": "t"}}), AcceptResult(text="t")),
        ("post-tool", Outcome(rewrites={Effect.REWRITE_OUTPUT: {"text": "t"}}), AcceptResult(text="t")),
        ("post-tool", Outcome(rewrites={Effect.REWRITE_OUTPUT: {"text": 5}}), AcceptResult()),
        ("continuation", Outcome(), StopTurn()),
        ("continuation", ASK, StopTurn()),
        ("continuation", DENY, ContinueTurn(reason="no")),
        ("continuation", Outcome(decision=Rank.DENY), ContinueTurn(reason=NO_REASON)),
        ("continuation", STOP, StopTurn()),
        ("approval", Outcome(), Unavailable()),
        ("approval", ALLOW, AllowOnce()),
        ("approval", ASK, Unavailable()),
        ("approval", DENY, Reject(reason="no")),
        ("approval", Outcome(decision=Rank.ALLOW, stop=True, stop_reason="enough"), Reject(reason="enough")),
    ],
)
def test_an_outcome_becomes_the_decision_of_its_seam(
    kind: DecisionKind | None, outcome: Outcome, decision: Decision
) -> None:
    assert translate(outcome, kind) == decision


@given(outcome=outcomes, kind=kinds)
def test_any_outcome_becomes_a_decision_of_the_seams_own_union_with_all_contexts(
    outcome: Outcome, kind: DecisionKind | None
) -> None:
    decision = translate(outcome, kind)
    assert isinstance(decision, UNIONS[kind])
    assert decision.contexts == outcome.contexts


@given(outcome=outcomes, kind=kinds)
def test_a_refusal_always_has_a_reason(outcome: Outcome, kind: DecisionKind | None) -> None:
    decision = translate(outcome, kind)
    if isinstance(decision, REFUSING):
        assert decision.reason.strip()


@given(said=st.lists(answers, max_size=3), found=ways, kind=st.sampled_from(["prompt", "pre-tool", "approval"]))
def test_a_refusal_that_the_route_carries_reaches_the_host_whatever_else_was_said(
    said: list[Answer], found: Way, kind: DecisionKind
) -> None:
    outcome = restrict(fold(said), found.plan, can_ask=False)
    if outcome.decision is Rank.DENY:
        assert isinstance(translate(outcome, kind), REFUSING)
    if outcome.decision is Rank.ASK:
        assert not isinstance(translate(outcome, kind), AllowOnce)
