"""Turns of an agent: prompts, steps, steering, ends; the names are sentences of seed 001."""

import asyncio
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.hooks.process import LocalShell
from dsh_compat_adapter.hosts.embedded.agent import Agent
from dsh_compat_adapter.hosts.embedded.model import ModelError, ModelRequest, Said, ScriptedModel, use
from dsh_compat_adapter.hosts.embedded.session import Message, ToolUse
from dsh_compat_adapter.hosts.embedded.tool import ToolCall
from dsh_compat_adapter.hosts.embedded.tools import local_tools
from dsh_compat_adapter.hosts.embedded.turn import CAPPED, TurnEnd
from dsh_compat_adapter.seams.decisions import (
    AcceptResult,
    AllowPrompt,
    AllowTool,
    AskTool,
    BlockPrompt,
    ContinueTurn,
    Decision,
    Notify,
    StopTurn,
)
from dsh_compat_adapter.seams.host import HostEvent, Listener
from tests.mounting import WatchedHost, adapting, alive, heard

WHOLE = [
    ("turn/start", "turn/end"),
    ("step/start", "step/end"),
    ("compaction/start", "compaction/end"),
    ("approval/asked", "approval/decided"),
]
Answer = Callable[[HostEvent], Decision]


async def tool(call: ToolCall) -> object:
    return f"{call.name} {call.arguments.get('n', '')}"


class Scene:
    """A host with a scripted model and one agent."""

    def __init__(self, project: Path, *script: Said | list[Said], **options: Any) -> None:
        self.model = ScriptedModel(script)
        self.host = WatchedHost(project, model=self.model, **{"tools": {"tool": tool}, **options})
        self.agent: Agent = self.host.one

    def answer(self, seam: str, answer: Answer) -> None:
        async def listen(event: HostEvent) -> Decision:
            return answer(event)

        self.host.subscribe(seam, listen)

    def kinds(self, *wanted: str) -> list[str]:
        return [event.type for event in self.agent.session.events if not wanted or event.type in wanted]

    def data(self, kind: str) -> list[Mapping[str, object]]:
        return [event.data for event in self.agent.session.events if event.type == kind]

    def texts(self) -> list[str]:
        """What the model read at its last request."""
        return [message.text for message in self.model.requests[-1].messages]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path, "hello")


def prompts(text: str, decision: Decision) -> Answer:
    """A policy for one prompt."""
    return lambda event: decision if event.values.get("prompt.text") == text else AllowPrompt()


async def test_a_turn_of_one_step_is_logged_from_start_to_end(scene: Scene) -> None:
    assert await scene.agent.prompt("hi") == TurnEnd(kind="completed", text="hello")
    assert scene.kinds() == [
        "turn/start",
        "session/title",
        "step/start",
        "user/message",
        "assistant/message",
        "step/end",
        "turn/end",
    ]
    assert [message.text for message in scene.agent.messages] == ["hi", "hello"]


async def test_every_event_of_the_log_is_told_in_its_order(scene: Scene) -> None:
    seen: list[object] = []

    async def listen(event: HostEvent) -> Decision:
        seen.append((event.values["event.seq"], event.values["event.type"]))
        return Notify()

    scene.host.subscribe("session/event", listen)
    await scene.agent.prompt("hi")
    assert seen == [(event.seq, event.type) for event in scene.agent.session.events]


