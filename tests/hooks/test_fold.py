"""`hooks.fold`: many answers to one outcome, and what of an outcome a route carries.

The sentences quoted are those of the hook contract (seed 000); ids such as B22 name the report in `cases.md`.
"""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.events import Effect
from dsh_compat_adapter.hooks.fold import NO_REASON, combine, fold, restrict, used_effects
from dsh_compat_adapter.hooks.outcome import Answer, FailureKind, Outcome, Problem, Rank
from tests.strategies import CATALOG, Way, answers, outcomes, way, ways

ALLOW = Answer(decision=Rank.ALLOW, reason="fine")
ASK = Answer(decision=Rank.ASK, reason="sure?")
DENY = Answer(decision=Rank.DENY, reason="no")
NOTHING = Answer()
REWRITE = Answer(decision=Rank.ALLOW, rewrites={Effect.REWRITE_INPUT: {"command": "echo B"}})

many_answers = st.lists(answers, max_size=4)
many_outcomes = st.lists(outcomes, max_size=3)


class TestFold:
    @pytest.mark.parametrize(
        ("given_answers", "decision", "reason"),
        [
            ([], Rank.NONE, None),
            ([NOTHING], Rank.NONE, None),
            ([NOTHING, ALLOW], Rank.ALLOW, "fine"),
            ([ALLOW, ASK], Rank.ASK, "sure?"),
            ([ALLOW, ASK, DENY], Rank.DENY, "no"),
        ],
        ids=["no-hook", "silent", "allow", "ask", "deny"],
    )
    def test_the_strictest_decision_wins_in_every_order(
        self, given_answers: list[Answer], decision: Rank, reason: str | None
    ) -> None:
        """决策优先级: deny > ask > allow. B16, A04, A68: a deny wins over any allow."""
        for order in itertools.permutations(given_answers):
            outcome = fold(order)
            assert (outcome.decision, outcome.reason) == (decision, reason)

    def test_the_reasons_of_the_winning_rank_are_joined_by_a_blank_line(self) -> None:
        """获胜等级的原因用空行连接."""
        again = Answer(decision=Rank.DENY, reason="never")
        assert fold([DENY, ALLOW, again, ASK]).reason == "no\n\nnever"

    def test_a_reason_that_several_hooks_give_is_said_once(self) -> None:
        assert fold([DENY, DENY]).reason == "no"

    def test_a_denial_without_a_reason_gets_a_generic_one(self) -> None:
        """无 stderr 时用默认文案. B14."""
        assert fold([Answer(decision=Rank.DENY)]).reason == NO_REASON
        assert fold([Answer(decision=Rank.DENY, reason="")]).reason == NO_REASON
        assert fold([Answer(decision=Rank.DENY), DENY]).reason == "no"

    def test_a_reason_without_a_decision_is_none_of_the_winners(self) -> None:
        assert fold([Answer(reason="the end of a session has one")]).reason is None

    def test_the_first_stop_counts_with_its_reason(self) -> None:
        """任一 `continue:false` 即停，取第一个的 `stopReason`."""
        outcome = fold([NOTHING, Answer(stop=True, stop_reason="a"), Answer(stop=True, stop_reason="b")])
        assert (outcome.stop, outcome.stop_reason) == (True, "a")
        outcome = fold([Answer(stop=True), Answer(stop=True, stop_reason="b")])
        assert (outcome.stop, outcome.stop_reason) == (True, None)

    def test_a_stop_reason_of_a_hook_that_does_not_stop_is_nobodys(self) -> None:
        assert fold([Answer(stop_reason="a"), Answer(stop=True, stop_reason="b")]).stop_reason == "b"

    def test_contexts_messages_and_problems_keep_the_order_of_the_hooks(self) -> None:
        """按执行顺序累加."""
        first = Answer(contexts=("a", "b"), message="m", problems=(Problem(code="p", text="1"),))
        second = Answer(contexts=("c",), message="n", problems=(Problem(code="q", text="2"),))
        outcome = fold([first, NOTHING, second])
        assert outcome.contexts == ("a", "b", "c")
        assert outcome.messages == ("m", "n")
        assert [problem.code for problem in outcome.problems] == ["p", "q"]

    @pytest.mark.parametrize("silent", [NOTHING, Answer(message="m"), ALLOW, DENY, ASK])
    def test_a_hook_that_rewrites_nothing_never_erases_a_rewrite(self, silent: Answer) -> None:
        """B22: in both orders the rewrite stands."""
        for order in ([silent, REWRITE], [REWRITE, silent]):
            assert fold(order).rewrites == {Effect.REWRITE_INPUT: {"command": "echo B"}}

    def test_of_two_rewrites_of_one_thing_the_last_counts(self) -> None:
        other = Answer(rewrites={Effect.REWRITE_INPUT: {"command": "echo C"}})
        assert fold([REWRITE, other]).rewrites == {Effect.REWRITE_INPUT: {"command": "echo C"}}

    def test_a_rewrite_beside_an_ask_is_kept_through_the_ask(self) -> None:
        """B24."""
        outcome = fold([REWRITE, ASK])
        assert outcome.decision is Rank.ASK
        assert outcome.rewrites == {Effect.REWRITE_INPUT: {"command": "echo B"}}

    def test_a_hook_that_failed_decides_nothing_and_its_problem_stays(self) -> None:
        failed = Answer(failure=FailureKind.TIMEOUT, problems=(Problem(code="hook-timeout", text="no answer"),))
        outcome = fold([failed, ALLOW])
        assert outcome.decision is Rank.ALLOW
        assert [problem.code for problem in outcome.problems] == ["hook-timeout"]

    @given(many_answers)
    def test_a_denial_is_never_lost(self, said: list[Answer]) -> None:
        outcome = fold(said)
        assert outcome.decision == max((answer.decision for answer in said), default=Rank.NONE)
        if outcome.decision is Rank.DENY:
            assert outcome.reason

    @given(many_answers)
    def test_what_accumulates_keeps_its_order(self, said: list[Answer]) -> None:
        outcome = fold(said)
        assert list(outcome.contexts) == [context for answer in said for context in answer.contexts]
        assert list(outcome.messages) == [answer.message for answer in said if answer.message]
        assert list(outcome.problems) == [problem for answer in said for problem in answer.problems]
        assert outcome.stop is any(answer.stop for answer in said)
        assert outcome.fields == frozenset().union(*(answer.fields for answer in said))

    @pytest.mark.parametrize(
        ("contexts", "kept"),
        [("a", "a"), ("ab", "b"), ("aP", "a"), ("Pa", "a"), ("PQ", "PQ"), ("aPb", "b"), ("", "")],
    )
    def test_where_the_last_context_counts_plain_text_counts_only_without_one(self, contexts: str, kept: str) -> None:
        """Capitals are plain text."""
        said = [Answer(contexts=(text,), plain_stdout=text.isupper()) for text in contexts]
        outcome = fold(said, last_context=True)
        assert "".join(outcome.contexts) == kept
        assert len(outcome.problems) == len(contexts) - len(kept)

    @given(many_answers, st.integers(0, 4))
    def test_an_empty_answer_anywhere_changes_nothing(self, said: list[Answer], place: int) -> None:
        assert fold([*said[:place], NOTHING, *said[place:]]) == fold(said)


