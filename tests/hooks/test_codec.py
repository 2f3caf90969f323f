"""`hooks.codec`: exit code, stderr and stdout of a finished command, read as the vendor's engine reads them.

Ids such as B14 name the report in `cases.md` that a test stands for.
"""

import json

import pytest
from hypothesis import example, given, settings

from dsh_compat_adapter.events import Effect
from dsh_compat_adapter.hooks.codec import DOCUMENTS, decode
from dsh_compat_adapter.hooks.outcome import Answer, FailureKind, Rank
from dsh_compat_adapter.hooks.process import OUTPUT_LIMIT, Finished
from tests.strategies import WAYS, Way, endings, exits, way, ways

PRE_TOOL = {
    "claude": way("claude", "PreToolUse", native=True),
    "codex": way("codex", "PreToolUse", native=True),
    "copilot": way("copilot", "preToolUse"),
    "opencode": way("opencode", "tool.execute.before"),
    "workbuddy": way("workbuddy", "PreToolUse", native=True),
}
CLAUDE = PRE_TOOL["claude"]
every_vendor = pytest.mark.parametrize("vendor", PRE_TOOL)


def read(found: Way, finished: Finished) -> Answer:
    return decode(finished, found.decision, found.row, found.plan, found.spelling)


def said(
    found: Way, stdout: object = b"", *, exit_code: int = 0, stderr: bytes = b"", truncated: bool = False
) -> Answer:
    """The answer of a command that printed bytes, a text, or a JSON document."""
    if isinstance(stdout, dict):
        stdout = json.dumps(stdout)
    printed = stdout if isinstance(stdout, bytes) else str(stdout).encode()
    return read(found, Finished(exit_code=exit_code, stdout=printed, stderr=stderr, truncated=truncated))


def codes(answer: Answer) -> list[str]:
    return [problem.code for problem in answer.problems]


def told(found: Way, decision: str, **more: object) -> dict[str, object]:
    """The structured decision of the dialects that nest it."""
    return {"hookSpecificOutput": {"hookEventName": found.spelling, "permissionDecision": decision, **more}}


class TestExitCodes:
    @every_vendor
    def test_exit_0_without_output_says_nothing(self, vendor: str) -> None:
        assert said(PRE_TOOL[vendor]) == Answer()

    @every_vendor
    def test_exit_2_denies_with_stderr_as_the_reason_where_the_vendor_tells_it(self, vendor: str) -> None:
        answer = said(PRE_TOOL[vendor], exit_code=2, stderr=b"not here\n")
        reason = None if vendor == "copilot" else "not here"
        assert (answer.decision, answer.reason, answer.failure) == (Rank.DENY, reason, None)

    @every_vendor
    def test_exit_2_with_empty_stderr_still_denies(self, vendor: str) -> None:
        """B14."""
        answer = said(PRE_TOOL[vendor], exit_code=2)
        assert (answer.decision, answer.reason, answer.failure) == (Rank.DENY, None, None)

    def test_exit_2_without_stderr_is_said_where_the_vendor_lets_it_pass(self) -> None:
        assert codes(said(PRE_TOOL["codex"], exit_code=2)) == ["exit-2-without-stderr"]
        assert codes(said(PRE_TOOL["codex"], exit_code=2, stderr=b"no")) == []

    @every_vendor
    def test_exit_1_is_a_failure_that_shows_stderr_and_decides_nothing(self, vendor: str) -> None:
        """B13."""
        answer = said(PRE_TOOL[vendor], exit_code=1, stderr=b"policy violation")
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.EXIT)
        assert codes(answer) == ["hook-exit"]
        assert "exit code 1" in answer.problems[0].text
        assert "policy violation" in answer.problems[0].text

    @every_vendor
    @pytest.mark.parametrize("exit_code", [126, 127])
    def test_a_command_that_the_shell_cannot_start_is_a_failure_of_its_own_kind(
        self, vendor: str, exit_code: int
    ) -> None:
        """B17, A21: a missing file, a file without the exec bit."""
        answer = said(PRE_TOOL[vendor], exit_code=exit_code, stderr=b"sh: 1: nope: not found")
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.COMMAND)
        assert f"(exit {exit_code})" in answer.problems[0].text
        assert "nope: not found" in answer.problems[0].text

    @pytest.mark.parametrize(
        ("finished", "kind", "shown"),
        [
            (Finished(spawn_error="no such directory"), FailureKind.SPAWN, "no such directory"),
            (Finished(timed_out=True, duration_s=1.04), FailureKind.TIMEOUT, "after 1.0 s"),
            (Finished(signal=9, stderr=b"oops"), FailureKind.KILLED, "signal 9: oops"),
            (Finished(exit_code=0, stdout=b"{}", truncated=True), FailureKind.ANSWER, str(OUTPUT_LIMIT)),
        ],
        ids=["spawn", "timeout", "killed", "too-long"],
    )
    def test_a_command_that_gave_no_answer_says_how_it_failed(
        self, finished: Finished, kind: FailureKind, shown: str
    ) -> None:
        answer = read(CLAUDE, finished)
        assert (answer.decision, answer.failure) == (Rank.NONE, kind)
        assert shown in answer.problems[0].text

    def test_what_a_command_printed_before_its_time_was_up_is_no_answer(self) -> None:
        finished = Finished(timed_out=True, stdout=json.dumps(told(CLAUDE, "allow")).encode())
        assert read(CLAUDE, finished).decision is Rank.NONE

    def test_exit_2_only_warns_where_the_vendor_only_warns(self) -> None:
        answer = said(way("copilot", "agentStop"), exit_code=2, stderr=b"careful")
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.EXIT)
        assert "careful" in answer.problems[0].text

    def test_stderr_of_exit_2_is_context_where_the_vendor_takes_it_so(self) -> None:
        answer = said(way("copilot", "postToolUseFailure"), "noise", exit_code=2, stderr=b"try again")
        assert (answer.decision, answer.contexts, answer.failure) == (Rank.NONE, ("try again",), None)

    def test_an_over_long_stderr_is_shown_in_part_with_its_size(self) -> None:
        text = said(CLAUDE, exit_code=1, stderr=b"x" * 100_000).problems[0].text
        assert len(text) < 1000
        assert "(100000 characters)" in text


