"""`hooks.engine`: one event dispatched to the hooks of one hook point, with real shells.

Ids such as B17 name the report in `cases.md` that a test stands for.
"""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from dsh_compat_adapter.declare.declaration import HookDeclaration
from dsh_compat_adapter.errors import CompatError, ErrorCode, Where
from dsh_compat_adapter.grading import grade
from dsh_compat_adapter.hooks.condition import read_condition
from dsh_compat_adapter.hooks.engine import Dispatched, Engine
from dsh_compat_adapter.hooks.hook import Hook, RunCommand
from dsh_compat_adapter.hooks.matcher import compile_matcher
from dsh_compat_adapter.hooks.outcome import FailureKind, Outcome, Rank
from dsh_compat_adapter.hooks.payload import fields
from dsh_compat_adapter.hooks.policy import OnError, Policy
from dsh_compat_adapter.hooks.process import LocalShell
from tests.strategies import CATALOG, Way, way

CLAUDE = way("claude", "PreToolUse", native=True)
POST_TOOL = way("claude", "PostToolUse", native=True)
VALUES: dict[str, object] = {
    "session.id": "s-1",
    "session.cwd": "/w",
    "session.project_dir": "/w",
    "tool.host_name": "bash",
    "tool.host_arguments": {"command": "git push"},
    "tool.call_id": "c-1",
}
DENY = '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "no"}}'  # fmt: skip


def hook(  # noqa: PLR0913 - a complete hook, all but two by default
    work: Path,
    script: str,
    found: Way = CLAUDE,
    *,
    matcher: str | None = None,
    condition: str | None = None,
    timeout_s: float = 60.0,
    on_error: OnError | None = None,
    env: Mapping[str, str] | None = None,
    once: bool = False,
) -> Hook:
    return Hook(
        id="h-1",
        vendor=found.vendor,
        row=found.row,
        plan=found.plan,
        dialect=found.dialect,
        decision=found.decision,
        on_failure=found.on_failure,
        spelling=found.spelling,
        fields=fields(found.vendor, found.row, found.plan, found.spelling),
        condition=None if condition is None else read_condition(condition, found.vendor.dialect.handlers),
        matcher=compile_matcher(matcher, found.vendor.dialect.matchers[found.row.matcher]),
        action=RunCommand(argv=("/bin/sh", "-c", script), cwd=str(work), env=env or {}),
        identity=script,
        once=once,
        detached=False,
        timeout_s=timeout_s,
        on_error=on_error,
        where=Where("settings.json", 3),
    )


def engine(policy: Policy = Policy.VENDOR, environment: Mapping[str, str] | None = None) -> Engine:
    return Engine(LocalShell(), policy=policy, environment={"PATH": "/usr/bin:/bin"} | dict(environment or {}))


async def dispatch(
    *hooks: Hook, policy: Policy = Policy.VENDOR, values: Mapping[str, object] = VALUES, can_ask: bool = False
) -> Dispatched:
    return await engine(policy).dispatch(hooks, values, can_ask=can_ask)


def codes(outcome: Outcome) -> list[str]:
    return [problem.code for problem in outcome.problems]


