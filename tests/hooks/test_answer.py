"""`hooks.answer`: one JSON document read in the grammar of each vendor.

Ids such as B08 name the report in `cases.md` that a test stands for.
"""

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dsh_compat_adapter.events import Effect
from dsh_compat_adapter.hooks.answer import read_answer
from dsh_compat_adapter.hooks.outcome import Answer, FailureKind, Rank
from tests.strategies import VENDORS, Way, documents, json_objects, json_values, way, ways

DIALECTS = {vendor.name: vendor.dialect.decision for vendor in VENDORS}
NESTED = [name for name, dialect in DIALECTS.items() if dialect.grammar == "nested"]
TOP_LEVEL = [name for name, dialect in DIALECTS.items() if dialect.grammar == "top-level"]
TOLERANT = [name for name, dialect in DIALECTS.items() if dialect.unknown_keys == "ignored"]
EVENT = "PreToolUse"
every_dialect = pytest.mark.parametrize("dialect", DIALECTS)


def read(dialect: str, document: dict[str, Any], event: str = EVENT) -> Answer:
    return read_answer(document, DIALECTS[dialect], event)


def nested(event: str | None = EVENT, **members: object) -> dict[str, Any]:
    return {"hookSpecificOutput": {**({"hookEventName": event} if event else {}), **members}}


def codes(answer: Answer) -> set[str]:
    return {problem.code for problem in answer.problems}


class TestDecisions:
    @every_dialect
    @pytest.mark.parametrize(
        ("word", "rank"), [("deny", Rank.DENY), ("ask", Rank.ASK), ("defer", Rank.ASK), ("allow", Rank.ALLOW)]
    )
    def test_the_structured_decision_is_read_with_its_reason(self, dialect: str, word: str, rank: Rank) -> None:
        answer = read(dialect, nested(permissionDecision=word, permissionDecisionReason="why"))
        assert (answer.decision, answer.reason, answer.failure) == (rank, "why", None)

    @every_dialect
    @pytest.mark.parametrize(
        ("word", "rank"),
        [("block", Rank.DENY), ("deny", Rank.DENY), ("approve", Rank.ALLOW), ("allow", Rank.ALLOW)],
    )
    def test_the_older_decision_at_top_level_is_read_with_its_reason(self, dialect: str, word: str, rank: Rank) -> None:
        answer = read(dialect, {"decision": word, "reason": "why"})
        assert (answer.decision, answer.reason) == (rank, "why")

    @every_dialect
    def test_the_structured_decision_overrides_the_older_one(self, dialect: str) -> None:
        """Seed 000: 结构化决策（覆盖顶层 `decision`）."""
        answer = read(dialect, {"decision": "approve", "reason": "old"} | nested(permissionDecision="deny"))
        assert (answer.decision, answer.reason) == (Rank.DENY, None)
        answer = read(dialect, {"decision": "block", "reason": "old"} | nested(permissionDecision="allow"))
        assert answer.decision is Rank.ALLOW

    @every_dialect
    @pytest.mark.parametrize(("word", "rank"), [("deny", Rank.DENY), ("allow", Rank.ALLOW)])
    def test_the_answer_to_a_permission_request_is_read_with_its_message(
        self, dialect: str, word: str, rank: Rank
    ) -> None:
        answer = read(dialect, nested(decision={"behavior": word, "message": "why"}))
        assert (answer.decision, answer.reason) == (rank, "why")

    @every_dialect
    @pytest.mark.parametrize("word", ["DENY", "Deny ", "block", "none", "", 5, True, ["deny"], {"a": 1}], ids=str)
    def test_a_decision_outside_the_list_is_void_and_said(self, dialect: str, word: object) -> None:
        answer = read(dialect, nested(permissionDecision=word))
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)
        assert codes(answer) == {"answer-unknown-decision"}
        assert "permissionDecision" in answer.problems[0].text

    @every_dialect
    def test_beside_a_decision_that_is_not_understood_an_allow_is_not_taken_and_a_deny_is(self, dialect: str) -> None:
        unclear = nested(permissionDecision="refuse")
        assert read(dialect, unclear | {"decision": "approve"}).decision is Rank.NONE
        assert read(dialect, unclear | {"decision": "approve"}).failure is FailureKind.ANSWER
        assert read(dialect, unclear | {"decision": "block"}).decision is Rank.DENY

    @every_dialect
    def test_an_empty_answer_says_nothing(self, dialect: str) -> None:
        assert read(dialect, {}) == Answer()

    @every_dialect
    def test_null_members_are_absent_members(self, dialect: str) -> None:
        document = dict.fromkeys(["decision", "reason", "continue", "hookSpecificOutput", "systemMessage"])
        assert read(dialect, document) == Answer()

    def test_a_reason_that_the_vendor_demands_is_said_to_be_missing_and_the_denial_stands(self) -> None:
        answer = read("codex", nested(permissionDecision="deny"))
        assert (answer.decision, codes(answer)) == (Rank.DENY, {"deny-without-reason"})
        assert read("codex", nested(permissionDecision="deny", permissionDecisionReason="no")).problems == ()

    @pytest.mark.parametrize(("word", "rank"), [("ask", Rank.ASK), ("allow", Rank.ALLOW)])
    def test_what_codex_itself_refuses_keeps_its_meaning_and_never_becomes_an_allow(
        self, word: str, rank: Rank
    ) -> None:
        """B11: an ask stays an ask, an allow stays an opinion that grants nothing before a tool."""
        assert read("codex", nested(permissionDecision=word)).decision is rank


