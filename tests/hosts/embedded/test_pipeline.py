"""The tool pipeline, one power a stage; the names are sentences of seed 001."""

import asyncio
import contextlib
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import EmbeddedHost
from dsh_compat_adapter.hosts.embedded.approval import ApprovalOutcome, Approver
from dsh_compat_adapter.hosts.embedded.pipeline import Next
from dsh_compat_adapter.hosts.embedded.tool import ToolBody, ToolCall, ToolResult
from dsh_compat_adapter.seams.decisions import (
    AcceptResult,
    AllowOnce,
    AllowTool,
    AskTool,
    Cancel,
    Decision,
    DenyTool,
    Notify,
    Reject,
    Unavailable,
)
from dsh_compat_adapter.seams.host import HostEvent, Listener
from tests.mounting import CATALOG, WatchedHost

ORDER = ("tools/pre-execute", "guard", "wrapper", "body", "wrapper again", "tools/post-execute", "tools/result")


def answering(decision: Decision) -> Listener:
    async def listen(_: HostEvent) -> Decision:
        return decision

    return listen


class Watched:
    """A host whose stages all leave a trace, with a tool that does what it is told."""

    def __init__(self, project: Path, body: ToolBody | None = None, approver: Approver | None = None) -> None:
        self.trace: list[str] = []
        self.calls: list[ToolCall] = []
        self.body = body
        self.host = WatchedHost(project, tools={"tool": self._tool}, approver=approver)
        for seam, decision in (
            ("tools/pre-execute", AllowTool()),
            ("tools/post-execute", AcceptResult()),
            ("tools/result", Notify()),
        ):
            self.host.subscribe(seam, self.listener(seam, decision))
        self.host.guard(self._guard)
        self.host.wrap(self._wrapper)

    def listener(self, seam: str, decision: Decision) -> Listener:
        async def listen(_: HostEvent) -> Decision:
            self.trace.append(seam)
            return decision

        return listen

    def _guard(self, _: ToolCall) -> None:
        self.trace.append("guard")

    async def _wrapper(self, _: ToolCall, run: Next) -> ToolResult:
        self.trace.append("wrapper")
        result = await run()
        self.trace.append("wrapper again")
        return result

    async def _tool(self, call: ToolCall) -> object:
        self.trace.append("body")
        self.calls.append(call)
        return "done" if self.body is None else await self.body(call)

    async def call(self) -> ToolResult:
        return await self.host.call("tool", {"path": "a", "edits": [{"line": 1}]})


@pytest.fixture
def watched(tmp_path: Path) -> Watched:
    return Watched(tmp_path)


async def test_every_call_follows_pre_execute_guards_execute_dispatch_post_execute_result(watched: Watched) -> None:
    assert await watched.call() == ToolResult(text="done")
    assert watched.trace == list(ORDER)


class TestIdentity:
    async def test_each_call_has_an_opaque_token_of_its_own(self, watched: Watched) -> None:
        await watched.call()
        await watched.call()
        first, second = (call.token for call in watched.calls)
        assert first is not second
        assert type(first) is object

    async def test_a_nested_call_carries_the_token_of_its_parent_and_nothing_else_of_it(self, tmp_path: Path) -> None:
        async def nest(call: ToolCall) -> object:
            return "inner" if call.parent else (await call.nested("tool", {"n": 1})).text

        watched = Watched(tmp_path, nest)
        assert (await watched.call()).text == "inner"
        outer, inner = watched.calls
        assert inner.parent is outer.token
        assert (outer.parent, dict(inner.arguments)) == (None, {"n": 1})
        assert watched.trace.count("guard") == 2

    async def test_the_identity_of_a_call_cannot_be_changed(self, watched: Watched) -> None:
        await watched.call()
        for name in ("name", "arguments", "token", "parent", "signal"):
            with pytest.raises(AttributeError):
                setattr(watched.calls[0], name, None)

    async def test_arguments_are_frozen_before_policy_sees_them(self, watched: Watched) -> None:
        mine: dict[str, Any] = {"path": "a"}

        async def meanwhile(_: HostEvent) -> Decision:
            mine["path"] = "b"
            return AllowTool()

        watched.host.subscribe("tools/pre-execute", meanwhile)
        await watched.host.call("tool", mine)
        assert watched.calls[0].arguments["path"] == "a"