class TestSelection:
    async def test_only_hooks_whose_matcher_selects_the_tool_run(self, tmp_path: Path) -> None:
        scripts = {"Bash": "echo 1 >> ran", "Edit": "echo 2 >> ran", "Bas.": "echo 3 >> ran", "bash": "echo 4 >> ran"}
        dispatched = await dispatch(*(hook(tmp_path, script, matcher=text) for text, script in scripts.items()))
        assert (tmp_path / "ran").read_text().split() == ["1", "3"]
        assert len(dispatched.runs) == 2

    async def test_a_hook_whose_own_condition_surely_does_not_hold_does_not_run(self, tmp_path: Path) -> None:
        rules = {"Bash(git *)": "echo 1 >> ran", "Bash(rm *)": "echo 2 >> ran", "Write": "echo 3 >> ran"}
        dispatched = await dispatch(*(hook(tmp_path, script, condition=rule) for rule, script in rules.items()))
        assert (tmp_path / "ran").read_text().split() == ["1"]
        assert len(dispatched.runs) == 1

    async def test_a_hook_that_is_to_run_once_runs_once_in_each_session(self, tmp_path: Path) -> None:
        one, always = hook(tmp_path, "echo 1 >> ran", once=True), hook(tmp_path, "echo 2 >> ran")
        running = engine()
        for session in ("a", "a", "b"):
            await running.dispatch([one, always], {**VALUES, "session.id": session}, can_ask=False)
        assert (tmp_path / "ran").read_text().split() == ["1", "2", "2", "1", "2"]

    async def test_the_one_run_of_a_hook_is_not_used_up_where_it_is_left_out(self, tmp_path: Path) -> None:
        running = engine()
        for matcher, condition in (("Edit", None), (None, "Write"), (None, None)):
            one = hook(tmp_path, "echo ran >> ran", once=True, matcher=matcher, condition=condition)
            await running.dispatch([one], VALUES, can_ask=False)
        assert (tmp_path / "ran").read_text().split() == ["ran"]

    async def test_without_a_selected_hook_nothing_runs_and_nothing_is_decided(self, tmp_path: Path) -> None:
        dispatched = await dispatch(hook(tmp_path, "touch ran", matcher="Edit"))
        assert dispatched == Dispatched(outcome=Outcome(), runs=())
        assert not (tmp_path / "ran").exists()

    async def test_a_hook_on_an_event_that_has_no_matcher_always_runs_and_that_is_said(self, tmp_path: Path) -> None:
        """B06."""
        declaration = HookDeclaration(
            vendor="claude", event="UserPromptSubmit", matcher="never", handler="echo ran >> m.log", bridge="native"
        )
        surface = next(surface for surface in CATALOG.surfaces.values() if surface.host == "embedded")
        graded = grade(declaration, CATALOG, surface, str(tmp_path), has_shell=True)
        assert graded.hook is not None
        await dispatch(graded.hook, values={"prompt.text": "hi"})
        assert (tmp_path / "m.log").read_text() == "ran\n"
        assert "matcher-ignored" in [warned.code for warned in graded.result.warnings]

    async def test_a_tool_that_a_pattern_excludes_is_not_selected_by_another_name_of_it(self, tmp_path: Path) -> None:
        """B59: `^(?!(Read|Glob)$).*` leaves Read out, though WorkBuddy also calls it read_file."""
        workbuddy = way("workbuddy", "PreToolUse", native=True)
        excluding = hook(tmp_path, "exit 0", workbuddy, matcher="^(?!(Read|Glob)$).*")
        assert (await dispatch(excluding, values=VALUES | {"tool.host_name": "edit"})).runs
        assert (await dispatch(excluding, values=VALUES | {"tool.host_name": "read"})).runs == ()

    @pytest.mark.parametrize(("vendor", "runs"), [("claude", 1), ("codex", 2), ("workbuddy", 1)])
    async def test_a_repeated_command_runs_as_often_as_at_the_vendor(
        self, tmp_path: Path, vendor: str, runs: int
    ) -> None:
        """A04, B45: selected by several groups, one command runs once."""
        found = way(vendor, "PreToolUse", native=True)
        twice = [hook(tmp_path, "echo x >> ran", found, matcher=text) for text in ("Bash", None)]
        await dispatch(*twice)
        assert (tmp_path / "ran").read_text().split() == ["x"] * runs


