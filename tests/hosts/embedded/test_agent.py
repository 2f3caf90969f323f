"""What can be done to an agent from outside, and what it tells of it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.hosts.embedded.agent import DEPTH
from dsh_compat_adapter.hosts.embedded.model import ModelError, ScriptedModel, use
from dsh_compat_adapter.hosts.embedded.tool import ToolCall
from dsh_compat_adapter.hosts.embedded.turn import TurnEnd
from dsh_compat_adapter.seams.decisions import AskTool, Decision, Notify
from dsh_compat_adapter.seams.host import HostEvent
from tests.mounting import WatchedHost


class Told(list[tuple[str, Mapping[str, object]]]):
    """Everything that a host tells at some seams."""

    def __init__(self, host: WatchedHost, *seams: str) -> None:
        super().__init__()
        for seam in seams:
            host.subscribe(seam, self._listen)

    async def _listen(self, event: HostEvent) -> Decision:
        self.append((event.seam, event.values))
        return Notify()

    def values(self, path: str) -> list[object]:
        return [values.get(path) for _, values in self]


@pytest.fixture
def host(tmp_path: Path) -> WatchedHost:
    return WatchedHost(tmp_path, model=ScriptedModel())


async def test_without_a_model_no_turn_runs_and_the_error_says_so(tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="no model"):
        await WatchedHost(tmp_path).one.prompt("hi")


async def test_a_session_is_announced_and_its_end_is_told_once_with_the_reason(host: WatchedHost) -> None:
    told = Told(host, "session/created", "agent/created", "agent/disposed", "session/disposed")
    agent = await host.start("resume")
    await agent.dispose("logout")
    await agent.dispose()
    assert [seam for seam, _ in told] == ["session/created", "agent/created", "agent/disposed", "session/disposed"]
    assert told.values("session.source") == ["resume", "resume", None, None]
    assert told.values("session.end_reason") == [None, None, "logout", "logout"]


async def test_an_agent_whose_creation_is_refused_never_came_to_be(host: WatchedHost) -> None:
    async def refuses(_: HostEvent) -> Decision:
        raise RuntimeError("not now")

    told = Told(host, "agent/disposed")
    host.subscribe("agent/created", refuses)
    with pytest.raises(RuntimeError, match="not now"):
        await host.start()
    assert len(told) == 1


async def test_a_disposed_agent_runs_nothing_any_more(host: WatchedHost) -> None:
    await host.one.dispose()
    with pytest.raises(CompatError) as raised:
        await host.one.prompt("hi")
    assert raised.value.code is ErrorCode.DISPOSED


async def test_closing_the_host_disposes_its_agents(host: WatchedHost) -> None:
    told = Told(host, "agent/disposed")
    async with host:
        agents = [await host.start(), await host.start()]
    await host.aclose()
    assert told.values("agent.id") == [agent.id for agent in agents]


async def test_a_resumed_session_goes_on_where_the_former_one_ended(host: WatchedHost) -> None:
    former = host.one
    await former.prompt("hi")
    agent = await host.start("resume", former=former.session.events)
    assert [message.text for message in agent.messages] == ["hi", "done"]
    assert agent.session.id != former.session.id


async def test_a_resumed_session_keeps_its_title(host: WatchedHost) -> None:
    await host.one.prompt("the first prompt")
    agent = await host.start("resume", former=host.one.session.events)
    await agent.prompt("another")
    assert agent.title == "the first prompt"


async def test_a_host_without_a_shell_ships_no_tool_that_needs_one(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, without=("shell",))
    assert (await host.call("bash", {"command": "echo ran"})).text == "Error: unknown tool 'bash'"


async def test_instruction_files_are_read_first_with_their_paths(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("be brief")
    host = WatchedHost(tmp_path, model=ScriptedModel(), instructions=("AGENTS.md",))
    told = Told(host, "session/event")
    agent = await host.start()
    await agent.prompt("hi")
    assert [message.text for message in agent.messages] == ["be brief", "hi", "done"]
    data = [d for d in told.values("event.data") if isinstance(d, Mapping) and "source_kind" in d]
    assert data[0]["source_path"] == str(tmp_path / "AGENTS.md")


class TestSubagents:
    async def test_a_subagent_has_its_own_session_and_its_end_is_the_result_of_the_call(self, tmp_path: Path) -> None:
        host = WatchedHost(tmp_path, model=ScriptedModel([[use("subagent", prompt="look")], "found it", "thanks"]))
        told = Told(host, "subagent/start", "agent/created", "agent/turn-stopping", "agent/disposed", "subagent/end")
        end = await host.one.prompt("go")
        assert (end.text, [m.text for m in host.messages]) == ("thanks", ["go", "", "found it", "thanks"])
        seams = [seam for seam, _ in told]
        assert seams == [
            "subagent/start",
            "agent/created",
            "agent/turn-stopping",
            "agent/disposed",
            "subagent/end",
            "agent/turn-stopping",
        ]
        assert told.values("agent.is_subagent") == [False, True, True, True, False, False]
        started, child = told[0][1], told[1][1]
        assert (started["subagent.id"], started["subagent.type"]) == (child["agent.id"], child["agent.type"])
        assert started["session.id"] != child["session.id"]
        assert (told[4][1]["subagent.stop_reason"], told[4][1]["subagent.last_message"]) == ("completed", "found it")

    async def test_context_of_its_start_is_read_by_the_subagent_and_not_by_its_parent(self, tmp_path: Path) -> None:
        model = ScriptedModel([[use("subagent", prompt="look")], "found it", "thanks"])
        host = WatchedHost(tmp_path, model=model)

        async def adds(_: HostEvent) -> Decision:
            return Notify(contexts=("mind the gap",))

        host.subscribe("subagent/start", adds)
        await host.one.prompt("go")
        assert [m.text for m in model.requests[1].messages] == ["mind the gap", "look"]
        assert "mind the gap" not in [m.text for m in host.messages]

    async def test_a_host_without_subagents_has_no_such_tool_and_no_such_seams(self, tmp_path: Path) -> None:
        host = WatchedHost(tmp_path, without=("subagents",))
        assert (await host.call("subagent", {"prompt": "x"})).text == "Error: unknown tool 'subagent'"
        assert "subagent/start" not in host.surface.seams

    async def test_a_model_that_always_delegates_comes_to_an_end(self, tmp_path: Path) -> None:
        model = ScriptedModel([[use("subagent", prompt="deeper")] for _ in range(100)])
        host = WatchedHost(tmp_path, model=model, max_steps=1)
        await host.one.prompt("go")
        assert len(model.requests) == DEPTH + 1


class TestCompaction:
    async def test_the_summary_takes_the_place_of_the_messages(self, tmp_path: Path) -> None:
        host = WatchedHost(tmp_path, model=ScriptedModel(["one", "two", "all of it"]))
        await host.one.prompt("a")
        await host.one.prompt("b")
        await host.one.compact()
        assert [(m.text, m.source) for m in host.messages] == [("all of it", "compaction")]
        kinds = [event.type for event in host.one.session.events]
        assert kinds[-3:] == ["compaction/start", "compaction/summary", "compaction/end"]

    async def test_context_at_its_start_is_read_behind_the_summary(self, tmp_path: Path) -> None:
        host = WatchedHost(tmp_path, model=ScriptedModel(["one", "all of it"]))

        async def adds(event: HostEvent) -> Decision:
            starts = event.values["event.type"] == "compaction/start"
            return Notify(contexts=("keep the goal",) if starts else ())

        host.subscribe("session/event", adds)
        await host.one.prompt("a")
        await host.one.compact()
        assert [m.text for m in host.messages] == ["all of it", "keep the goal"]

    @pytest.mark.parametrize(
        "answer", [ModelError("no quota"), "", use("tool")], ids=["fails", "empty", "calls a tool"]
    )
    async def test_a_compaction_that_fails_loses_nothing_and_says_so(self, tmp_path: Path, answer: object) -> None:
        host = WatchedHost(tmp_path, model=ScriptedModel(["one", answer]))  # type: ignore[list-item] # one of the three
        await host.one.prompt("a")
        with pytest.raises(ModelError):
            await host.one.compact()
        assert [m.text for m in host.messages] == ["a", "one"]
        assert host.one.session.events[-1].data["error"]

    async def test_a_compaction_that_fails_at_a_step_costs_neither_the_prompt_nor_the_turn(
        self, tmp_path: Path
    ) -> None:
        host = WatchedHost(tmp_path, model=ScriptedModel(["one", ModelError("no quota"), "two"]), compact_above=1)
        await host.one.prompt("a")
        assert (await host.one.prompt("b")).text == "two"
        assert [m.text for m in host.messages] == ["a", "one", "b", "two"]

    async def test_a_session_that_grows_too_long_is_compacted_at_its_next_step(self, tmp_path: Path) -> None:
        host = WatchedHost(tmp_path, model=ScriptedModel(["x" * 100, "short", "two"]), compact_above=50)
        await host.one.prompt("a")
        await host.one.prompt("b")
        assert [m.text for m in host.messages] == ["short", "b", "two"]


class TestCommands:
    async def test_a_command_is_told_and_what_it_says_is_the_prompt(self, tmp_path: Path) -> None:
        async def review(arguments: str) -> str:
            return f"review {arguments} with care"

        host = WatchedHost(tmp_path, model=ScriptedModel(), commands={"review": review})
        told = Told(host, "agent/pre-step")
        await host.one.prompt("/review a b")
        assert [m.text for m in host.messages] == ["review a b with care", "done"]
        assert told.values("prompt.command") == ["review"]
        assert told.values("prompt.command_arguments") == ["a b"]
        logged = [(e.type, dict(e.data)) for e in host.one.session.events if e.type.startswith("command/")]
        assert logged == [(kind, {"name": "review", "arguments": "a b"}) for kind in ("command/run", "command/done")]

    async def test_a_command_without_a_prompt_is_a_turn_without_steps(self, tmp_path: Path) -> None:
        (tmp_path / "more").mkdir()
        host = WatchedHost(tmp_path, model=ScriptedModel())
        assert (await host.one.prompt("/add-dir more")).kind == "completed"
        assert host.one.directories == [str(tmp_path), str(tmp_path / "more")]
        assert host.messages == []

    async def test_an_unknown_command_is_a_prompt_like_any_other(self, host: WatchedHost) -> None:
        await host.one.prompt("/etc/hosts is what?")
        assert host.messages[0].text == "/etc/hosts is what?"


class TestChanges:
    async def test_another_folder_is_told_and_tools_work_there(self, host: WatchedHost, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        await host.one.change_directory("sub")
        assert host.one.session.events[-1].data == {"cwd": str(tmp_path / "sub"), "old_cwd": str(tmp_path)}
        assert (await host.call("bash", {"command": "pwd"})).text == f"{tmp_path / 'sub'}\n"

    @pytest.mark.parametrize("path", ["gone", "\0", "x" * 5000])
    async def test_a_folder_that_is_none_changes_nothing(self, host: WatchedHost, tmp_path: Path, path: str) -> None:
        with pytest.raises(CompatError, match="no folder"):
            await host.one.change_directory(path)
        assert host.one.cwd == str(tmp_path)

    async def test_another_model_is_told_and_answers_from_then_on(self, host: WatchedHost) -> None:
        other = ScriptedModel(["from the other"], name="other")
        await host.one.select_model(other)
        assert host.one.session.events[-1].data == {"model": "other", "previous_model": "scripted"}
        assert (await host.one.prompt("hi")).text == "from the other"

    async def test_a_question_is_told_and_answered_by_whoever_is_there(self, tmp_path: Path) -> None:
        async def answers(question: str, options: tuple[str, ...]) -> str:
            return f"{question} {options[-1]}"

        host = WatchedHost(tmp_path, answerer=answers)
        told = Told(host, "user-questions/request")
        result = await host.call("ask_user_question", {"question": "which?", "options": ["a", "b"]})
        assert (result.value, told.values("question.text")) == ({"answer": "which? b"}, ["which?"])

    async def test_a_question_that_nobody_answers_is_an_error_result(self, host: WatchedHost) -> None:
        result = await host.call("ask_user_question", {"question": "which?"})
        assert result.text == "Error: nobody is there to answer"

    async def test_settings_and_bridges_that_change_are_told(self, host: WatchedHost) -> None:
        told = Told(host, "settings/document-updated")
        await host.update_settings("hooks")
        await host.update_settings("hooks")
        assert told.values("settings.revision") == [1, 2]


Act = Callable[[WatchedHost], Awaitable[object]]
ACTS: Mapping[str, Act] = {
    "prompt": lambda host: host.one.prompt("inner"),
    "compact": lambda host: host.one.compact(),
    "cancel": lambda host: host.one.cancel(),
    "dispose": lambda host: host.one.dispose(),
    "aclose": lambda host: host.aclose(),
}
MOMENTS = (
    "agent/pre-step",
    "tools/pre-execute",
    "tools/post-execute",
    "agent/turn-stopping",
    "agent/status",
    "session/event",
    "agent/disposed",
)


def whole(host: WatchedHost) -> bool:
    """Whether everything in the log that began has an end, and every call a result."""
    kinds = [event.type for event in host.one.session.events]
    pairs = [("turn/start", "turn/end"), ("step/start", "step/end"), ("tool/call", "tool/result")]
    return all(kinds.count(begin) == kinds.count(end) for begin, end in pairs)


class TestFromWithin:
    """What a tool or a listener of the agent itself does to it."""

    @pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
    async def test_a_tool_that_acts_on_its_own_agent_does_not_wait_for_itself(self, tmp_path: Path, act: Act) -> None:
        async def tool(_: ToolCall) -> str:
            return str(await act(within))

        within = WatchedHost(tmp_path, model=ScriptedModel([[use("tool")]]), tools={"tool": tool})
        await (await within.start()).prompt("go")
        assert whole(within)

    @pytest.mark.parametrize("seam", MOMENTS)
    @pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
    async def test_a_listener_that_acts_on_its_own_agent_does_not_wait_for_itself(
        self, tmp_path: Path, act: Act, seam: str
    ) -> None:
        async def tool(_: ToolCall) -> str:
            return "done"

        async def listen(_: HostEvent) -> Decision:
            await act(within)
            return Notify()

        within = WatchedHost(tmp_path, model=ScriptedModel([[use("tool")]]), tools={"tool": tool})
        agent = await within.start()
        within.subscribe(seam, listen)
        await agent.prompt("go")
        await agent.dispose()
        assert whole(within)

    async def test_a_turn_within_a_turn_is_an_error_that_names_the_way_out(self, tmp_path: Path) -> None:
        async def tool(_: ToolCall) -> str:
            return str(await within.one.prompt("inner"))

        within = WatchedHost(tmp_path, model=ScriptedModel([[use("tool")]]), tools={"tool": tool})
        await (await within.start()).prompt("go")
        assert "use queue, steer or inject" in within.one.messages[-2].text

    async def test_a_tool_that_disposes_its_agent_ends_the_turn_and_the_end_is_told_before_the_caller_goes_on(
        self, tmp_path: Path
    ) -> None:
        async def tool(_: ToolCall) -> str:
            await within.one.dispose("logout")
            return "disposed"

        within = WatchedHost(tmp_path, model=ScriptedModel([[use("tool")]]), tools={"tool": tool})
        told = Told(within, "session/disposed")
        end = await (await within.start()).prompt("go")
        assert (end.kind, told.values("session.end_reason")) == ("aborted", ["logout"])

    async def test_a_listener_that_cancels_the_turn_ends_it_before_the_model_is_asked_again(
        self, tmp_path: Path
    ) -> None:
        async def tool(_: ToolCall) -> str:
            return "done"

        async def listen(_: HostEvent) -> Decision:
            await within.one.cancel()
            return Notify()

        model = ScriptedModel([[use("tool")]])
        within = WatchedHost(tmp_path, model=model, tools={"tool": tool})
        agent = await within.start()
        within.subscribe("tools/post-execute", listen)
        assert ((await agent.prompt("go")).kind, len(model.requests)) == ("aborted", 1)


class TestSideBySide:
    """What several do to one agent at once."""

    async def test_of_two_prompts_at_once_each_has_its_turn_and_its_answer(self, tmp_path: Path) -> None:
        agent = await WatchedHost(tmp_path, model=ScriptedModel(["one", "two"])).start()
        ends = await asyncio.gather(agent.prompt("first"), agent.prompt("second"))
        assert [end.text for end in ends] == ["one", "two"]
        assert [message.text for message in agent.messages] == ["first", "one", "second", "two"]

    async def test_a_prompt_that_is_cancelled_while_it_waits_is_never_said(self, tmp_path: Path) -> None:
        agent = await WatchedHost(tmp_path, model=ScriptedModel(["one", "two"])).start()
        first, second = (asyncio.ensure_future(agent.prompt(text)) for text in ("first", "second"))
        await asyncio.sleep(0)
        second.cancel()
        assert isinstance(await first, TurnEnd)
        await asyncio.wait({second})
        await agent.prompt("third")
        assert [message.text for message in agent.messages] == ["first", "one", "third", "two"]


class TestEnd:
    """The end of an agent and of its host reaches everything."""

    @pytest.mark.parametrize("act", [ACTS["dispose"], ACTS["aclose"]], ids=["dispose", "aclose"])
    async def test_it_ends_a_call_that_runs_outside_of_any_turn(self, tmp_path: Path, act: Act) -> None:
        async def tool(_: ToolCall) -> str:
            running.set()
            return str(await asyncio.Event().wait())

        running = asyncio.Event()
        within = WatchedHost(tmp_path, tools={"tool": tool})
        called = asyncio.ensure_future((await within.start()).call("tool", {}))
        await running.wait()
        await act(within)
        assert "was disposed" in (await called).text
        assert whole(within)

    async def test_it_ends_a_subagent_that_runs_outside_of_any_turn(self, tmp_path: Path) -> None:
        async def hold(_: HostEvent) -> Decision:
            running.set()
            await asyncio.Event().wait()
            return Notify()

        running = asyncio.Event()
        within = WatchedHost(tmp_path, model=ScriptedModel())
        agent = await within.start()
        within.subscribe("agent/request", hold)
        delegated = asyncio.ensure_future(agent.delegate("part of it"))
        await running.wait()
        await agent.dispose()
        with pytest.raises(CompatError) as raised:
            await delegated
        assert raised.value.code is ErrorCode.DISPOSED

    async def test_it_ends_a_compaction_that_runs(self, tmp_path: Path) -> None:
        async def hold(event: HostEvent) -> Decision:
            if event.values["event.type"] == "compaction/start":
                running.set()
                await asyncio.Event().wait()
            return Notify()

        running = asyncio.Event()
        within = WatchedHost(tmp_path, model=ScriptedModel())
        agent = await within.start()
        within.subscribe("session/event", hold)
        compacted = asyncio.ensure_future(agent.compact())
        await running.wait()
        await agent.dispose()
        with pytest.raises(CompatError) as raised:
            await compacted
        assert raised.value.code is ErrorCode.DISPOSED

    async def test_a_call_of_a_disposed_agent_runs_nothing_and_is_an_error_result(self, tmp_path: Path) -> None:
        within = WatchedHost(tmp_path)
        await (await within.start()).dispose()
        result = await within.call("write", {"file_path": "a.txt", "content": "x"})
        assert (result.is_error, (tmp_path / "a.txt").exists()) == (True, False)

    async def test_a_second_dispose_waits_for_the_first(self, host: WatchedHost) -> None:
        async def hold(_: HostEvent) -> Decision:
            first_is_there.set()
            await go_on.wait()
            return Notify()

        first_is_there, go_on = asyncio.Event(), asyncio.Event()
        agent = await host.start()
        host.subscribe("agent/disposed", hold)
        first = asyncio.ensure_future(agent.dispose())
        await first_is_there.wait()
        second = asyncio.ensure_future(host.aclose())
        done, _ = await asyncio.wait({second}, timeout=0.05)
        go_on.set()
        await asyncio.gather(first, second)
        assert not done

    async def test_an_agent_that_starts_while_the_host_is_closed_is_not_handed_out(self, host: WatchedHost) -> None:
        async def close(_: HostEvent) -> Decision:
            await host.aclose()
            return Notify()

        host.subscribe("agent/created", close)
        for _ in range(2):
            with pytest.raises(CompatError) as raised:
                await host.start()
            assert raised.value.code is ErrorCode.DISPOSED


async def test_a_host_tells_hooks_its_permission_mode_from_the_start(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, permission_mode="plan")
    told = Told(host, "agent/created")
    await host.start()
    assert told.values("session.permission_mode") == ["plan"]


async def test_no_permission_mode_answers_an_ask(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, permission_mode="bypassPermissions")

    async def asks(_: HostEvent) -> Decision:
        return AskTool(reason="sure?")

    host.subscribe("tools/pre-execute", asks)
    assert (await host.call("bash", {"command": "touch ran"})).denied
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("mode", ["", 5, None])
def test_a_permission_mode_is_a_name(mode: Any, tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="permission_mode is the name of a mode"):
        WatchedHost(tmp_path, permission_mode=mode)


async def test_all_events_of_a_turn_have_the_id_of_its_prompt_and_so_have_those_after_it(host: WatchedHost) -> None:
    told = Told(host, "agent/created", "agent/pre-step", "agent/turn-stopping", "agent/disposed")
    agent = await host.start()
    await agent.prompt("one")
    await agent.prompt("two")
    await agent.dispose()
    start, *ids = told.values("prompt.id")
    assert start is None
    assert ids[0] == ids[1] != ids[2]
    assert ids[2] == ids[3] == ids[4]


async def test_a_subagent_works_for_the_prompt_of_who_started_it(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, model=ScriptedModel([use("subagent", prompt="help"), "helped", "done"]))
    told = Told(host, "agent/turn-stopping")
    await host.one.prompt("hi")
    child, main = told.values("prompt.id")
    assert child == main
