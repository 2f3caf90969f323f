"""`routes.stops`: a stop at a seam that cannot end the turn refuses the next step."""

from pathlib import Path

import pytest

from dsh_compat_adapter import ScriptedModel, use
from dsh_compat_adapter.hooks.outcome import Outcome
from dsh_compat_adapter.hosts.embedded.turn import TurnEnd
from dsh_compat_adapter.routes.stops import AGENTS, Stops
from dsh_compat_adapter.seams.decisions import AllowPrompt, BlockPrompt, Decision
from dsh_compat_adapter.seams.host import HostEvent
from dsh_compat_adapter.seams.translate import STOPS
from tests.mounting import WatchedHost, adapting, hook, mounting, prints

STOP = Outcome(stop=True, stop_reason="enough")
STOPPING = prints({"continue": False, "stopReason": "enough"})


def at(agent: str = "a", turn: str = "1") -> HostEvent:
    return HostEvent(seam="tools/post-execute", values={"agent.id": agent, "turn.id": turn})


@pytest.fixture
def stops() -> Stops:
    return Stops()


async def next_step(stops: Stops, tmp_path: Path, event: HostEvent) -> Decision:
    hooks = [hook("claude", "PostToolUse", "true", project=tmp_path)]
    return await stops.listener(hooks, mounting(WatchedHost(tmp_path)))(event)


async def test_the_next_step_of_a_stopped_agent_is_refused_once(stops: Stops, tmp_path: Path) -> None:
    stops.note(at(), STOP, any_turn=False)
    assert await next_step(stops, tmp_path, at("b")) == AllowPrompt()
    assert await next_step(stops, tmp_path, at()) == BlockPrompt(reason="enough")
    assert await next_step(stops, tmp_path, at()) == AllowPrompt()


async def test_an_outcome_without_a_stop_refuses_nothing(stops: Stops, tmp_path: Path) -> None:
    stops.note(at(), Outcome(), any_turn=False)
    assert await next_step(stops, tmp_path, at()) == AllowPrompt()


async def test_a_later_turn_than_the_stopped_one_goes_on(stops: Stops, tmp_path: Path) -> None:
    stops.note(at(turn="1"), STOP, any_turn=False)
    assert await next_step(stops, tmp_path, at(turn="2")) == AllowPrompt()


async def test_a_stop_of_no_turn_in_particular_ends_the_first_that_comes(stops: Stops, tmp_path: Path) -> None:
    stops.note(at(turn="1"), STOP, any_turn=True)
    assert await next_step(stops, tmp_path, at(turn="2")) == BlockPrompt(reason="enough")


@pytest.mark.parametrize("reason", [None, "", " "])
async def test_a_stop_without_a_reason_has_one(stops: Stops, tmp_path: Path, reason: str | None) -> None:
    stops.note(at(), Outcome(stop=True, stop_reason=reason), any_turn=False)
    assert await next_step(stops, tmp_path, at()) == BlockPrompt(reason=STOPS)


async def test_agents_that_never_come_to_a_next_step_fill_no_memory(stops: Stops, tmp_path: Path) -> None:
    for number in range(AGENTS + 1):
        stops.note(at(str(number)), STOP, any_turn=False)
    assert await next_step(stops, tmp_path, at("0")) == AllowPrompt()
    assert await next_step(stops, tmp_path, at("1")) == BlockPrompt(reason="enough")


async def run(tmp_path: Path, event: str, vendor: str = "claude", prompts: int = 1) -> tuple[WatchedHost, TurnEnd]:
    model = ScriptedModel([use("bash", command="touch ran"), "done"])
    host = WatchedHost(tmp_path, model=model)
    async with adapting(host) as adapter:
        await adapter.register_hook({"vendor": vendor, "event": event, "handler": STOPPING, "bridge": "native"})
        await host.start()
        for _ in range(prompts):
            end = await host.one.prompt("hi")
    return host, end


async def test_a_stop_after_a_tool_ends_the_turn_and_its_reason_says_why(tmp_path: Path) -> None:
    host, end = await run(tmp_path, "PostToolUse")
    assert (tmp_path / "ran").exists()
    assert (end.kind, end.why) == ("rejected", "enough")
    assert ("prompt/blocked", "enough") in [(e.type, e.data.get("reason")) for e in host.one.session.events]


async def test_a_stop_before_a_tool_refuses_the_call_too(tmp_path: Path) -> None:
    _, end = await run(tmp_path, "PreToolUse")
    assert not (tmp_path / "ran").exists()
    assert (end.kind, end.why) == ("rejected", "enough")


async def test_a_stop_at_the_start_ends_the_first_turn_and_no_other(tmp_path: Path) -> None:
    _, end = await run(tmp_path, "SessionStart", "codex")
    assert (end.kind, end.why) == ("rejected", "enough")
    _, end = await run(tmp_path, "SessionStart", "codex", prompts=2)
    assert end.kind == "completed"