class TestRunning:
    async def test_hooks_run_one_after_another_in_their_order(self, tmp_path: Path) -> None:
        slow = hook(tmp_path, "sleep 0.2; echo 1 >> ran")
        fast = hook(tmp_path, "echo 2 >> ran")
        await dispatch(slow, fast)
        assert (tmp_path / "ran").read_text().split() == ["1", "2"]

    @pytest.mark.parametrize(("vendor", "end"), [("claude", b"\n"), ("codex", b"}")])
    async def test_a_hook_reads_the_payload_of_its_dialect(self, tmp_path: Path, vendor: str, end: bytes) -> None:
        await dispatch(hook(tmp_path, "cat > payload", way(vendor, "PreToolUse", native=True)))
        written = (tmp_path / "payload").read_bytes()
        assert written.endswith(end)
        payload = json.loads(written)
        assert (payload["hook_event_name"], payload["tool_name"]) == ("PreToolUse", "Bash")
        assert payload["tool_input"] == {"command": "git push"}

    async def test_a_hook_gets_the_callers_environment_without_credentials_and_its_own_on_top(
        self, tmp_path: Path
    ) -> None:
        given = {"LANG": "C", "API_TOKEN": "secret", "MINE": "caller"}
        script = 'printf "%s|%s|%s|%s|%s" "$LANG" "$API_TOKEN" "$MINE" "$CLAUDE_PROJECT_DIR" "$NEEDED_TOKEN" > env'
        one = hook(tmp_path, script, env={"MINE": "hook", "NEEDED_TOKEN": "declared"})
        await engine(environment=given).dispatch([one], VALUES, can_ask=False)
        assert (tmp_path / "env").read_text() == "C||hook|/w|declared"

    async def test_the_command_text_reaches_the_shell_byte_for_byte(self, tmp_path: Path) -> None:
        """A05: nothing is quoted again or expanded on the way."""
        await dispatch(hook(tmp_path, """printf '%s' 'a"$HOME"\\n${x%/*} \\' > out"""))
        assert (tmp_path / "out").read_text() == 'a"$HOME"\\n${x%/*} \\'

    async def test_an_event_that_cannot_be_written_as_json_is_invalid_input_and_runs_nothing(
        self, tmp_path: Path
    ) -> None:
        deep: object = 1
        for _ in range(100_000):
            deep = [deep]
        with pytest.raises(CompatError) as caught:
            await dispatch(hook(tmp_path, "touch ran"), values=VALUES | {"tool.host_arguments": deep})
        assert caught.value.code is ErrorCode.INVALID_INPUT
        assert not (tmp_path / "ran").exists()

    async def test_a_cancelled_dispatch_kills_the_running_hook_and_starts_no_other(self, tmp_path: Path) -> None:
        first = hook(tmp_path, "echo started > first; exec sleep 300")
        running = asyncio.ensure_future(dispatch(first, hook(tmp_path, "touch second")))
        while not (tmp_path / "first").exists():  # noqa: ASYNC110 - a process cannot set an event
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert not (tmp_path / "second").exists()