class TestLevels:
    @pytest.mark.parametrize("dialect", NESTED)
    def test_a_denial_at_top_level_is_said_to_stand_at_the_wrong_level_where_decisions_are_nested(
        self, dialect: str
    ) -> None:
        """B08."""
        answer = read(dialect, {"permissionDecision": "deny", "permissionDecisionReason": "no"})
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)
        assert "decision-misplaced" in codes(answer)

    @pytest.mark.parametrize("dialect", TOP_LEVEL)
    def test_the_same_text_is_a_denial_where_decisions_stand_at_top_level(self, dialect: str) -> None:
        """B08."""
        answer = read(dialect, {"permissionDecision": "deny", "permissionDecisionReason": "no"})
        assert (answer.decision, answer.reason, answer.problems) == (Rank.DENY, "no", ())

    @pytest.mark.parametrize("dialect", TOP_LEVEL)
    def test_a_permission_answer_at_top_level_is_read_there(self, dialect: str) -> None:
        answer = read(dialect, {"behavior": "deny", "message": "no"})
        assert (answer.decision, answer.reason) == (Rank.DENY, "no")

    @pytest.mark.parametrize("dialect", NESTED)
    @pytest.mark.parametrize(
        "document",
        [{"behavior": "deny", "message": "no"}, {"decision": {"behavior": "deny", "message": "no"}}],
        ids=["behavior", "decision-object"],
    )
    def test_a_permission_answer_at_top_level_is_not_lost_without_a_word_where_it_is_nested(
        self, dialect: str, document: dict[str, Any]
    ) -> None:
        answer = read(dialect, document)
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)
        assert "decision-misplaced" in codes(answer)

    @every_dialect
    def test_a_nested_decision_that_is_no_object_is_said(self, dialect: str) -> None:
        answer = read(dialect, nested(decision="deny"))
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)
        assert codes(answer) == {"answer-wrong-type"}

    @pytest.mark.parametrize("dialect", [name for name, d in DIALECTS.items() if d.wrong_event_name == "drops"])
    def test_a_block_for_another_event_is_dropped_and_the_rest_counts(self, dialect: str) -> None:
        """Seed 000: 与触发事件不符时丢弃整个 `hookSpecificOutput`（顶层字段仍生效）."""
        answer = read(
            dialect, nested("Stop", permissionDecision="deny", additionalContext="c") | {"systemMessage": "m"}
        )
        assert (answer.decision, answer.contexts, answer.message) == (Rank.NONE, (), "m")
        assert answer.failure is FailureKind.ANSWER
        assert "'Stop'" in answer.problems[0].text
        assert "held a decision" in answer.problems[0].text
        assert repr(EVENT) in answer.problems[0].text
        answer = read(dialect, nested("Stop", permissionDecision="allow") | {"decision": "block", "reason": "no"})
        assert (answer.decision, answer.reason) == (Rank.DENY, "no")

    @pytest.mark.parametrize("dialect", [name for name, d in DIALECTS.items() if d.wrong_event_name == "accepted"])
    def test_a_block_for_another_event_counts_where_the_vendor_does_not_compare_the_name(self, dialect: str) -> None:
        assert read(dialect, nested("Stop", permissionDecision="deny")).decision is Rank.DENY

    @every_dialect
    def test_a_block_without_an_event_name_counts_or_is_dropped_as_at_the_vendor(self, dialect: str) -> None:
        answer = read(dialect, nested(None, permissionDecision="deny"))
        if DIALECTS[dialect].missing_event_name == "accepted":
            assert answer.decision is Rank.DENY
        else:
            assert (answer.decision, codes(answer)) == (Rank.NONE, {"decision-dropped"})
            assert "has no hookEventName" in answer.problems[0].text


