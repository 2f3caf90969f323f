"""`loading`: the hooks of a project, ready to be fired, and everything that is not, with its reason."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.events import Route
from dsh_compat_adapter.hooks.policy import Policy
from dsh_compat_adapter.hooks.stop_guard import StopGuard
from dsh_compat_adapter.loading import Loaded, load, read_policy, runtime
from dsh_compat_adapter.runtime import Request
from tests.projects import CATALOG, SURFACE, command, grouped, project

CODE = "export const A = async () => ({'tool.execute.before': async () => {}})"


def loaded(root: Path, files: Mapping[str, object], **options: str) -> Loaded:
    return load(scan(project(root, files), CATALOG, home=root / "home"), CATALOG, SURFACE, **options)


def commands(one: Loaded) -> list[str]:
    """The commands of the hooks, in order."""
    return [hook.action.argv[-1] for hook in one.hooks]  # type: ignore[union-attr] # tests declare commands only


def test_an_empty_project_has_nothing(tmp_path: Path) -> None:
    one = loaded(tmp_path, {})
    assert (one.hooks, one.unsupported, one.findings, one.policy) == ((), (), (), Policy.VENDOR)


def test_the_hooks_of_the_user_come_first_then_the_projects_then_the_local_ones_and_the_manifests(
    tmp_path: Path,
) -> None:
    files = {
        ".claude/settings.local.json": grouped("Stop", command("local")),
        ".claude/settings.json": grouped("Stop", command("project"), command("project too")),
        "home/.claude/settings.json": grouped("Stop", command("user")),
        "compat.yaml": "version: 1\nhooks: [{vendor: claude, event: Stop, handler: manifest}]",
    }
    assert commands(loaded(tmp_path, files)) == ["user", "project", "project too", "local", "manifest"]


def test_a_project_in_the_users_home_has_its_files_once(tmp_path: Path) -> None:
    """Issue 3: the same file found twice is loaded once."""
    project(tmp_path, {".codex/hooks.json": grouped("Stop", command("once"))})
    assert commands(load(scan(tmp_path, CATALOG, home=tmp_path), CATALOG, SURFACE)) == ["once"]


def test_what_cannot_be_processed_is_a_finding_and_takes_nothing_else_with_it(tmp_path: Path) -> None:
    handlers = [None, command("kept"), {"type": "http", "url": "https://x.invalid"}, command("true", timeout=-1)]
    one = loaded(tmp_path, {".claude/settings.json": grouped("Stop", *handlers), ".codex/hooks.json": "{"})
    assert commands(one) == ["kept"]
    assert {finding.code for finding in one.findings} == {"wrong-shape", "invalid-handler", "invalid-file"}
    assert all(finding.where.line for finding in one.findings)


def test_what_cannot_run_is_kept_with_its_reason(tmp_path: Path) -> None:
    one = loaded(tmp_path, {".opencode/plugins/a.js": CODE})
    assert one.hooks == ()
    assert {(result.vendor, result.code) for result in one.unsupported} == {("opencode", "handler-is-code")}
    assert all(result.reason for result in one.unsupported)


def test_what_the_author_should_know_is_a_warning_at_its_place(tmp_path: Path) -> None:
    files = {".claude/settings.json": grouped("PreToolUse", command("true", timeout=5000), matcher="bash")}
    one = loaded(tmp_path, files)
    assert len(one.hooks) == 1
    assert {(finding.code, finding.severity.value) for finding in one.findings} == {
        ("matcher-never-fires", "warning"),
        ("timeout-in-milliseconds", "warning"),
    }
    assert {finding.where.file for finding in one.findings} == {str(tmp_path / ".claude/settings.json")}


# -- options


@pytest.mark.parametrize(
    ("options", "expected"),
    [({}, Route.OFFICIAL_BRIDGE), ({"bridge": "native"}, Route.NATIVE_TRANSLATE)],
    ids=["by default", "native"],
)
def test_bridged_events_go_the_way_that_is_asked_for(tmp_path: Path, options: dict[str, str], expected: Route) -> None:
    one = loaded(tmp_path, {".claude/settings.json": grouped("PreToolUse", command("true"))}, **options)
    assert [hook.plan.route for hook in one.hooks] == [expected]


def test_a_declaration_that_asks_for_the_native_way_goes_it(tmp_path: Path) -> None:
    text = "version: 1\nhooks: [{vendor: claude, event: PreToolUse, handler: 'true', bridge: native}]"
    assert [hook.plan.route for hook in loaded(tmp_path, {"compat.yaml": text}).hooks] == [Route.NATIVE_TRANSLATE]


@pytest.mark.parametrize(
    ("manifest", "option", "policy"),
    [
        (None, None, Policy.VENDOR),
        (None, "strict", Policy.STRICT),
        ("strict", None, Policy.STRICT),
        ("strict", "vendor", Policy.VENDOR),
        ("vendor", "strict", Policy.STRICT),
    ],
)
def test_the_policy_is_that_of_the_call_or_else_that_of_the_manifest(
    tmp_path: Path, manifest: str | None, option: str | None, policy: Policy
) -> None:
    files = {"compat.yaml": f"version: 1\npolicy: {manifest}"} if manifest else {}
    options = {"policy": option} if option else {}
    assert loaded(tmp_path, files, **options).policy is policy


@pytest.mark.parametrize(
    ("name", "hint"),
    [("strikt", " Did you mean 'strict'?"), ("Strict", " Did you mean 'strict'?"), ("", ""), ("none", "")],
)
def test_an_unknown_policy_is_an_error_that_names_the_known_ones(name: str, hint: str) -> None:
    with pytest.raises(CompatError) as caught:
        read_policy(name)
    assert caught.value.code is ErrorCode.UNKNOWN_NAME
    assert caught.value.message == f"unknown policy {name!r}.{hint} Known: vendor, strict."


@given(name=st.none() | st.text(max_size=8) | st.sampled_from(["vendor", "strict"]))
def test_a_policy_is_read_or_refused(name: str | None) -> None:
    refused = False
    try:
        assert read_policy(name) == (name or "vendor")
    except CompatError:
        refused = True
    assert refused == (name not in (None, "vendor", "strict"))


# -- the runtime


async def test_the_runtime_runs_the_hooks_in_the_project(tmp_path: Path) -> None:
    one = loaded(tmp_path, {".claude/settings.json": grouped("Stop", command("pwd > where"))})
    await runtime(one, CATALOG).dispatch(Request(event="Stop", payload={}))
    assert (tmp_path / "where").read_text().strip() == str(one.scan.root)


async def test_the_runtime_takes_some_of_the_hooks_when_it_is_told_which(tmp_path: Path) -> None:
    one = loaded(tmp_path, {".claude/settings.json": grouped("Stop", command("true"), command("touch ran"))})
    _, done = await runtime(one, CATALOG, hooks=one.hooks[:1]).dispatch(Request(event="Stop", payload={}))
    assert len(done.runs) == 1
    _, done = await runtime(one, CATALOG, hooks=()).dispatch(Request(event="Stop", payload={}))
    assert done.runs == ()
    assert not (tmp_path / "ran").exists()


async def test_the_runtime_has_the_environment_that_it_is_given_or_this_processs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OF_THE_PROCESS", "mine")
    one = loaded(tmp_path, {".claude/settings.json": grouped("Stop", command('echo "$GIVEN$OF_THE_PROCESS" > told'))})
    await runtime(one, CATALOG).dispatch(Request(event="Stop", payload={}))
    assert (tmp_path / "told").read_text() == "mine\n"
    given_ = {"PATH": os.environ["PATH"], "GIVEN": "given"}
    await runtime(one, CATALOG, environment=given_).dispatch(Request(event="Stop", payload={}))
    assert (tmp_path / "told").read_text() == "given\n"


async def test_an_empty_environment_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OF_THE_PROCESS", "mine")
    one = loaded(tmp_path, {".claude/settings.json": grouped("Stop", command('echo "$OF_THE_PROCESS" > told'))})
    await runtime(one, CATALOG, environment={}).dispatch(Request(event="Stop", payload={}))
    assert (tmp_path / "told").read_text() == "\n"


async def test_the_runtime_fails_as_the_policy_says(tmp_path: Path) -> None:
    files = {".claude/settings.json": grouped("PreToolUse", command("/nonexistent/guard"))}
    decisions = []
    for policy in Policy:
        one = loaded(tmp_path, files, policy=policy.value)
        _, done = await runtime(one, CATALOG).dispatch(Request(event="PreToolUse", payload={"tool_name": "Bash"}))
        decisions.append(done.outcome.decision.word)
    assert decisions == ["none", "deny"]


async def test_a_guard_that_is_handed_on_goes_on_counting(tmp_path: Path) -> None:
    guard = StopGuard(cap=1)
    one = loaded(tmp_path, {".claude/settings.json": grouped("Stop", command("exit 2"))})
    outcomes = []
    for _ in range(2):
        _, done = await runtime(one, CATALOG, guard=guard).dispatch(Request(event="Stop", payload={}))
        outcomes.append(done.outcome.decision.word)
    assert outcomes == ["deny", "none"]