PRE_TOOL = way("claude", "PreToolUse", native=True)
POST_TOOL = way("claude", "PostToolUse", native=True)
REPLACED = way("codex", "PostToolUse", native=True)
STOPPING = way("claude", "Stop", native=True)
SESSION_START = way("claude", "SessionStart", native=True)


def lost(found: Way, outcome: Outcome, *, can_ask: bool = True) -> tuple[str, ...]:
    return restrict(outcome, found.plan, can_ask=can_ask).losses


class TestRestrict:
    def test_a_denial_where_nothing_can_be_prevented_is_downgraded_and_kept_beside(self) -> None:
        """不可阻塞事件上的 deny 降级为 `none`（`outcome.downgraded = true`）."""
        outcome = restrict(fold([DENY]), way("claude", "PreCompact").plan, can_ask=True)
        assert (outcome.decision, outcome.reason, outcome.downgraded) == (Rank.NONE, None, True)
        assert (outcome.raw_decision, outcome.raw_reason) == (Rank.DENY, "no")
        assert outcome.losses == ("cannot-block",)

    def test_a_denial_after_the_fact_becomes_feedback(self) -> None:
        """dsh 的 `tools/post-execute` 把拒绝写回为结果反馈."""
        outcome = restrict(fold([DENY]), REPLACED.plan, can_ask=True)
        assert (outcome.decision, outcome.feedback, outcome.downgraded) == (Rank.NONE, "no", True)
        assert (outcome.raw_decision, outcome.raw_reason) == (Rank.DENY, "no")

    def test_a_denial_after_the_fact_is_told_beside_the_result_where_the_vendor_leaves_that(self) -> None:
        outcome = restrict(fold([Answer(contexts=("c",)), DENY]), POST_TOOL.plan, can_ask=True)
        assert (outcome.feedback, outcome.contexts, outcome.downgraded) == (None, ("c", "no"), True)
        assert restrict(fold([Answer(decision=Rank.DENY)]), POST_TOOL.plan, can_ask=True).contexts == (NO_REASON,)

    @pytest.mark.parametrize("order", [[0, 1], [1, 0]])
    def test_a_stop_takes_away_the_block_that_keeps_a_turn_going(self, order: list[int]) -> None:
        said = [DENY, Answer(stop=True, stop_reason="enough")]
        outcome = restrict(fold([said[index] for index in order]), STOPPING.plan, can_ask=True)
        assert (outcome.decision, outcome.reason, outcome.stop) == (Rank.NONE, None, True)
        assert (outcome.raw_decision, outcome.raw_reason) == (Rank.DENY, "no")

    def test_a_stop_takes_no_refusal_of_a_tool_away(self) -> None:
        outcome = restrict(fold([DENY, Answer(stop=True)]), PRE_TOOL.plan, can_ask=True)
        assert (outcome.decision, outcome.reason) == (Rank.DENY, "no")

    def test_a_denial_that_can_be_carried_is_carried(self) -> None:
        outcome = restrict(fold([DENY]), PRE_TOOL.plan, can_ask=True)
        assert (outcome.decision, outcome.reason, outcome.downgraded, outcome.losses) == (Rank.DENY, "no", False, ())

    @pytest.mark.parametrize(("can_ask", "losses"), [(True, ()), (False, ("ask-without-approval",))])
    def test_an_ask_where_nobody_can_be_asked_is_a_listed_loss(self, *, can_ask: bool, losses: tuple[str, ...]) -> None:
        outcome = restrict(fold([ASK]), PRE_TOOL.plan, can_ask=can_ask)
        assert (outcome.decision, outcome.losses) == (Rank.ASK, losses)

    def test_an_ask_that_the_route_cannot_carry_refuses_where_it_can(self) -> None:
        """B11: an ask must not become an allow."""
        outcome = restrict(fold([ASK]), way("codex", "PreToolUse").plan, can_ask=True)
        assert outcome.decision is Rank.DENY
        assert outcome.reason == "sure? (refused, since nobody can be asked here)"
        assert (outcome.raw_decision, outcome.raw_reason) == (Rank.ASK, "sure?")
        assert outcome.losses == ("ask-denied-by-bridge",)

    def test_an_ask_without_a_reason_that_refuses_says_what_it_was(self) -> None:
        outcome = restrict(fold([Answer(decision=Rank.ASK)]), way("codex", "PreToolUse").plan, can_ask=True)
        assert outcome.reason is not None
        assert "confirmation" in outcome.reason

    def test_an_ask_where_nothing_can_be_prevented_is_downgraded(self) -> None:
        outcome = restrict(fold([ASK]), SESSION_START.plan, can_ask=True)
        assert (outcome.decision, outcome.downgraded, outcome.raw_decision) == (Rank.NONE, True, Rank.ASK)

    @pytest.mark.parametrize(
        ("found", "answer", "code"),
        [
            (PRE_TOOL, Answer(rewrites={Effect.REWRITE_INPUT: {}}), "updated-input-ignored"),
            (PRE_TOOL, ALLOW, "allow-does-not-preapprove"),
            (PRE_TOOL, Answer(message="m"), "system-message-ignored"),
            (PRE_TOOL, Answer(suppress=True), "suppress-ignored"),
            (way("claude", "PreToolUse"), Answer(contexts=("c",)), "context-ignored"),
            (way("claude", "PreToolUse"), Answer(stop=True), "stop-ignored"),
            (way("claude", "SessionStart"), Answer(plain_stdout=True), "stdout-not-context"),
            (way("claude", "PostToolUse"), Answer(rewrites={Effect.REWRITE_OUTPUT: "t"}), "updated-output-ignored"),
            (way("claude", "PermissionRequest"), Answer(fields=frozenset({"updatedPermissions"})), "output-field-ignored"),
        ],
    )  # fmt: skip
    def test_what_an_answer_asks_for_and_does_not_get_is_a_loss_of_this_outcome(
        self, found: Way, answer: Answer, code: str
    ) -> None:
        assert code in lost(found, fold([answer]))
        assert code not in lost(found, fold([NOTHING]))

    def test_a_rewrite_lost_beside_an_ask_is_listed(self) -> None:
        """B24."""
        assert "updated-input-ignored" in lost(PRE_TOOL, fold([REWRITE, ASK]))

    def test_an_outcome_that_used_nothing_lost_nothing(self) -> None:
        assert lost(PRE_TOOL, fold([NOTHING])) == ()

    def test_a_loss_is_listed_once(self) -> None:
        both = Answer(fields=frozenset({"updatedPermissions", "interrupt"}))
        assert lost(way("claude", "PermissionRequest"), fold([both])).count("output-field-ignored") == 1

    def test_only_what_the_route_honours_is_left(self) -> None:
        used = Answer(
            contexts=("c",),
            stop=True,
            rewrites={Effect.REWRITE_INPUT: {}, Effect.REWRITE_OUTPUT: "t", Effect.REWRITE_PROMPT: "p"},
        )
        outcome = restrict(fold([used]), way("claude", "PreToolUse").plan, can_ask=True)
        assert (outcome.contexts, outcome.stop, outcome.rewrites) == ((), False, {})
        outcome = restrict(fold([used]), way("opencode", "tool.execute.after").plan, can_ask=True)
        assert outcome.rewrites == {Effect.REWRITE_OUTPUT: "t"}

    @given(many_answers, ways, st.booleans())
    def test_a_refusal_never_becomes_an_allow(self, said: list[Answer], found: Way, can_ask: bool) -> None:  # noqa: FBT001 - drawn
        folded = fold(said)
        outcome = restrict(folded, found.plan, can_ask=can_ask)
        if folded.decision >= Rank.ASK:
            assert outcome.decision is not Rank.ALLOW
            if outcome.decision is Rank.NONE:
                # a block keeps a turn going, and a stop ends it
                assert outcome.downgraded or (outcome.stop and found.plan.holds_turn)
                assert (outcome.raw_decision, outcome.raw_reason) == (folded.decision, folded.reason)
        else:
            assert outcome.decision is folded.decision

    @given(many_answers, ways, st.booleans())
    def test_a_refusal_that_the_route_can_carry_is_carried(self, said: list[Answer], found: Way, can_ask: bool) -> None:  # noqa: FBT001 - drawn
        outcome = restrict(fold(said), found.plan, can_ask=can_ask)
        if found.plan.can_block and any(answer.decision is Rank.DENY for answer in said):
            released = outcome.stop and found.plan.holds_turn
            assert outcome.decision is (Rank.NONE if released else Rank.DENY)
            assert outcome.raw_decision is Rank.DENY if released else outcome.reason

    def test_a_stop_at_the_end_of_a_turn_counts_over_a_block_that_would_keep_it_going(self) -> None:
        said = [Answer(decision=Rank.DENY, reason="go on"), Answer(stop=True, stop_reason="enough")]
        outcome = restrict(fold(said), way("claude", "Stop", native=True).plan, can_ask=True)
        assert (outcome.decision, outcome.stop, outcome.raw_decision) == (Rank.NONE, True, Rank.DENY)

    @given(many_answers, ways, st.booleans())
    def test_an_effect_that_is_not_carried_is_a_listed_loss_where_the_vendor_has_it(
        self, said: list[Answer], found: Way, can_ask: bool  # noqa: FBT001 - drawn
    ) -> None:  # fmt: skip
        folded = fold(said)
        outcome = restrict(folded, found.plan, can_ask=can_ask)
        triggers = {degradation.trigger: degradation.code for degradation in found.plan.degradations}
        for effect in set(used_effects(folded)) & set(triggers):
            assert triggers[effect] in outcome.losses

    @given(many_answers, ways, st.booleans())
    def test_nothing_is_left_that_the_route_does_not_honour(
        self,
        said: list[Answer],
        found: Way,
        can_ask: bool,  # noqa: FBT001 - drawn
    ) -> None:
        outcome = restrict(fold(said), found.plan, can_ask=can_ask)
        honours = found.plan.honours
        assert set(outcome.rewrites) <= honours
        assert not outcome.contexts or Effect.CONTEXT in honours
        assert not outcome.stop or Effect.STOP in honours
        assert outcome.decision is not Rank.DENY or Effect.DENY in honours
        assert outcome.decision is not Rank.ASK or Effect.ASK in honours
        assert outcome.feedback is None or Effect.FEEDBACK in honours