class TestUnknownKeys:
    @pytest.mark.parametrize("dialect", TOLERANT)
    def test_an_unknown_key_is_tolerated_and_remembered(self, dialect: str) -> None:
        """B10, the claude dialect; it becomes a run-time loss where a row names it."""
        answer = read(dialect, nested(permissionDecision="deny", permissionDecisionReason="no", x=1) | {"y": 2})
        assert (answer.decision, answer.problems) == (Rank.DENY, ())
        assert answer.fields >= {"x", "y"}

    @pytest.mark.parametrize("where", ["inside", "outside"])
    def test_an_unknown_key_voids_a_codex_answer_and_the_lost_denial_is_named(self, where: str) -> None:
        """B10, the codex dialect."""
        document = nested(permissionDecision="deny", permissionDecisionReason="no")
        (document["hookSpecificOutput"] if where == "inside" else document)["x"] = 1
        answer = read("codex", document)
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)
        assert codes(answer) == {"answer-unknown-key"}
        assert "the key x" in answer.problems[0].text
        assert "its deny is lost" in answer.problems[0].text

    @pytest.mark.parametrize(
        ("found", "key"),
        [
            (way("claude", "PermissionRequest"), "updatedPermissions"),
            (way("claude", "SessionStart", native=True), "watchPaths"),
        ],
        ids=["permission", "session"],
    )
    def test_a_field_of_which_a_row_lists_the_loss_is_remembered(self, found: Way, key: str) -> None:
        answer = read_answer(nested(found.spelling, **{key: ["x"]}), found.decision, found.spelling)
        assert key in answer.fields

    @every_dialect
    def test_the_members_of_a_nested_decision_are_remembered_as_well(self, dialect: str) -> None:
        answer = read(dialect, nested(decision={"behavior": "deny", "message": "no", "interrupt": True}))
        if DIALECTS[dialect].unknown_keys == "void":
            assert (answer.decision, codes(answer)) == (Rank.NONE, {"answer-unknown-key"})
        else:
            assert answer.decision is Rank.DENY
            assert answer.fields >= {"message", "interrupt"}


