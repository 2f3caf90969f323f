"""`hooks.recording`: each run is a pair of facts, whatever becomes of it, and a recorder disturbs no decision.

Ids such as B17 name the report in `cases.md` that a test stands for.
"""

import asyncio
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dsh_compat_adapter.facts.recorder import Recorder
from dsh_compat_adapter.facts.redaction import MARK
from dsh_compat_adapter.facts.sink import Record
from dsh_compat_adapter.hooks.engine import Engine
from dsh_compat_adapter.hooks.hook import Hook
from dsh_compat_adapter.hooks.outcome import Outcome
from dsh_compat_adapter.hooks.policy import Policy
from dsh_compat_adapter.hooks.process import LocalShell
from tests.credentials import CREDENTIALS
from tests.mounting import alive, decides, denies, heard, hook, prints
from tests.recording import Kept

BASH: dict[str, object] = {
    "session.id": "s1",
    "turn.id": "t1",
    "tool.call_id": "c1",
    "session.project_dir": "/",
    "tool.host_name": "bash",
    "tool.host_arguments": {"command": "ls -l"},
}


@pytest.fixture
def kept() -> Kept:
    return Kept()


async def dispatch(
    kept: Kept, *hooks: Hook, policy: Policy = Policy.VENDOR, values: Mapping[str, object] = BASH
) -> Outcome:
    engine = Engine(LocalShell(), policy=policy, environment=os.environ, recorder=kept.recorder())
    return (await engine.dispatch(hooks, {**BASH, **values}, can_ask=False)).outcome


def guard(project: Path, handler: object, **fields: object) -> Hook:
    return hook("claude", "PreToolUse", handler, project=project, bridge="native", **fields)


def context(project: Path, handler: object, **fields: object) -> Hook:
    return hook("claude", "SessionStart", handler, project=project, bridge="native", **fields)


async def test_a_run_is_a_pair_of_facts_with_one_id_and_the_ids_of_its_scope(kept: Kept, tmp_path: Path) -> None:
    one = guard(tmp_path, denies("not here"), timeout=7)
    await dispatch(kept, one)
    started, completed = kept.facts
    assert started | {"id": "", "ts": "", "input_ref": ""} == {
        "type": "hook.started",
        "id": "",
        "ts": "",
        "session_id": "s1",
        "thread_id": None,
        "turn_id": "t1",
        "tool_call_id": "c1",
        "point": "pre_tool_use",
        "vendor": "claude",
        "event": "PreToolUse",
        "canonical": "tool:before",
        "handler": one.id,
        "timeout_s": 7,
        "preview": "Bash command=ls -l",
        "input_ref": "",
        "redactions": 0,
    }
    assert (completed["id"], completed["status"], completed["decision"]) == (started["id"], "completed", "deny")
    assert completed["duration_ms"] > 0
    assert kept.evidence[completed["reason_ref"]] == "not here"
    assert json.loads(kept.evidence[started["input_ref"]])["tool_input"] == {"command": "ls -l"}
    assert "not here" in kept.evidence[completed["audit_refs"]["stdout"]]
    assert "not here" not in json.dumps(completed)


async def test_the_start_is_told_before_the_hook_runs_and_the_end_before_the_answer(tmp_path: Path) -> None:
    class Watching(Kept):
        def __init__(self) -> None:
            super().__init__()
            self.ran: list[bool] = []

        def write(self, record: Record) -> None:
            super().write(record)
            self.ran.append((tmp_path / "ran").exists())

    kept = Watching()
    await dispatch(kept, guard(tmp_path, "touch ran"))
    assert kept.ran == [False, True]


async def test_an_event_without_a_session_belongs_to_that_of_the_process(kept: Kept, tmp_path: Path) -> None:
    await dispatch(kept, guard(tmp_path, "true"), values={"session.id": ""})
    assert {fact["session_id"] for fact in kept.facts} == {"s-of-the-process"}


async def test_the_allow_of_a_hook_is_one_source_and_is_said_not_to_be_honoured_where_it_is_not(
    kept: Kept, tmp_path: Path
) -> None:
    await dispatch(kept, guard(tmp_path, decides("allow", "fine")))
    (fact,) = kept.ended
    assert (fact["decision"], fact["decision_source"], fact["honoured"]) == ("allow", "hook", False)
    assert "allow-does-not-preapprove" in fact["losses"]