class TestCombine:
    def test_the_strictest_outcome_wins_and_everything_else_is_kept(self) -> None:
        allowed = Outcome(decision=Rank.ALLOW, reason="fine", contexts=("a",), losses=("x", "y"))
        denied = Outcome(decision=Rank.DENY, reason="no", contexts=("b",), losses=("y", "z"))
        outcome = combine([allowed, denied])
        assert (outcome.decision, outcome.reason) == (Rank.DENY, "no")
        assert outcome.contexts == ("a", "b")
        assert outcome.losses == ("x", "y", "z")

    def test_a_downgraded_denial_of_one_vendor_is_kept_beside_the_allow_of_another(self) -> None:
        downgraded = restrict(fold([DENY]), SESSION_START.plan, can_ask=True)
        outcome = combine([downgraded, Outcome(decision=Rank.ALLOW)])
        assert (outcome.decision, outcome.downgraded) == (Rank.ALLOW, True)
        assert (outcome.raw_decision, outcome.raw_reason) == (Rank.DENY, "no")

    def test_nothing_combined_is_nothing(self) -> None:
        assert combine([]) == Outcome()

    @given(many_outcomes)
    def test_a_denial_is_never_lost_and_order_is_kept(self, all_outcomes: list[Outcome]) -> None:
        outcome = combine(all_outcomes)
        assert outcome.decision == max((one.decision for one in all_outcomes), default=Rank.NONE)
        assert list(outcome.contexts) == [context for one in all_outcomes for context in one.contexts]
        assert list(outcome.problems) == [problem for one in all_outcomes for problem in one.problems]
        assert outcome.stop is any(one.stop for one in all_outcomes)