class TestOtherMembers:
    @every_dialect
    def test_contexts_messages_and_suppression_are_read(self, dialect: str) -> None:
        document = nested(additionalContext="inner") | {"systemMessage": "m", "suppressOutput": True}
        answer = read(dialect, document)
        assert (answer.contexts, answer.message, answer.suppress) == (("inner",), "m", True)

    @pytest.mark.parametrize("dialect", [name for name, d in DIALECTS.items() if d.context_place == "either"])
    def test_context_at_both_levels_is_kept_in_order_and_once(self, dialect: str) -> None:
        assert read(dialect, nested(additionalContext="a") | {"additionalContext": "b"}).contexts == ("a", "b")
        assert read(dialect, nested(additionalContext="a") | {"additionalContext": "a"}).contexts == ("a",)

    def test_context_where_the_vendor_does_not_read_it_is_dropped_and_said(self) -> None:
        answer = read("claude", nested(additionalContext="a") | {"additionalContext": "b"})
        assert (answer.contexts, codes(answer), answer.failure) == (("a",), {"context-misplaced"}, None)
        outer = DIALECTS["copilot"]._replace(context_place="outer")
        answer = read_answer(nested(additionalContext="a") | {"additionalContext": "b"}, outer, EVENT)
        assert (answer.contexts, codes(answer)) == (("b",), {"context-misplaced"})

    def test_context_where_the_vendor_does_not_read_it_voids_the_answer_where_any_unknown_key_does(self) -> None:
        answer = read("codex", nested(permissionDecision="deny") | {"additionalContext": "b"})
        assert (answer.decision, answer.contexts, answer.failure) == (Rank.NONE, (), FailureKind.ANSWER)
        assert "its deny is lost" in answer.problems[-1].text

    @pytest.mark.parametrize("dialect", [name for name, d in DIALECTS.items() if d.continue_false == "stop"])
    def test_continue_false_asks_for_a_stop(self, dialect: str) -> None:
        answer = read(dialect, {"continue": False, "stopReason": "enough"})
        assert (answer.decision, answer.stop, answer.stop_reason) == (Rank.NONE, True, "enough")
        assert not read(dialect, {"continue": True, "stopReason": "enough"}).stop

    @pytest.mark.parametrize(
        ("document", "reason"),
        [
            ({"continue": False, "stopReason": "s", "reason": "r"}, "s"),
            ({"continue": False, "reason": "r"}, "r"),
            ({"continue": False}, None),
            ({"continue": False, "decision": "block", "reason": "r", "stopReason": "s"}, "r"),
            ({"continue": False, "decision": "approve", "reason": "fine", "stopReason": "s"}, "s"),
        ],
    )
    def test_continue_false_is_a_denial_in_workbuddy(self, document: dict[str, Any], reason: str | None) -> None:
        answer = read("workbuddy", document)
        assert (answer.decision, answer.reason, answer.stop) == (Rank.DENY, reason, False)

    @every_dialect
    @pytest.mark.parametrize(
        ("key", "value"),
        [
            ("systemMessage", 5),
            ("systemMessage", ["m"]),
            ("continue", "false"),
            ("continue", 0),
            ("suppressOutput", "yes"),
            ("reason", 1.5),
            ("hookSpecificOutput", "deny"),
            ("hookSpecificOutput", []),
        ],
    )
    def test_a_member_of_a_wrong_type_is_void_and_named_with_the_type_found(
        self, dialect: str, key: str, value: object
    ) -> None:
        answer = read(dialect, {key: value})
        assert (answer.decision, answer.stop, answer.failure) == (Rank.NONE, False, FailureKind.ANSWER)
        assert [problem.code for problem in answer.problems] == ["answer-wrong-type"]
        assert key in answer.problems[0].text
        assert type(value).__name__ in answer.problems[0].text

    @every_dialect
    def test_a_context_that_is_no_text_is_void_and_said(self, dialect: str) -> None:
        answer = read(dialect, nested(additionalContext={"text": "c"}))
        assert (answer.contexts, answer.failure, codes(answer)) == ((), FailureKind.ANSWER, {"answer-wrong-type"})

    @every_dialect
    def test_a_wrong_type_beside_a_decision_does_not_undo_it(self, dialect: str) -> None:
        answer = read(dialect, nested(permissionDecision="deny", permissionDecisionReason=5))
        assert (answer.decision, answer.reason, answer.failure) == (Rank.DENY, None, None)
        assert "answer-wrong-type" in codes(answer)


class TestAtOneEvent:
    """What an answer means may be another at one event; the rows say so."""

    @pytest.mark.parametrize(
        ("found", "said"),
        [
            (way("claude", "PostToolUse", native=True), "decision-misplaced"),
            (way("claude", "Stop", native=True), "decision-misplaced"),
            (way("codex", "PostToolUse", native=True), "answer-unknown-key"),
        ],
        ids=lambda value: value if isinstance(value, str) else value.spelling,
    )
    def test_a_permission_decision_where_no_permission_is_asked_for_decides_nothing_and_is_said(
        self, found: Way, said: str
    ) -> None:
        document = nested(found.spelling, permissionDecision="deny", permissionDecisionReason="no")
        answer = read_answer(document, found.decision, found.spelling)
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)
        assert said in codes(answer)

    def test_a_block_beside_such_a_permission_decision_still_blocks(self) -> None:
        found = way("claude", "Stop", native=True)
        document = nested(found.spelling, permissionDecision="allow") | {"decision": "block", "reason": "no"}
        answer = read_answer(document, found.decision, found.spelling)
        assert (answer.decision, answer.reason) == (Rank.DENY, "no")

    def test_a_block_without_the_reason_that_the_vendor_needs_is_void_where_it_holds_nothing_up(self) -> None:
        stop, tool = way("codex", "Stop", native=True), way("codex", "PreToolUse", native=True)
        answer = read_answer({"decision": "block"}, stop.decision, stop.spelling)
        assert (answer.decision, answer.failure, codes(answer)) == (
            Rank.NONE,
            FailureKind.ANSWER,
            {"deny-without-reason"},
        )
        answer = read_answer({"decision": "block"}, tool.decision, tool.spelling)
        assert (answer.decision, answer.failure, codes(answer)) == (Rank.DENY, None, {"deny-without-reason"})

    def test_continue_false_is_feedback_after_a_tool_in_codex_and_a_stop_elsewhere(self) -> None:
        document = {"continue": False, "stopReason": "look"}
        after, prompt = way("codex", "PostToolUse", native=True), way("codex", "UserPromptSubmit", native=True)
        answer = read_answer(document, after.decision, after.spelling)
        assert (answer.decision, answer.reason, answer.stop) == (Rank.DENY, "look", False)
        answer = read_answer(document, prompt.decision, prompt.spelling)
        assert (answer.decision, answer.stop) == (Rank.NONE, True)