class TestOutcome:
    async def test_the_strictest_of_all_hooks_wins_and_every_run_is_shown(self, tmp_path: Path) -> None:
        """A68, B16: an allow of one hook and silence of another never undo a deny."""
        allow = DENY.replace('"deny"', '"allow"').replace('"no"', '"fine"')
        dispatched = await dispatch(
            hook(tmp_path, f"echo '{allow}'"), hook(tmp_path, "exit 0"), hook(tmp_path, f"echo '{DENY}'")
        )
        assert (dispatched.outcome.decision, dispatched.outcome.reason) == (Rank.DENY, "no")
        assert [run.answer.decision for run in dispatched.runs] == [Rank.ALLOW, Rank.NONE, Rank.DENY]

    async def test_exit_2_with_nothing_said_denies_with_a_generic_reason(self, tmp_path: Path) -> None:
        """B14."""
        outcome = (await dispatch(hook(tmp_path, "exit 2"))).outcome
        assert outcome.decision is Rank.DENY
        assert outcome.reason

    @pytest.mark.parametrize(("can_ask", "losses"), [(True, ()), (False, ("ask-without-approval",))])
    async def test_an_ask_where_nobody_can_be_asked_is_a_loss_of_this_outcome(
        self, tmp_path: Path, *, can_ask: bool, losses: tuple[str, ...]
    ) -> None:
        ask = hook(tmp_path, f"echo '{DENY}'".replace('"deny"', '"ask"'))
        assert (await dispatch(ask, can_ask=can_ask)).outcome.losses == losses

    async def test_a_denial_after_the_fact_is_feedback(self, tmp_path: Path) -> None:
        codex = way("codex", "PostToolUse", native=True)
        outcome = (await dispatch(hook(tmp_path, "echo late >&2; exit 2", codex))).outcome
        assert (outcome.decision, outcome.feedback, outcome.downgraded) == (Rank.NONE, "late", True)

    async def test_silent_hooks_come_to_nothing_and_are_shown_as_runs(self, tmp_path: Path) -> None:
        dispatched = await dispatch(hook(tmp_path, "exit 0"), hook(tmp_path, "echo noise >&2"))
        assert dispatched.outcome == Outcome()
        assert len(dispatched.runs) == 2

    async def test_a_payload_that_comes_back_cut_blocks_nothing_and_is_said(self, tmp_path: Path) -> None:
        """B20."""
        values = VALUES | {"tool.host_arguments": {"command": "x" * 200_000}}
        outcome = (await dispatch(hook(tmp_path, "head -c 70000"), values=values)).outcome
        assert (outcome.decision, codes(outcome)) == (Rank.NONE, ["answer-not-json"])
        outcome = (await dispatch(hook(tmp_path, "cat"), values=values)).outcome
        assert (outcome.decision, codes(outcome)) == (Rank.NONE, [])

    async def test_a_run_on_the_wire_names_its_hook_by_place_and_not_by_command_text(self, tmp_path: Path) -> None:
        dispatched = await dispatch(hook(tmp_path, "echo no >&2; exit 2", matcher="Bash"))
        run = dispatched.runs[0].to_dict()
        assert run["hook"] == {
            "id": "h-1",
            "vendor": "claude",
            "event": "PreToolUse",
            "matcher": "Bash",
            "source": "settings.json:3",
        }
        assert run["outcome"] == {"decision": "deny", "reason": "no", "stop": False}
        assert "exit 2" not in json.dumps(run)


FAILING = {
    "timeout": ("exec sleep 300", FailureKind.TIMEOUT),
    "missing": ("/nonexistent/guard", FailureKind.COMMAND),
    "no-exec-bit": ("./guard", FailureKind.COMMAND),
    "killed": ("kill -9 $$", FailureKind.KILLED),
    "broken-answer": ("echo '{'", FailureKind.ANSWER),
    "misplaced-deny": ("""echo '{"permissionDecision": "deny"}'""", FailureKind.ANSWER),
}
failing = pytest.mark.parametrize(("script", "kind"), FAILING.values(), ids=FAILING)