class TestPrompts:
    async def test_a_blocked_prompt_leaves_itself_and_the_reason_in_the_log(self, scene: Scene) -> None:
        scene.answer("agent/pre-step", prompts("bad", BlockPrompt(reason="not here")))
        await scene.agent.prompt("bad")
        assert scene.data("prompt/blocked") == [{"text": "bad", "reason": "not here"}]

    async def test_a_batch_that_is_blocked_whole_is_a_turn_without_steps_that_ends_rejected(self, scene: Scene) -> None:
        scene.answer("agent/pre-step", lambda _: BlockPrompt(reason="no"))
        scene.agent.queue("one")
        scene.agent.queue("two")
        end = await scene.agent.run()
        assert end == TurnEnd(kind="rejected", why="no\n\nno")
        assert scene.kinds() == ["turn/start", "prompt/blocked", "prompt/blocked", "turn/end"]
        assert scene.data("turn/end")[0]["reason_kind"] == "rejected"
        assert scene.model.requests == []

    async def test_a_mixed_batch_keeps_the_allowed_prompt_and_the_record_of_the_blocked_one(self, scene: Scene) -> None:
        scene.answer("agent/pre-step", prompts("bad", BlockPrompt(reason="no")))
        for text in ("good", "bad", "better"):
            scene.agent.queue(text)
        end = await scene.agent.run()
        assert end is not None
        assert end.kind == "completed"
        assert scene.texts() == ["good", "better"]
        assert [data["text"] for data in scene.data("prompt/blocked")] == ["bad"]

    async def test_the_policy_is_asked_for_each_message_of_the_batch(self, scene: Scene) -> None:
        seen: list[object] = []

        def note(event: HostEvent) -> Decision:
            seen.append(event.values["prompt.text"])
            return AllowPrompt()

        scene.answer("agent/pre-step", note)
        scene.agent.queue("one")
        scene.agent.queue("two")
        await scene.agent.run()
        assert seen == ["one", "two"]

    async def test_a_rewritten_prompt_is_what_the_model_reads_and_its_context_follows_it(self, scene: Scene) -> None:
        scene.answer("agent/pre-step", prompts("hi", AllowPrompt(text="good day", contexts=("it is Monday",))))
        await scene.agent.prompt("hi")
        assert scene.texts() == ["good day", "it is Monday"]
        assert scene.agent.messages[1] == Message(text="it is Monday", source="compat-adapter")

    async def test_what_was_injected_before_comes_before_the_prompt(self, scene: Scene) -> None:
        scene.agent.inject("the rules")
        await scene.agent.prompt("hi")
        assert scene.texts() == ["the rules", "hi"]

    async def test_a_rejected_turn_leaves_what_was_injected_for_the_next(self, scene: Scene) -> None:
        scene.answer("agent/pre-step", prompts("bad", BlockPrompt(reason="no")))
        scene.agent.inject("the rules")
        await scene.agent.prompt("bad")
        await scene.agent.prompt("hi")
        assert scene.texts() == ["the rules", "hi"]


class TestSteps:
    async def test_calls_of_a_step_run_in_the_order_of_the_model_and_the_model_reads_their_results(
        self, tmp_path: Path
    ) -> None:
        scene = Scene(tmp_path, ["working", use("tool", n=1), use("tool", n=2)], "done")
        assert (await scene.agent.prompt("go")).text == "done"
        assert scene.texts() == ["go", "working", "tool 1", "tool 2"]
        assert [data["call_id"] for data in scene.data("tool/call")] == [
            data["call_id"] for data in scene.data("tool/result")
        ]

    async def test_context_after_a_tool_is_appended_after_all_results_of_the_step(self, tmp_path: Path) -> None:
        scene = Scene(tmp_path, [use("tool", n=1), use("tool", n=2)], "done")
        scene.answer("tools/pre-execute", lambda _: AllowTool(contexts=("before",)))
        scene.answer("tools/post-execute", lambda _: AcceptResult(contexts=("after",)))
        await scene.agent.prompt("go")
        assert scene.texts() == ["go", "", "tool 1", "tool 2", "before", "after", "before", "after"]

    async def test_two_calls_with_one_name_of_the_model_are_told_apart(self, tmp_path: Path) -> None:
        scene = Scene(tmp_path, [use("tool", "same", n=1), use("tool", "same", n=2)])
        await scene.agent.prompt("go")
        assert len({data["call_id"] for data in scene.data("tool/result")}) == 2
        assert scene.texts() == ["go", "", "tool 1", "tool 2"]

    async def test_steering_is_read_at_the_next_step_of_the_same_turn(self, tmp_path: Path) -> None:
        scene: Scene

        def steers(_: ModelRequest) -> str:
            scene.agent.steer("wait")
            return "first"

        scene = Scene(tmp_path, steers, "second")
        assert (await scene.agent.prompt("go")).text == "second"
        assert scene.texts() == ["go", "first", "wait"]
        assert len(scene.data("turn/start")) == 1

    async def test_what_is_queued_meanwhile_is_the_next_turn(self, tmp_path: Path) -> None:
        scene: Scene

        def queues(_: ModelRequest) -> str:
            scene.agent.queue("and then")
            return "first"

        scene = Scene(tmp_path, queues, "second")
        assert (await scene.agent.prompt("go")).text == "second"
        assert len(scene.data("turn/start")) == 2

    async def test_after_calls_a_step_can_be_refused_and_the_turn_ends_rejected(self, tmp_path: Path) -> None:
        scene = Scene(tmp_path, [use("tool")], "never said")
        scene.answer(
            "agent/pre-step",
            lambda event: BlockPrompt(reason="enough") if event.values.get("step.continues") else AllowPrompt(),
        )
        assert await scene.agent.prompt("go") == TurnEnd(kind="rejected", why="enough")
        assert len(scene.model.requests) == 1

    async def test_a_model_that_never_ends_is_ended(self, tmp_path: Path) -> None:
        calls: list[list[Said]] = [[use("tool")] for _ in range(5)]
        scene = Scene(tmp_path, *calls, max_steps=3)
        end = await scene.agent.prompt("go")
        assert (end.kind, len(scene.model.requests)) == ("max-steps", 3)