class TestExit2WithOutput:
    @pytest.mark.parametrize("vendor", ["claude", "copilot", "workbuddy"])
    @pytest.mark.parametrize("word", ["allow", "ask"])
    def test_an_answer_that_permits_beside_exit_2_is_overridden_and_said(self, vendor: str, word: str) -> None:
        found = PRE_TOOL[vendor]
        answer = said(found, told(found, word), exit_code=2)
        assert answer.decision is Rank.DENY
        assert codes(answer) == ["exit-2-overrides"]
        assert word in answer.problems[0].text

    @pytest.mark.parametrize("vendor", ["codex", "opencode"])
    def test_output_beside_exit_2_is_not_read_where_the_vendor_does_not(self, vendor: str) -> None:
        answer = said(PRE_TOOL[vendor], {"systemMessage": "hello"}, exit_code=2, stderr=b"no")
        assert (answer.decision, answer.reason, answer.message) == (Rank.DENY, "no", None)

    def test_context_and_message_beside_exit_2_are_kept(self) -> None:
        output = {"hookEventName": "PreToolUse", "additionalContext": "c"}
        document = {"systemMessage": "m", "hookSpecificOutput": output, "continue": False, "stopReason": "s"}
        answer = said(CLAUDE, document, exit_code=2, stderr=b"no")
        assert (answer.decision, answer.reason, answer.message, answer.contexts) == (Rank.DENY, "no", "m", ("c",))
        assert (answer.stop, answer.stop_reason) == (True, "s")

    def test_broken_json_beside_exit_2_does_not_undo_the_denial(self) -> None:
        answer = said(CLAUDE, '{"a": ', exit_code=2, stderr=b"no")
        assert (answer.decision, answer.reason, answer.failure) == (Rank.DENY, "no", None)
        assert codes(answer) == ["answer-not-json"]

    @pytest.mark.parametrize(
        ("stdout", "stderr", "reason"),
        [
            ('{"stopReason": "a", "reason": "b", "systemMessage": "c"}', b"e", "a"),
            ('{"reason": "b", "systemMessage": "c"}', b"e", "b"),
            ('{"systemMessage": "c"}', b"e", "c"),
            ("plain", b"e", "plain"),
            ("", b"e", "e"),
            ("{}", b"e", "e"),
        ],
    )
    def test_workbuddy_takes_the_reason_from_the_answer_then_stdout_then_stderr(
        self, stdout: str, stderr: bytes, reason: str
    ) -> None:
        assert said(PRE_TOOL["workbuddy"], stdout, exit_code=2, stderr=stderr).reason == reason

    @pytest.mark.parametrize(("vendor", "reason"), [("claude", "printed"), ("codex", "told"), ("workbuddy", "printed")])
    def test_a_denial_printed_beside_exit_2_gives_its_reason_where_the_engine_takes_it(
        self, vendor: str, reason: str
    ) -> None:
        document = told(PRE_TOOL[vendor], "deny", permissionDecisionReason="printed")
        assert said(PRE_TOOL[vendor], document, exit_code=2, stderr=b"told").reason == reason

    def test_the_reason_of_an_allow_beside_exit_2_is_no_reason_for_the_denial(self) -> None:
        document = told(CLAUDE, "allow", permissionDecisionReason="fine")
        assert said(CLAUDE, document, exit_code=2, stderr=b"told").reason == "told"

    def test_broken_json_beside_exit_2_is_the_text_that_it_is(self) -> None:
        answer = said(PRE_TOOL["workbuddy"], '{"decision":', exit_code=2, stderr=b"told")
        assert (answer.decision, answer.reason) == (Rank.DENY, '{"decision":')

    @pytest.mark.parametrize("exit_code", [0, 2])
    def test_copilot_denies_at_top_level_with_either_exit_code(self, exit_code: int) -> None:
        """B52."""
        answer = said(PRE_TOOL["copilot"], {"permissionDecision": "deny"}, exit_code=exit_code)
        assert answer.decision is Rank.DENY