async def test_a_rewrite_names_what_was_before_and_after_and_whether_it_counts(kept: Kept, tmp_path: Path) -> None:
    said = prints({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"command": "ls"}}})
    await dispatch(kept, guard(tmp_path, said))
    rewritten = kept.ended[0]["updated_input_ref"]
    assert json.loads(kept.evidence[rewritten["before"]]) == {"command": "ls -l"}
    assert json.loads(kept.evidence[rewritten["after"]]) == {"command": "ls"}
    assert rewritten["honoured"] is False


async def test_context_message_stop_and_suppression_are_effects(kept: Kept, tmp_path: Path) -> None:
    answer = {
        "continue": False,
        "systemMessage": "to the user",
        "suppressOutput": True,
        "hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "to the model"},
    }
    await dispatch(kept, context(tmp_path, prints(answer)), values={"session.source": "startup"})
    (fact,) = kept.ended
    assert [kept.evidence[ref] for ref in fact["additional_context_refs"]] == ["to the model"]
    assert kept.evidence[fact["message_ref"]] == "to the user"
    assert (fact["continue"], fact["suppress_output"]) == (False, True)


async def test_a_silent_answer_names_nothing(kept: Kept, tmp_path: Path) -> None:
    await dispatch(kept, guard(tmp_path, "true"))
    (fact,) = kept.ended
    assert not [name for name in fact if name.endswith(("_ref", "_refs"))]
    assert (fact["decision"], fact["losses"], fact["problems"]) == ("none", [], [])


class Way(NamedTuple):
    """A way to fail: what the hook is, and how its fact calls that."""

    handler: str
    category: str
    retryable: bool
    timeout: float | None = None


WAYS = {
    "times out": Way("sleep 60", "timeout", retryable=True, timeout=0.2),
    "cannot start": Way("/nonexistent/guard", "command", retryable=False),
    "is killed": Way("kill -9 $$", "killed", retryable=True),
    "answers garbage": Way("echo '{no json'", "answer", retryable=False),
}
BOTH = pytest.mark.parametrize("failing", WAYS.values(), ids=WAYS.keys())


@BOTH
@pytest.mark.parametrize(
    ("policy", "point", "on_error", "decision", "failed", "source"),
    [
        pytest.param(Policy.STRICT, guard, None, "deny", "closed", "policy:strict", id="strict, a guard"),
        pytest.param(Policy.STRICT, context, None, "none", "open", "policy:strict", id="strict, context"),
        pytest.param(Policy.VENDOR, guard, None, "none", "open", "policy:vendor", id="vendor, a guard"),
        pytest.param(Policy.VENDOR, context, None, "none", "open", "policy:vendor", id="vendor, context"),
        pytest.param(Policy.VENDOR, guard, "block", "deny", "closed", "on_error", id="vendor, on_error block"),
        pytest.param(Policy.STRICT, guard, "warn", "none", "open", "on_error", id="strict, on_error warn"),
        pytest.param(Policy.STRICT, guard, "ignore", "none", "open", "on_error", id="strict, on_error ignore"),
    ],
)
async def test_a_failure_does_what_the_policy_says_and_its_fact_says_which_way_it_failed(  # noqa: PLR0913, PLR0917 - a table
    kept: Kept,
    tmp_path: Path,
    failing: Way,
    policy: Policy,
    point: Any,
    on_error: str | None,
    decision: str,
    failed: str,
    source: str,
) -> None:
    """B17. Seed 002: 权限、安全、外部发送、删除、写文件等高风险点默认 fail closed；只读补上下文可 fail open，但必须发出 warning."""
    fields = {"timeout": failing.timeout, "on_error": on_error}
    chosen = {name: value for name, value in fields.items() if value is not None}
    outcome = await dispatch(kept, point(tmp_path, failing.handler, **chosen), policy=policy)
    assert outcome.decision.word == decision
    fact = kept.ended[0]
    assert (fact["type"], fact["category"], fact["retryable"]) == ("hook.failed", failing.category, failing.retryable)
    assert (fact["failed"], fact["decision"], fact["decision_source"]) == (failed, decision, source)
    assert bool(outcome.problems) is (on_error != "ignore")


