"""`hooks.policy`: what a hook that fails to answer does, as a table of policy, kind of failure and `on_error`."""

import itertools

import pytest

from dsh_compat_adapter.catalog.model import Failure, FailureMode
from dsh_compat_adapter.events import Effect
from dsh_compat_adapter.hooks.outcome import FailureKind
from dsh_compat_adapter.hooks.policy import OnError, Policy, failure_mode
from tests.strategies import WAYS, Way, way

CLAUDE = way("claude", "PreToolUse", native=True)
KINDS = list(FailureKind)
vendors_own = pytest.mark.parametrize(
    ("found", "exit_", "killed", "timeout", "spawn", "command", "answer"),
    [
        pytest.param(CLAUDE, "warn", "warn", "warn", "warn", "warn", "warn", id="B17-claude"),
        pytest.param(way("codex", "PreToolUse"), "warn", "warn", "warn", "warn", "warn", "warn", id="codex"),
        pytest.param(way("workbuddy", "PreToolUse"), "warn", "warn", "warn", "warn", "warn", "warn", id="workbuddy-bridge"),
        pytest.param(way("copilot", "preToolUse"), "deny", "deny", "warn", "deny", "deny", "warn", id="copilot"),
        pytest.param(way("copilot", "postToolUse"), "warn", "warn", "warn", "warn", "warn", "warn", id="copilot-after"),
        # a command that the shell cannot find is exit 127 to the vendor, which lets it pass; its own spawn error is not
        pytest.param(way("workbuddy", "PreToolUse", native=True), "warn", "warn", "deny", "deny", "warn", "warn", id="workbuddy"),
        pytest.param(way("claude", "WorktreeCreate"), "deny", "deny", "warn", "warn", "deny", "warn", id="claude-worktree"),
    ],
)  # fmt: skip


@vendors_own
def test_the_policy_vendor_does_what_the_vendors_engine_does(  # noqa: PLR0913 - a column a kind
    *,
    found: Way,
    exit_: FailureMode,
    killed: FailureMode,
    timeout: FailureMode,
    spawn: FailureMode,
    command: FailureMode,
    answer: FailureMode,
) -> None:
    modes = {
        kind: failure_mode(kind, Policy.VENDOR, None, found.on_failure, found.plan, found.row.point) for kind in KINDS
    }
    assert modes == {
        FailureKind.EXIT: exit_,
        FailureKind.KILLED: killed,
        FailureKind.TIMEOUT: timeout,
        FailureKind.SPAWN: spawn,
        FailureKind.COMMAND: command,
        FailureKind.ANSWER: answer,
    }


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind is not FailureKind.EXIT])
def test_the_policy_strict_fails_closed_where_something_can_be_prevented_and_open_elsewhere(kind: FailureKind) -> None:
    """Seed 002: 权限、安全、外部发送、删除、写文件等高风险点默认 fail closed；只读补上下文可 fail open."""
    for found in WAYS:
        expected = "deny" if Effect.DENY in found.plan.honours else "warn"
        assert failure_mode(kind, Policy.STRICT, None, found.on_failure, found.plan, found.row.point) == expected, (
            found.spelling
        )


def test_an_exit_code_is_an_answer_whose_meaning_the_policy_strict_leaves_to_the_vendor() -> None:
    """B13: exit 1 does not block, under any policy, unless the vendor or the hook says so."""
    for found in WAYS:
        mode = failure_mode(FailureKind.EXIT, Policy.STRICT, None, found.on_failure, found.plan, found.row.point)
        assert mode == found.on_failure.exit, found.spelling


@pytest.mark.parametrize(
    ("on_error", "mode"), [(OnError.BLOCK, "deny"), (OnError.WARN, "warn"), (OnError.IGNORE, "warn")]
)
def test_what_a_hook_declares_stands_above_both_policies(on_error: OnError, mode: FailureMode) -> None:
    """Seed 000: `warn`（记日志继续）/ `block`（升级为拒绝）/ `ignore`（静默）."""
    deny = Failure(exit="deny", timeout="deny", spawn="deny", answer="deny")
    for policy, kind, failures in itertools.product(Policy, KINDS, [deny, CLAUDE.on_failure]):
        assert failure_mode(kind, policy, on_error, failures, CLAUDE.plan, CLAUDE.row.point) == mode