class TestOtherExitsWithOutput:
    @pytest.mark.parametrize("vendor", ["claude", "workbuddy"])
    @pytest.mark.parametrize(("exit_code", "signal"), [(1, None), (127, None), (None, 9)])
    def test_a_denial_counts_that_was_printed_before_the_hook_failed(
        self, vendor: str, exit_code: int | None, signal: int | None
    ) -> None:
        found = PRE_TOOL[vendor]
        printed = json.dumps(told(found, "deny", permissionDecisionReason="no")).encode()
        answer = read(found, Finished(exit_code=exit_code, signal=signal, stdout=printed))
        assert (answer.decision, answer.reason) == (Rank.DENY, "no")

    def test_a_denial_does_not_count_of_a_hook_that_ran_out_of_time(self) -> None:
        printed = json.dumps(told(CLAUDE, "deny")).encode()
        assert read(CLAUDE, Finished(stdout=printed, timed_out=True)).failure is FailureKind.TIMEOUT

    @pytest.mark.parametrize("document", [{}, {"decision": "approve"}, {"systemMessage": "m"}])
    def test_workbuddy_takes_nothing_but_a_refusal_beside_another_exit_code(self, document: dict[str, object]) -> None:
        answer = said(PRE_TOOL["workbuddy"], document, exit_code=1)
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.EXIT)

    @pytest.mark.parametrize("vendor", ["codex", "copilot", "opencode"])
    def test_elsewhere_an_answer_beside_another_exit_code_is_not_read(self, vendor: str) -> None:
        found = PRE_TOOL[vendor]
        assert said(found, told(found, "deny"), exit_code=1).decision is Rank.NONE