class TestContinuation:
    async def test_a_forced_continuation_steers_the_next_step_of_the_same_turn(self, tmp_path: Path) -> None:
        scene = Scene(tmp_path, "first", "second")
        scene.answer(
            "agent/turn-stopping",
            lambda event: StopTurn() if event.values["stop.active"] else ContinueTurn(reason="run the tests"),
        )
        assert (await scene.agent.prompt("go")).text == "second"
        assert scene.texts() == ["go", "first", "run the tests"]
        assert len(scene.data("turn/start")) == 1

    async def test_the_flag_is_false_at_the_first_stop_true_after_a_block_and_false_after_a_new_prompt(
        self, tmp_path: Path
    ) -> None:
        """Case B27."""
        flags: list[object] = []

        def note(event: HostEvent) -> Decision:
            flags.append(event.values["stop.active"])
            return ContinueTurn(reason="more") if len(flags) == 1 else StopTurn()

        scene = Scene(tmp_path, "a", "b", "c")
        scene.answer("agent/turn-stopping", note)
        await scene.agent.prompt("one")
        await scene.agent.prompt("two")
        assert flags == [False, True, False]

    async def test_a_listener_that_always_holds_the_turn_is_overruled_and_the_end_says_so(self, scene: Scene) -> None:
        """Case B25."""
        scene.answer("agent/turn-stopping", lambda _: ContinueTurn(reason="again"))
        end = await scene.agent.prompt("go")
        assert (end.kind, end.why) == ("completed", CAPPED)
        assert len(scene.model.requests) == 9

    async def test_context_at_the_stop_does_not_hold_the_turn(self, scene: Scene) -> None:
        scene.answer("agent/turn-stopping", lambda _: StopTurn(contexts=("for later",)))
        assert (await scene.agent.prompt("go")).kind == "completed"
        await scene.agent.prompt("more")
        assert "for later" in scene.texts()


class TestErrors:
    @pytest.mark.parametrize(
        ("error", "code"),
        [(ModelError("no quota", "RATE_LIMIT"), "RATE_LIMIT"), (ValueError("odd"), "UNKNOWN")],
        ids=["of the model", "of another kind"],
    )
    async def test_a_failing_model_ends_the_turn_with_an_error_that_is_told(
        self, tmp_path: Path, error: Exception, code: str
    ) -> None:
        scene = Scene(tmp_path, error, "afterwards")
        told: list[HostEvent] = []

        def note(event: HostEvent) -> Decision:
            told.append(event)
            return Notify()

        scene.answer("agent/error", note)
        end = await scene.agent.prompt("go")
        assert (end.kind, end.why, end.error_code) == ("error", str(error), code)
        assert scene.data("turn/end")[0]["error_code"] == code
        assert [event.values["error.message"] for event in told] == [str(error)]
        assert (await scene.agent.prompt("again")).text == "afterwards"

    async def test_a_model_that_says_something_else_than_text_and_calls_ends_the_turn_with_an_error(
        self, tmp_path: Path
    ) -> None:
        def odd(_: ModelRequest) -> str:
            return 5  # type: ignore[return-value] # what is tested

        assert (await Scene(tmp_path, odd).agent.prompt("go")).kind == "error"

    async def test_a_policy_that_fails_lets_no_prompt_in(self, scene: Scene) -> None:
        async def broken(_: HostEvent) -> Decision:
            raise RuntimeError("policy")

        listener: Listener = broken
        scene.host.subscribe("agent/pre-step", listener)
        assert (await scene.agent.prompt("go")).kind == "error"
        assert scene.model.requests == []