class TestFailure:
    """B17: a gate that does not answer is never silent, and closed where somebody asked for that."""

    def failing_hook(self, work: Path, script: str, on_error: OnError | None = None) -> Hook:
        (work / "guard").write_text("#!/bin/sh\nexit 2\n")
        timeout_s = 0.2 if "sleep" in script else 60.0
        return hook(work, script, timeout_s=timeout_s, on_error=on_error)

    @failing
    async def test_under_the_policy_of_the_vendor_the_call_goes_on_and_the_failure_is_said(
        self, tmp_path: Path, script: str, kind: FailureKind
    ) -> None:
        dispatched = await dispatch(self.failing_hook(tmp_path, script))
        assert dispatched.runs[0].answer.failure is kind
        assert dispatched.outcome.decision is Rank.NONE
        assert dispatched.outcome.problems

    @failing
    async def test_under_the_policy_strict_the_call_is_refused_with_the_failure_as_the_reason(
        self, tmp_path: Path, script: str, kind: FailureKind
    ) -> None:
        outcome = (await dispatch(self.failing_hook(tmp_path, script), policy=Policy.STRICT)).outcome
        assert outcome.decision is Rank.DENY
        assert f"a hook failed ({kind.value})" in str(outcome.reason)

    async def test_under_the_policy_strict_a_point_that_prevents_nothing_fails_open_with_a_warning(
        self, tmp_path: Path
    ) -> None:
        found = way("claude", "SessionStart", native=True)
        outcome = (await dispatch(hook(tmp_path, "/nonexistent", found), policy=Policy.STRICT)).outcome
        assert (outcome.decision, codes(outcome)) == (Rank.NONE, ["hook-command"])

    @failing
    async def test_a_hook_that_declares_block_refuses_whatever_the_policy(
        self, tmp_path: Path, script: str, kind: FailureKind
    ) -> None:
        dispatched = await dispatch(self.failing_hook(tmp_path, script, OnError.BLOCK))
        assert dispatched.outcome.decision is Rank.DENY
        assert dispatched.runs[0].answer.failure is kind

    async def test_a_hook_that_declares_ignore_fails_without_a_word(self, tmp_path: Path) -> None:
        dispatched = await dispatch(self.failing_hook(tmp_path, "/nonexistent", OnError.IGNORE), policy=Policy.STRICT)
        assert dispatched.outcome == Outcome()
        assert dispatched.runs[0].answer.failure is FailureKind.COMMAND

    async def test_a_folder_that_is_gone_is_a_failure_and_the_next_hook_still_runs(self, tmp_path: Path) -> None:
        gone = hook(tmp_path / "gone", "exit 0")
        outcome = (await dispatch(gone, hook(tmp_path, "touch ran"))).outcome
        assert codes(outcome) == ["hook-spawn"]
        assert (tmp_path / "ran").exists()

    async def test_exit_1_lets_the_call_pass_with_a_warning_that_shows_stderr(self, tmp_path: Path) -> None:
        """B13."""
        for policy in Policy:
            outcome = (await dispatch(hook(tmp_path, "echo 'policy violation' >&2; exit 1"), policy=policy)).outcome
            assert (outcome.decision, codes(outcome)) == (Rank.NONE, ["hook-exit"])
            assert "policy violation" in outcome.problems[0].text


class TestChain:
    """How far the hooks of one event run, by the vendor's row."""

    COPILOT = way("copilot", "preToolUse")
    OPENCODE = way("opencode", "tool.execute.before")

    @pytest.mark.parametrize(
        ("found", "first", "ran"),
        [
            (COPILOT, """echo '{"permissionDecision":"deny"}'""", ["1"]),
            (COPILOT, """echo '{"permissionDecision":"ask"}'""", ["1"]),
            (COPILOT, "exit 1", ["1"]),
            (COPILOT, """echo '{"permissionDecision":"allow"}'""", ["1", "2"]),
            (OPENCODE, "exit 2", ["1"]),
            (OPENCODE, "exit 0", ["1", "2"]),
            (CLAUDE, "exit 2", ["1", "2"]),
        ],
    )
    async def test_a_refusal_ends_the_chain_where_the_vendors_own_engine_asks_no_further_hook(
        self, tmp_path: Path, found: Way, first: str, ran: list[str]
    ) -> None:
        hooks = [hook(tmp_path, f"echo 1 >> ran; {first}", found), hook(tmp_path, "echo 2 >> ran", found)]
        dispatched = await dispatch(*hooks, can_ask=True)
        assert (tmp_path / "ran").read_text().split() == ran
        assert len(dispatched.runs) == len(ran)

    @pytest.mark.parametrize("script", ["echo secret >&2; exit 1", "echo secret >&2; exit 2"])
    async def test_stderr_of_a_refusing_hook_is_kept_from_the_model_where_the_vendor_keeps_it(
        self, tmp_path: Path, script: str
    ) -> None:
        outcome = (await dispatch(hook(tmp_path, script, self.COPILOT))).outcome
        assert outcome.decision is Rank.DENY
        assert "secret" not in (outcome.reason or "")
        shown = (await dispatch(hook(tmp_path, script, self.OPENCODE))).outcome
        assert shown.decision is Rank.DENY
        assert "secret" in (shown.reason or "")