async def test_a_process_that_never_came_to_be_is_a_failure_to_spawn(kept: Kept, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    one = guard(gone, "true")
    gone.rmdir()
    await dispatch(kept, one)
    assert (kept.ended[0]["category"], kept.ended[0]["failed"]) == ("spawn", "open")


async def test_a_run_that_is_cancelled_is_said_to_be_once_its_process_is_dead(kept: Kept, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pid")
    running = asyncio.ensure_future(dispatch(kept, guard(tmp_path, "echo $$ > pid; sleep 60")))
    pid = await heard(tmp_path / "pid")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    (fact,) = kept.ended
    assert (fact["category"], fact["failed"], fact["decision"]) == ("cancelled", None, "none")
    assert not alive(pid)


SECRETS = "\n".join(text for text, _ in CREDENTIALS.values())


async def test_no_credential_of_payload_stdout_or_stderr_is_kept_and_the_hook_still_reads_them(
    kept: Kept, tmp_path: Path
) -> None:
    (tmp_path / "secrets").write_text(SECRETS)
    script = "cat > seen; cat secrets; cat secrets >&2"
    arguments = {"command": SECRETS, "nested": [{"env": SECRETS}]}
    await dispatch(kept, guard(tmp_path, script), values={"tool.host_arguments": arguments})
    assert json.loads((tmp_path / "seen").read_text())["tool_input"] == arguments
    stored = json.dumps([kept.facts, kept.evidence])
    assert [kind for kind, (_, secret) in CREDENTIALS.items() if secret in stored] == []
    started, completed = kept.facts
    assert (started["redactions"], completed["redactions"]) == (2 * len(CREDENTIALS), 2 * len(CREDENTIALS))
    assert MARK in started["preview"]


async def test_no_credential_of_a_reason_or_a_problem_is_kept(kept: Kept, tmp_path: Path) -> None:
    (tmp_path / "secrets").write_text(SECRETS)
    await dispatch(kept, guard(tmp_path, "cat secrets >&2; exit 2"), guard(tmp_path, "cat secrets >&2; exit 1"))
    stored = json.dumps([kept.facts, kept.evidence])
    assert [kind for kind, (_, secret) in CREDENTIALS.items() if secret in stored] == []
    assert [fact["type"] for fact in kept.ended] == ["hook.completed", "hook.failed"]


@pytest.mark.parametrize(
    "arguments",
    [{"command": "\ud800"}, {"a": [1, 2.5, None, True]}, {"deep": {"er": {"est": ["x" * 100_000]}}}, "text", None, 7],
    ids=["surrogate", "plain", "long", "text", "none", "number"],
)
async def test_whatever_the_arguments_are_there_are_facts(kept: Kept, tmp_path: Path, arguments: object) -> None:
    await dispatch(kept, guard(tmp_path, "cat"), values={"tool.host_arguments": arguments})
    assert kept.facts[0]["type"] == "hook.started"
    assert len(kept.ended) == 1
    assert len(kept.facts[0]["preview"]) <= 120


async def test_a_defect_of_the_recorder_changes_no_decision(tmp_path: Path) -> None:
    class Broken(Recorder):
        def keep(self, text: str) -> Any:
            raise ZeroDivisionError(text)

        def keep_value(self, value: Any, encoded: bytes) -> Any:
            raise ZeroDivisionError(value, encoded)

    said: list[str] = []
    recorder = Broken([], session="s", say=said.append)
    engine = Engine(LocalShell(), policy=Policy.VENDOR, environment=os.environ, recorder=recorder)
    done = await engine.dispatch([guard(tmp_path, denies("no"))], BASH, can_ask=False)
    assert (done.outcome.decision.word, len(done.runs), done.runs[0].fact) == ("deny", 1, None)
    assert len(said) == 1


async def test_a_sink_that_fails_changes_no_decision(tmp_path: Path) -> None:
    class Full(Kept):
        def write(self, record: Record) -> None:
            raise OSError(28, "No space left on device", record.fact.id)

    said: list[str] = []
    recorder = Recorder([Full()], session="s", say=said.append)
    engine = Engine(LocalShell(), policy=Policy.VENDOR, environment=os.environ, recorder=recorder)
    for _ in range(3):
        done = await engine.dispatch([guard(tmp_path, denies("no"))], BASH, can_ask=False)
        assert done.outcome.decision.word == "deny"
    assert len(said) == 1