class TestPreExecute:
    async def test_a_deny_skips_execute_and_dispatch_and_still_reaches_post_execute_and_result(
        self, watched: Watched
    ) -> None:
        watched.host.subscribe("tools/pre-execute", answering(DenyTool(reason="no")))
        assert await watched.call() == ToolResult(text="Error: no", is_error=True, denied=True)
        assert watched.trace == ["tools/pre-execute", "tools/post-execute", "tools/result"]

    async def test_an_allow_does_not_preapprove(self, watched: Watched) -> None:
        watched.host.guard(lambda _: "never")
        assert (await watched.call()).denied
        assert "body" not in watched.trace


OUTCOMES: dict[str, tuple[object, ApprovalOutcome]] = {
    "True": (True, ApprovalOutcome.ALLOWED_ONCE),
    "allowed-once": (ApprovalOutcome.ALLOWED_ONCE, ApprovalOutcome.ALLOWED_ONCE),
    "False": (False, ApprovalOutcome.REJECTED),
    "rejected": (ApprovalOutcome.REJECTED, ApprovalOutcome.REJECTED),
    "cancelled": (ApprovalOutcome.CANCELLED, ApprovalOutcome.CANCELLED),
    "unavailable": (ApprovalOutcome.UNAVAILABLE, ApprovalOutcome.UNAVAILABLE),
    "the word and no outcome": ("allowed-once", ApprovalOutcome.UNAVAILABLE),
    "1": (1, ApprovalOutcome.UNAVAILABLE),
    "nothing": (None, ApprovalOutcome.UNAVAILABLE),
    "cancels itself": (asyncio.CancelledError(), ApprovalOutcome.CANCELLED),
    "an exception": (ConnectionError("gone"), ApprovalOutcome.UNAVAILABLE),
}


class TestAsk:
    @pytest.mark.parametrize(("answer", "outcome"), OUTCOMES.values(), ids=OUTCOMES.keys())
    async def test_everything_but_allowed_once_becomes_a_denial(
        self, tmp_path: Path, answer: object, outcome: ApprovalOutcome
    ) -> None:
        async def approver(*_: object) -> Any:
            if isinstance(answer, BaseException):
                raise answer
            return answer

        watched = Watched(tmp_path, approver=approver)
        watched.host.subscribe("tools/pre-execute", answering(AskTool(reason="sure?")))
        result = await watched.call()
        allowed = outcome is ApprovalOutcome.ALLOWED_ONCE
        assert (result.denied, "body" in watched.trace) == (not allowed, allowed)
        assert allowed or result.text.startswith("Error: not approved: sure?")
        assert logged(watched, "approval/asked", "reason") == ["sure?"]
        assert logged(watched, "approval/decided", "outcome") == [outcome.value]
        assert watched.trace[-2:] == ["tools/post-execute", "tools/result"]

    async def test_an_allowed_call_still_passes_the_guards(self, tmp_path: Path) -> None:
        async def approver(*_: object) -> bool:
            return True

        watched = Watched(tmp_path, approver=approver)
        watched.host.subscribe("tools/pre-execute", answering(AskTool(reason="sure?")))
        watched.host.guard(lambda _: "never")
        assert (await watched.call()).text == "Error: never"

    @pytest.mark.parametrize(
        ("decision", "outcome"),
        [
            (AllowOnce(), ApprovalOutcome.ALLOWED_ONCE),
            (Reject(reason="policy"), ApprovalOutcome.REJECTED),
            (Cancel(reason="the user left"), ApprovalOutcome.CANCELLED),
            (Unavailable(), ApprovalOutcome.REJECTED),
        ],
    )
    async def test_a_listener_answers_before_the_approver_is_asked(
        self, tmp_path: Path, decision: Decision, outcome: ApprovalOutcome
    ) -> None:
        async def approver(*_: object) -> bool:
            return False

        watched = Watched(tmp_path, approver=approver)
        watched.host.subscribe("tools/pre-execute", answering(AskTool(reason="sure?")))
        watched.host.subscribe("approval/request", answering(decision))
        await watched.call()
        assert logged(watched, "approval/decided", "outcome") == [outcome.value]

    async def test_without_an_approval_service_an_ask_is_a_denial(self, watched: Watched) -> None:
        watched.host.subscribe("tools/pre-execute", answering(AskTool(reason="sure?")))
        assert (await watched.call()).denied
        assert logged(watched, "approval/asked", "reason") == []


async def abstains_late(_: ToolCall) -> str | None:
    return None