class TestPlainOutput:
    @pytest.mark.parametrize(("vendor", "contexts"), [("claude", ('{"note": ',)), ("codex", ())])
    def test_broken_json_is_context_only_where_the_vendor_takes_it_for_text(
        self, vendor: str, contexts: tuple[str, ...]
    ) -> None:
        answer = said(way(vendor, "UserPromptSubmit", native=True), '{"note": ')
        assert tuple(text + " " for text in answer.contexts) == contexts
        assert codes(answer) == ["answer-not-json"]

    @pytest.mark.parametrize(
        ("found", "contexts", "plain"),
        [
            (way("claude", "UserPromptSubmit", native=True), ("hello",), True),
            (way("claude", "UserPromptSubmit"), (), True),  # the official bridge drops it, which is a listed loss
            (way("claude", "PreToolUse", native=True), (), False),
            (way("codex", "SessionStart", native=True), ("hello",), True),
            (way("copilot", "sessionStart"), (), False),
            (way("workbuddy", "Setup"), ("hello",), True),
        ],
        ids=lambda value: f"{value.vendor.name}-{value.spelling}" if isinstance(value, Way) else "",
    )
    def test_plain_stdout_is_context_where_vendor_and_route_take_it_so(
        self, *, found: Way, contexts: tuple[str, ...], plain: bool
    ) -> None:
        answer = said(found, "hello\n")
        assert (answer.contexts, answer.plain_stdout) == (contexts, plain)
        assert (answer.decision, answer.failure, answer.problems) == (Rank.NONE, None, ())

    @pytest.mark.parametrize("text", ["[1, 2]", '"deny"', "null", "true", "deny", "x {}"])
    def test_what_does_not_begin_with_a_brace_is_plain_text(self, text: str) -> None:
        assert said(CLAUDE, text) == Answer()

    def test_bytes_that_are_no_utf_8_are_replaced(self) -> None:
        assert said(way("claude", "SessionStart", native=True), b"a\xffb").contexts == ("a\ufffdb",)

    @pytest.mark.parametrize("found", [way("claude", "SessionStart", native=True), way("codex", "SessionStart", native=True)])  # fmt: skip
    def test_a_context_over_the_vendors_limit_is_cut_and_both_sizes_are_said(self, found: Way) -> None:
        """B21."""
        assert said(found, "x" * 10_000).problems == ()
        answer = said(found, "x" * 10_001)
        assert answer.contexts == ("x" * 10_000,)
        assert codes(answer) == ["context-cut"]
        assert "10001" in answer.problems[0].text
        assert "10000" in answer.problems[0].text

    def test_the_limit_holds_for_a_context_in_json_as_well(self) -> None:
        output = {"hookEventName": "PreToolUse", "additionalContext": "y" * 20_000}
        answer = said(CLAUDE, {"hookSpecificOutput": output})
        assert [len(context) for context in answer.contexts] == [10_000]
        assert codes(answer) == ["context-cut"]

    def test_a_vendor_without_a_limit_keeps_the_whole_context(self) -> None:
        assert said(PRE_TOOL["copilot"], {"additionalContext": "y" * 20_000}).contexts == ("y" * 20_000,)


class TestJson:
    @pytest.mark.parametrize("around", ["{}", "\ufeff{}", "  {}\n\n", "\n{}"], ids=["bare", "bom", "blanks", "newline"])
    def test_what_surrounds_one_document_does_not_matter(self, around: str) -> None:
        """B38: a byte order mark in a hook's stdout."""
        text = around.replace("{}", json.dumps(told(CLAUDE, "deny")))
        assert said(CLAUDE, text).decision is Rank.DENY

    @pytest.mark.parametrize(
        "text",
        ['{"decision": "block"', "{'decision': 'block'}", '{"a": NaN}', '{"a": Infinity}', '{"a": "\n"}', "{x", "{" * 5000],
    )  # fmt: skip
    def test_what_begins_like_json_and_is_none_is_a_failure_that_shows_it(self, text: str) -> None:
        """B20: also an answer that was cut."""
        answer = said(CLAUDE, text)
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)
        assert codes(answer) == ["answer-not-json"]
        assert text[:20] in answer.problems[0].text
        assert "or nothing" in answer.problems[0].text

    def test_json_that_cannot_be_read_is_plain_text_where_that_is_context(self) -> None:
        """Seed 000: 解析失败视为纯文本."""
        answer = said(way("claude", "SessionStart", native=True), "{broken")
        assert (answer.contexts, answer.failure) == (("{broken",), FailureKind.ANSWER)
        assert said(way("claude", "SessionStart"), "{broken").plain_stdout

    def test_nesting_beyond_what_can_be_read_is_a_failure(self) -> None:
        assert said(CLAUDE, '{"a":' * 3000 + "1" + "}" * 3000).failure is FailureKind.ANSWER

    @pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5000, "-" + "9" * 5000])
    def test_a_number_that_no_engine_can_hold_becomes_null_and_hides_no_decision(self, number: str) -> None:
        document = json.dumps(told(CLAUDE, "deny", updatedInput={"n": "N"})).replace('"N"', number)
        answer = said(CLAUDE, document)
        assert answer.decision is Rank.DENY
        assert answer.rewrites == {Effect.REWRITE_INPUT: {"n": None}}

    @every_vendor
    def test_an_echo_of_the_payload_decides_nothing(self, vendor: str) -> None:
        """B20: a pass-through hook; where unknown keys void an answer that is said, and nothing is decided."""
        payload = {
            "session_id": "s",
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "ls", "decision": "block"},
        }
        answer = said(PRE_TOOL[vendor], payload)
        assert answer.decision is Rank.NONE
        assert answer.failure is (FailureKind.ANSWER if vendor == "codex" else None)