class TestOnTheWire:
    def test_an_outcome_has_three_members_and_more_only_where_there_is_something_to_say(self) -> None:
        assert Outcome().to_dict() == {"decision": "none", "reason": None, "stop": False}

    def test_an_empty_rewrite_is_something_to_say(self) -> None:
        outcome = Outcome(rewrites={Effect.REWRITE_INPUT: {}, Effect.REWRITE_PROMPT: ""})
        assert outcome.to_dict()["updatedInput"] == {}
        assert outcome.to_dict()["updatedPrompt"] == ""

    def test_a_downgraded_denial_shows_what_it_was(self) -> None:
        data = restrict(fold([DENY]), REPLACED.plan, can_ask=True).to_dict()
        assert data["decision"] == "none"
        assert data["downgraded"] is True
        assert (data["rawDecision"], data["rawReason"], data["feedback"]) == ("deny", "no", "no")


PLANS = {
    f"{vendor.name}-{row.event}-{plan.route}": plan
    for vendor in (*CATALOG.vendors.values(), CATALOG.native)
    for row in vendor.rows.values()
    for plan in (row.plan, row.native_plan)
    if plan is not None
}
SAID = {
    Effect.STOP: Answer(stop=True, stop_reason="enough"),
    Effect.CONTEXT: Answer(contexts=("c",)),
    Effect.REWRITE_INPUT: Answer(rewrites={Effect.REWRITE_INPUT: {}}),
    Effect.REWRITE_OUTPUT: Answer(rewrites={Effect.REWRITE_OUTPUT: "o"}),
    Effect.REWRITE_PROMPT: Answer(rewrites={Effect.REWRITE_PROMPT: "p"}),
}


@pytest.mark.parametrize("effect", SAID)
def test_what_an_answer_says_is_carried_or_is_said_to_be_lost_on_every_row(effect: Effect) -> None:
    silent = []
    for name, plan in PLANS.items():
        outcome = restrict(fold([SAID[effect]]), plan, can_ask=True)
        carried = effect in set(used_effects(outcome))
        assert carried is (effect in plan.honours)
        lost = bool(outcome.losses) or "answer-without-effect" in [problem.code for problem in outcome.problems]
        if not (carried or lost):
            silent.append(name)
    assert silent == []


def test_what_is_a_listed_loss_is_said_once() -> None:
    plan = way("claude", "PreToolUse").plan
    outcome = restrict(fold([SAID[Effect.STOP]]), plan, can_ask=True)
    assert (outcome.losses, outcome.problems) == (("stop-ignored",), ())