class TestGuards:
    async def test_a_guard_runs_after_the_whole_waterfall_whatever_the_order_of_registration(
        self, watched: Watched
    ) -> None:
        watched.host.subscribe("tools/pre-execute", watched.listener("a later listener", AllowTool()))
        await watched.call()
        assert watched.trace.index("guard") > watched.trace.index("a later listener")

    async def test_a_listener_cannot_revive_what_a_guard_forbids(self, watched: Watched) -> None:
        watched.host.guard(lambda call: f"{call.name} is forbidden")
        watched.host.subscribe("tools/pre-execute", answering(AllowTool()))
        assert await watched.call() == ToolResult(text="Error: tool is forbidden", is_error=True, denied=True)
        assert "wrapper" not in watched.trace

    async def test_a_guard_that_is_taken_off_says_nothing_any_more(self, watched: Watched) -> None:
        dispose = watched.host.guard(lambda _: "no")
        dispose()
        dispose()
        assert (await watched.call()).text == "done"

    @pytest.mark.parametrize(
        ("guard", "said"),
        [
            (lambda _: 1 / 0, "a guard failed: division by zero"),
            (lambda _: "", "which gave no reason"),
            (lambda _: True, "a guard answers with a text or None, found bool"),
            (abstains_late, "a guard answers with a text or None, found coroutine"),
        ],
        ids=["raises", "empty", "true", "asynchronous"],
    )
    async def test_a_guard_that_does_not_abstain_cleanly_denies(
        self, watched: Watched, guard: Callable[[ToolCall], Any], said: str
    ) -> None:
        watched.host.guard(guard)
        result = await watched.call()
        assert result.denied
        assert said in result.text


class TestExecute:
    async def test_a_wrapper_may_change_the_signal_and_the_tool_ends_by_it(self, tmp_path: Path) -> None:
        started, signal = asyncio.Event(), asyncio.Event()

        async def waits(call: ToolCall) -> object:
            assert call.signal is signal
            started.set()
            await asyncio.Event().wait()
            return "never"

        async def ends_it(_: ToolCall, run: Next) -> ToolResult:
            running = asyncio.ensure_future(run(signal))
            await started.wait()
            signal.set()
            return await running

        watched = Watched(tmp_path, waits)
        watched.host.wrap(ends_it)
        assert await watched.call() == ToolResult(text="Error: tool call aborted", is_error=True)

    async def test_a_wrapper_that_changes_anything_else_is_not_followed(self, watched: Watched) -> None:
        async def vandal(call: ToolCall, run: Next) -> ToolResult:
            replace(call, arguments={"path": "b"})
            return await run()

        watched.host.wrap(vandal)
        await watched.call()
        assert watched.calls[0].arguments["path"] == "a"

    async def test_a_wrapper_may_answer_in_place_of_the_tool(self, watched: Watched) -> None:
        async def cached(_: ToolCall, __: Next) -> ToolResult:
            return ToolResult(text="from the cache")

        watched.host.wrap(cached)
        assert (await watched.call()).text == "from the cache"
        assert "body" not in watched.trace

    async def test_a_wrapper_may_try_again_and_reads_a_raised_exception_as_a_result(self, tmp_path: Path) -> None:
        async def fails(_: ToolCall) -> object:
            raise RuntimeError("broken")

        seen: list[ToolResult] = []

        async def retries(_: ToolCall, run: Next) -> ToolResult:
            seen.extend([await run(), await run()])
            return seen[-1]

        watched = Watched(tmp_path, fails)
        watched.host.wrap(retries)
        assert (await watched.call()).text == "Error: broken"
        assert seen == [ToolResult(text="Error: broken", is_error=True)] * 2

    async def test_a_wrapper_that_raises_is_an_error_result(self, watched: Watched) -> None:
        async def broken(_: ToolCall, __: Next) -> ToolResult:
            raise RuntimeError("wrapper")

        watched.host.wrap(broken)
        assert await watched.call() == ToolResult(text="Error: wrapper", is_error=True)

    async def test_an_unknown_tool_reaches_the_wrappers_as_a_result(self, watched: Watched) -> None:
        assert (await watched.host.call("nothing", {})).text == "Error: unknown tool 'nothing'"
        assert watched.trace == [stage for stage in ORDER if stage != "body"]