class TestCancelling:
    async def test_a_cancelled_turn_kills_its_running_hook_and_leaves_a_consistent_log(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "started")
        scene = Scene(tmp_path, [use("tool", "one"), use("tool", "two")])
        async with adapting(scene.host) as adapter:
            await adapter.register_hook(vendor="claude", event="PreToolUse", handler="echo $$ > started; sleep 30")
            running = asyncio.ensure_future(scene.agent.prompt("go"))
            pid = await heard(tmp_path / "started")
            await scene.agent.cancel()
            assert not alive(pid)
            end = await running
        assert (end.kind, end.why) == ("aborted", "user")
        self._is_consistent(scene)

    async def test_cancelling_the_caller_ends_the_turn_as_aborted_before_it_is_raised(self, tmp_path: Path) -> None:
        started = asyncio.Event()

        async def waits(_: ToolCall) -> object:
            started.set()
            await asyncio.Event().wait()
            return None

        scene = Scene(tmp_path, [use("waits", "one"), use("tool", "two")], tools={"waits": waits, "tool": tool})
        running = asyncio.ensure_future(scene.agent.prompt("go"))
        await started.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        self._is_consistent(scene)
        assert (await scene.agent.prompt("again")).kind == "completed"

    async def test_a_turn_that_is_cancelled_before_its_first_step_is_aborted_and_nothing_of_it_is_left(
        self, scene: Scene
    ) -> None:
        running = asyncio.ensure_future(scene.agent.prompt("go"))
        await asyncio.sleep(0)
        await scene.agent.cancel()
        assert (await running).kind == "aborted"
        assert (await scene.agent.prompt("again")).kind == "completed"
        assert scene.texts() == ["again"]

    async def test_what_is_queued_behind_an_aborted_turn_waits(self, tmp_path: Path) -> None:
        scene: Scene
        started = asyncio.Event()

        async def waits(_: ToolCall) -> object:
            scene.agent.queue("later")
            started.set()
            await asyncio.Event().wait()
            return None

        scene = Scene(tmp_path, [use("tool")], tools={"tool": waits})
        running = asyncio.ensure_future(scene.agent.prompt("go"))
        await started.wait()
        await scene.agent.cancel()
        assert (await running).kind == "aborted"
        assert scene.agent.inbox.has_queued

    @pytest.mark.parametrize("seam", ["agent/pre-step", "tools/pre-execute", "tools/result", "agent/turn-stopping"])
    async def test_a_listener_that_cancels_itself_cancels_nobody_else(self, tmp_path: Path, seam: str) -> None:
        async def leaves(_: HostEvent) -> Decision:
            raise asyncio.CancelledError

        scene = Scene(tmp_path, [use("tool")])
        scene.host.subscribe(seam, leaves)
        end = await scene.agent.prompt("go")
        assert end.kind == ("completed" if seam.startswith("tools/") else "error")

    async def test_cancelling_without_a_turn_does_nothing(self, scene: Scene) -> None:
        await scene.agent.cancel()
        assert scene.kinds() == []

    @staticmethod
    def _is_consistent(scene: Scene) -> None:
        assert [data["call_id"] for data in scene.data("tool/result")] == ["one", "two"]
        assert scene.kinds("step/start", "step/end", "turn/end") == ["step/start", "step/end", "turn/end"]
        assert scene.data("turn/end")[0]["reason_kind"] == "aborted"


class TestEveryAwait:
    """A turn that is cancelled after its n-th step of the event loop."""

    @pytest.mark.parametrize("first", range(0, 200, 20))
    async def test_the_log_is_whole_nothing_runs_on_and_the_next_prompt_works(self, tmp_path: Path, first: int) -> None:
        async def approve(_: str, __: object, ___: str) -> bool:
            await asyncio.sleep(0)
            return True

        async def nested(call: ToolCall) -> object:
            return (await call.nested("tool", {})).text

        async def listen(event: HostEvent) -> Decision:
            await asyncio.sleep(0)
            return AskTool(reason="sure?") if event.seam == "tools/pre-execute" else Notify()

        script: list[Said | list[Said]] = [[use("tool"), use("nested")], use("subagent", prompt="go"), "child", "end"]
        for n in range(first, first + 20):
            tools = {"tool": tool, "nested": nested, "subagent": local_tools(tmp_path, LocalShell())["subagent"]}
            scene = Scene(tmp_path, *script, tools=tools, approver=approve, compact_above=1)
            for seam in ("tools/pre-execute", "tools/result", "session/event", "agent/pre-step", "subagent/end"):
                scene.host.subscribe(seam, listen)
            before = asyncio.all_tasks()
            turn = asyncio.ensure_future(scene.agent.prompt("go"))
            for _ in range(n):
                await asyncio.sleep(0)
            turn.cancel()
            await asyncio.wait({turn})
            assert asyncio.all_tasks() == before
            for begin, end in WHOLE:
                assert len(scene.kinds(begin)) == len(scene.kinds(end)), (n, begin)
            calls = [call["call_id"] for said in scene.data("assistant/message") for call in cast("Any", said["calls"])]
            calls += [call["call_id"] for call in scene.data("tool/call")]
            assert set(calls) == {result["call_id"] for result in scene.data("tool/result")}, n
            assert isinstance(await scene.agent.prompt("again"), TurnEnd)