class TestRewrites:
    @pytest.mark.parametrize(
        ("found", "document", "rewrites"),
        [
            (way("claude", EVENT), nested(updatedInput={"command": "B"}), {Effect.REWRITE_INPUT: {"command": "B"}}),
            (way("claude", EVENT), nested(updatedInput={}), {Effect.REWRITE_INPUT: {}}),
            (way("claude", EVENT), {"updatedInput": {"command": "B"}}, {}),
            (
                way("claude", "PermissionRequest"),
                nested("PermissionRequest", decision={"behavior": "allow", "updatedInput": {"a": 1}}),
                {Effect.REWRITE_INPUT: {"a": 1}},
            ),
            (
                way("claude", "PostToolUse"),
                nested("PostToolUse", updatedToolOutput={"text": "t"}),
                {Effect.REWRITE_OUTPUT: {"text": "t"}},
            ),
            (way("copilot", "preToolUse"), {"modifiedArgs": {"a": 1}}, {Effect.REWRITE_INPUT: {"a": 1}}),
            (way("copilot", "PreToolUse"), nested(updatedInput={"a": 1}), {Effect.REWRITE_INPUT: {"a": 1}}),
            (
                way("copilot", "userPromptSubmitted"),
                {"modifiedPrompt": "new"},
                {Effect.REWRITE_PROMPT: "new"},
            ),
            (
                way("copilot", "postToolUse"),
                {"modifiedResult": {"textResultForLlm": "t"}},
                {Effect.REWRITE_OUTPUT: {"textResultForLlm": "t"}},
            ),
        ],
    )
    def test_a_rewrite_is_read_where_the_vendor_reads_it(
        self, found: Way, document: dict[str, Any], rewrites: dict[Effect, object]
    ) -> None:
        answer = read_answer(document, found.decision, found.spelling)
        assert answer.rewrites == rewrites
        assert answer.problems == ()

    @pytest.mark.parametrize(
        ("found", "document"),
        [
            (way("claude", EVENT), nested(updatedInput="ls")),
            (way("claude", EVENT), nested(updatedInput=["ls"])),
            (way("copilot", "preToolUse"), {"modifiedArgs": "ls"}),
            (way("copilot", "userPromptSubmitted"), {"modifiedPrompt": {"text": "new"}}),
        ],
    )
    def test_a_rewrite_of_a_wrong_type_is_void_and_said(self, found: Way, document: dict[str, Any]) -> None:
        answer = read_answer(document, found.decision, found.spelling)
        assert (answer.rewrites, answer.failure) == ({}, FailureKind.ANSWER)
        assert codes(answer) == {"answer-wrong-type"}


class TestTotal:
    """DESIGN 7: normalised before anything else sees it; everything total."""

    @given(document=documents | json_objects, found=ways)
    @settings(max_examples=150)
    @example(document={"hookSpecificOutput": {"hookEventName": {}, "decision": []}}, found=way("claude", EVENT))
    def test_any_document_is_an_answer(self, document: dict[str, Any], found: Way) -> None:
        answer = read_answer(document, found.decision, found.spelling)
        assert (answer.failure is None) or (answer.decision is Rank.NONE and answer.problems)

    @given(document=documents, found=ways, word=st.sampled_from(["deny", "ask"]))
    @settings(max_examples=150)
    def test_a_refusal_in_the_structured_place_is_kept_or_its_loss_is_said(
        self, document: dict[str, Any], found: Way, word: str
    ) -> None:
        document["hookSpecificOutput"] = nested(found.spelling, permissionDecision=word)["hookSpecificOutput"]
        answer = read_answer(document, found.decision, found.spelling)
        if answer.decision < Rank.ASK:
            void, ignored = found.decision.unknown_keys == "void", found.decision.permission_decision == "ignored"
            assert void or ignored
            assert codes(answer) & {"answer-unknown-key", "decision-misplaced", "deny-without-reason"}

    @given(document=st.dictionaries(st.text("xyz", min_size=1), json_values, max_size=4))
    def test_a_document_without_a_known_key_decides_nothing(self, document: dict[str, Any]) -> None:
        for dialect in DIALECTS:
            assert read(dialect, document).decision is Rank.NONE