class TestPostExecuteAndResult:
    async def test_changing_a_result_in_place_is_no_way_to_transform_it(self, tmp_path: Path) -> None:
        async def structured(_: ToolCall) -> object:
            return {"lines": ["a"]}

        watched = Watched(tmp_path, structured)
        refused: list[Exception] = []

        async def vandal(event: HostEvent) -> Decision:
            value: Any = event.values["result.value"]
            changes: list[Callable[[], object]] = [lambda: value.update(x=1), lambda: value["lines"].append("b")]
            for change in changes:
                try:
                    change()
                except (TypeError, AttributeError) as error:
                    refused.append(error)
            return AcceptResult()

        watched.host.subscribe("tools/post-execute", vandal)
        result = await watched.call()
        assert (result.text, result.value) == ('{"lines": ["a"]}', {"lines": ("a",)})
        assert len(refused) == 2

    async def test_observers_get_the_final_result_and_their_failures_stay_theirs(self, watched: Watched) -> None:
        seen: list[object] = []

        async def broken(_: HostEvent) -> Decision:
            raise RuntimeError("observer")

        async def sees(event: HostEvent) -> Decision:
            seen.append(event.values["result.text"])
            return Notify()

        watched.host.subscribe("tools/post-execute", answering(AcceptResult(text="rewritten")))
        watched.host.subscribe("tools/result", broken)
        watched.host.subscribe("tools/result", sees)
        assert (await watched.call()).text == "rewritten"
        assert seen == ["rewritten"]
        assert [str(error) for error in watched.host.observer_errors] == ["observer"]


async def cancels_itself(_: ToolCall) -> object:
    raise asyncio.CancelledError


async def leaves(_: ToolCall) -> object:
    sys.exit(3)


async def leaves_a_generator(_: ToolCall) -> object:
    raise GeneratorExit


async def groups(_: ToolCall) -> object:
    raise BaseExceptionGroup("several", [SystemExit()])


async def no_json(_: ToolCall) -> object:
    return {"a": {1, 2}}


async def not_a_number(_: ToolCall) -> object:
    return [float("nan")]


async def text_of_another_type(_: ToolCall) -> object:
    return ToolResult(text=5)  # type: ignore[arg-type] # what is tested


def at_once(_: ToolCall) -> Any:
    return "not awaitable"


ODD: dict[str, tuple[ToolBody, str]] = {
    "cancels itself": (cancels_itself, "the tool cancelled itself"),
    "leaves the process": (leaves, "3"),
    "leaves a generator": (leaves_a_generator, "GeneratorExit"),
    "several at once": (groups, "several"),
    "no JSON": (no_json, "not a JSON value"),
    "not a number": (not_a_number, "not a JSON value"),
    "a text that is none": (text_of_another_type, "the text of a result is a string"),
    "not asynchronous": (at_once, "await"),
}


class TestWhateverGoesWrong:
    @pytest.mark.parametrize(("body", "said"), ODD.values(), ids=ODD.keys())
    async def test_it_is_an_error_result_and_the_seams_after_it_hear(
        self, tmp_path: Path, body: ToolBody, said: str
    ) -> None:
        watched = Watched(tmp_path, body)
        result = await watched.call()
        assert result.is_error
        assert said in result.text
        assert watched.trace[-2:] == ["tools/post-execute", "tools/result"]

    async def test_a_cancelled_call_has_a_result_in_the_log(self, tmp_path: Path) -> None:
        started, ended = asyncio.Event(), asyncio.Event()

        async def waits(_: ToolCall) -> object:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return None

        watched = Watched(tmp_path, waits)
        running = asyncio.ensure_future(watched.call())
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert ended.is_set()
        assert logged(watched, "tool/result", "text") == ["Error: tool call aborted"]

    async def test_a_tool_that_resists_its_cancellation_is_waited_for(self, tmp_path: Path) -> None:
        started, cleaned = asyncio.Event(), False

        async def resists(_: ToolCall) -> object:
            nonlocal cleaned
            started.set()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            cleaned = True
            return "late"

        watched = Watched(tmp_path, resists)
        running = asyncio.ensure_future(watched.call())
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert cleaned

    @given(
        value=st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.integers(), inner, max_size=3),
            max_leaves=8,
        )
    )
    def test_any_answer_of_a_tool_becomes_a_result_that_is_json(self, value: object) -> None:
        async def says(_: ToolCall) -> object:
            return value

        host = EmbeddedHost("/", tools={"tool": says}, catalog=CATALOG)
        result = asyncio.run(host.agent().call("tool", {}))
        assert json.loads(json.dumps(result.text)) == result.text
        json.dumps(result.value, default=dict, allow_nan=False)


def logged(watched: Watched, kind: str, member: str) -> list[object]:
    return [event.data[member] for event in watched.host.one.session.events if event.type == kind]