class TestInjected:
    """What was injected is read, whatever becomes of the step that it was for."""

    async def test_a_turn_that_is_cancelled_before_its_step_leaves_it_for_the_next(self, scene: Scene) -> None:
        async def hold(event: HostEvent) -> Decision:
            if event.values.get("prompt.text") == "carried rules" and not held.is_set():
                held.set()
                await asyncio.Event().wait()
            return Notify()

        held = asyncio.Event()
        scene.host.subscribe("agent/pre-step", hold)
        scene.agent.inject("carried rules")
        turn = asyncio.ensure_future(scene.agent.prompt("first"))
        await held.wait()
        await scene.agent.cancel()
        assert (await turn).kind == "aborted"
        await scene.agent.prompt("second")
        assert scene.texts() == ["carried rules", "second"]

    async def test_steering_while_the_turn_is_asked_about_its_end_still_holds_it(self, scene: Scene) -> None:
        def steer(_: HostEvent) -> Decision:
            if len(scene.model.requests) == 1:
                scene.agent.steer("one more thing")
            return StopTurn()

        scene.answer("agent/turn-stopping", steer)
        await scene.agent.prompt("go")
        assert scene.texts() == ["go", "hello", "one more thing"]

    @pytest.mark.parametrize("say", ["prompt", "queue", "steer", "inject"])
    async def test_what_is_no_text_is_refused_at_the_door(self, scene: Scene, say: str) -> None:
        with pytest.raises(CompatError) as raised:  # noqa: PT012 - only prompt has to be awaited
            said = getattr(scene.agent, say)(None)
            await said
        assert raised.value.code is ErrorCode.INVALID_INPUT
        assert (await scene.agent.prompt("go")).kind == "completed"


async def test_the_flag_of_a_held_stop_is_false_after_a_new_prompt_although_the_turn_failed(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "one", RuntimeError("model"), "two")
    seen: list[object] = []

    def hold(event: HostEvent) -> Decision:
        seen.append(event.values["stop.active"])
        return ContinueTurn(reason="go on") if len(seen) == 1 else StopTurn()

    scene.answer("agent/turn-stopping", hold)
    assert [(await scene.agent.prompt(text)).kind for text in ("a", "b")] == ["error", "completed"]
    assert seen == [False, False]


@pytest.mark.parametrize(
    "said",
    [
        ToolUse(name=cast("Any", None), arguments={}, call_id=""),
        ToolUse(name="tool", arguments={}, call_id=cast("Any", [])),
    ],
    ids=["name", "identity"],
)
async def test_a_call_without_a_name_or_identity_that_is_text_ends_the_turn_and_poisons_nothing(
    tmp_path: Path, said: ToolUse
) -> None:
    scene = Scene(tmp_path, said, "fine")
    assert [(await scene.agent.prompt("go")).kind for _ in range(2)] == ["error", "completed"]


async def test_the_time_for_many_calls_of_one_answer_grows_with_their_number_only(tmp_path: Path) -> None:
    """Comparing each identity with all others would look 10,000 times at each of 10,000."""

    class Counted(str):
        __slots__ = ()
        compared = 0

        def __hash__(self) -> int:
            Counted.compared += 1
            return super().__hash__()

    count = 300
    calls: list[Said] = [ToolUse(name="tool", arguments={}, call_id=Counted(f"call-{n}")) for n in range(count)]
    await Scene(tmp_path, calls).agent.prompt("go")
    assert Counted.compared < count * 20