class TestSeveralDocuments:
    """B19: exactly one document is an answer, and a deny in any of them must not become an allow."""

    @pytest.mark.parametrize("gap", ["\n", "", "  "], ids=["newline", "none", "blanks"])
    @pytest.mark.parametrize("order", [1, -1], ids=["deny-last", "deny-first"])
    @every_vendor
    def test_a_denial_among_several_documents_counts_and_the_rest_is_said(
        self, vendor: str, order: int, gap: str
    ) -> None:
        found = PRE_TOOL[vendor]
        deny = told(found, "deny", permissionDecisionReason="no")
        answer = said(found, gap.join([json.dumps({"continue": True}), json.dumps(deny)][::order]))
        assert (answer.decision, answer.reason, answer.failure) == (Rank.DENY, "no", None)
        assert codes(answer) == ["answer-several-documents"]
        assert "2 documents" in answer.problems[0].text

    def test_several_documents_without_a_refusal_are_no_answer(self) -> None:
        answer = said(CLAUDE, json.dumps(told(CLAUDE, "allow")) + '{"continue": true}')
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)

    @pytest.mark.parametrize(("word", "decision"), [("deny", Rank.DENY), ("ask", Rank.ASK), ("allow", Rank.NONE)])
    def test_of_an_answer_with_text_behind_it_only_a_refusal_counts(self, word: str, decision: Rank) -> None:
        answer = said(CLAUDE, json.dumps(told(CLAUDE, word)) + "\nDone.")
        assert answer.decision is decision
        assert "1 document(s) and other text" in answer.problems[0].text

    def test_several_documents_are_plain_text_where_that_is_context(self) -> None:
        text = '{"a": 1}\n{"b": 2}'
        answer = said(way("claude", "SessionStart", native=True), text)
        assert (answer.contexts, answer.failure) == ((text,), FailureKind.ANSWER)

    def test_so_many_documents_that_reading_them_would_take_long_are_not_all_read(self) -> None:
        answer = said(CLAUDE, b"{}" * (OUTPUT_LIMIT // 2))
        assert answer.failure is FailureKind.ANSWER
        assert f"{DOCUMENTS} document(s) and other text" in answer.problems[0].text


class TestProgressLines:
    """Copilot shows `{"type": "progress"}` lines to the user and reads what is left."""

    DENY = '{"permissionDecision": "deny", "permissionDecisionReason": "a\u2028b"}'

    def test_progress_lines_are_no_part_of_the_answer(self) -> None:
        text = f'{{"type": "progress", "message": "1"}}\n{self.DENY}\n{{"type": "progress", "message": "2"}}\n'
        answer = said(PRE_TOOL["copilot"], text)
        assert (answer.decision, answer.reason, answer.problems) == (Rank.DENY, "a\u2028b", ())

    def test_elsewhere_such_a_line_is_a_document_like_any_other(self) -> None:
        answer = said(CLAUDE, '{"type": "progress"}\n{"decision": "approve"}')
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)

    def test_an_answer_over_several_lines_is_left_whole(self) -> None:
        text = json.dumps({"permissionDecision": "deny", "permissionDecisionReason": "no"}, indent=2)
        assert said(PRE_TOOL["copilot"], text).decision is Rank.DENY


class TestBehindText:
    def test_a_refusal_behind_a_greeting_is_a_failure_that_the_policy_decides(self) -> None:
        answer = said(CLAUDE, "using node 22\n" + json.dumps(told(CLAUDE, "deny")))
        assert (answer.decision, answer.failure) == (Rank.NONE, FailureKind.ANSWER)
        assert codes(answer) == ["answer-behind-text"]

    @pytest.mark.parametrize("text", ["using node\n{}", "see {this}\n{ not json", '[\n{"continue": true}]'])
    def test_text_before_anything_else_stays_text(self, text: str) -> None:
        answer = said(CLAUDE, text)
        assert (answer.failure, answer.problems) == (None, ())


class TestAtOneEvent:
    CODEX_STOP = way("codex", "Stop", native=True)
    CLAUDE_STOP = way("claude", "Stop", native=True)

    def test_exit_2_without_stderr_is_void_where_the_vendor_lets_it_pass_and_it_holds_nothing_up(self) -> None:
        answer = said(self.CODEX_STOP, exit_code=2)
        assert (answer.decision, answer.failure, codes(answer)) == (
            Rank.NONE,
            FailureKind.ANSWER,
            ["deny-without-reason"],
        )
        assert said(self.CODEX_STOP, exit_code=2, stderr=b"go on").decision is Rank.DENY

    def test_context_blocks_where_the_vendor_goes_on_with_it(self) -> None:
        answer = said(self.CLAUDE_STOP, told(self.CLAUDE_STOP, "", additionalContext="more"))
        assert answer.failure is FailureKind.ANSWER  # for the decision, and then nothing of it counts
        output = {"hookEventName": "Stop", "additionalContext": "more"}
        answer = said(self.CLAUDE_STOP, {"hookSpecificOutput": output})
        assert (answer.decision, answer.reason, answer.contexts) == (Rank.DENY, "more", ())

    def test_such_a_context_stays_one_beside_a_block_and_beside_a_stop(self) -> None:
        output = {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": "more"}}
        answer = said(self.CLAUDE_STOP, output | {"decision": "block", "reason": "no"})
        assert (answer.decision, answer.reason, answer.contexts) == (Rank.DENY, "no", ("more",))
        answer = said(self.CLAUDE_STOP, output | {"continue": False})
        assert (answer.decision, answer.stop, answer.contexts) == (Rank.NONE, True, ("more",))


class TestTotal:
    """Seed 000 and DESIGN 7: no output of a hook can raise."""

    @given(finished=endings, found=ways)
    @settings(max_examples=150)
    @example(finished=Finished(exit_code=0, stdout=b"{" * 100_000), found=WAYS[0])
    def test_any_ending_is_an_answer(self, finished: Finished, found: Way) -> None:
        assert isinstance(read(found, finished), Answer)

    @given(finished=exits, found=ways)
    @settings(max_examples=150)
    def test_exit_2_denies_whatever_is_printed_where_it_denies_at_all(self, finished: Finished, found: Way) -> None:
        answer = read(found, finished)
        if finished.exit_code == 2 and found.row.exit_2 == "deny" and found.decision.bare_deny == "refuses":
            assert (answer.decision, answer.failure) == (Rank.DENY, None)

    @given(finished=exits, found=ways)
    @settings(max_examples=150)
    def test_an_answer_that_failed_decides_nothing_and_says_why(self, finished: Finished, found: Way) -> None:
        answer = read(found, finished)
        if answer.failure is not None:
            assert answer.decision is Rank.NONE
            assert answer.problems

    @given(finished=exits, found=ways)
    @settings(max_examples=100)
    def test_whatever_an_answer_rewrites_can_be_written_as_json_again(self, finished: Finished, found: Way) -> None:
        for value in read(found, finished).rewrites.values():
            json.dumps(value, allow_nan=False)


class TestStdoutOfAFailure:
    PROMPT = "UserPromptSubmit"

    @pytest.mark.parametrize(
        ("found", "stdout", "contexts"),
        [
            (way("workbuddy", PROMPT, native=True), "hello", ("hello",)),
            (way("workbuddy", PROMPT, native=True), '{"a": 1}', ()),
            (way("workbuddy", PROMPT), "hello", ()),
            (way("claude", PROMPT, native=True), "hello", ()),
        ],
    )
    def test_plain_text_beside_exit_1_is_context_only_where_the_vendors_engine_takes_it_so(
        self, found: Way, stdout: str, contexts: tuple[str, ...]
    ) -> None:
        answer = said(found, stdout, exit_code=1)
        assert answer.contexts == contexts
        assert answer.failure is FailureKind.EXIT
