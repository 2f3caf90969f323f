"""A hook point is a listener: it runs its hooks where their row means the event, and answers in the seam's type."""

import asyncio
import os
from pathlib import Path

import pytest

from dsh_compat_adapter.catalog.surface import DecisionKind
from dsh_compat_adapter.routes.point import listener
from dsh_compat_adapter.seams.decisions import (
    AcceptResult,
    AllowTool,
    AskTool,
    DenyTool,
    Notify,
    StopTurn,
)
from dsh_compat_adapter.seams.host import HostEvent
from tests.mounting import WatchedHost, adds_context, alive, decides, denies, heard, hook, mounting, prints
from tests.recording import Kept

WRITE = {
    "session.id": "s1",
    "tool.host_name": "write",
    "tool.host_arguments": {"file_path": "a"},
    "tool.call_id": "c1",
}


@pytest.fixture
def host(tmp_path: Path) -> WatchedHost:
    return WatchedHost(tmp_path)


@pytest.mark.parametrize(
    ("said", "decision"),
    [
        (denies("no"), DenyTool(reason="no")),
        (decides("ask", "sure?"), AskTool(reason="sure?")),
        (decides("allow", "fine"), AllowTool()),
        ("true", AllowTool()),
        ("exit 2", DenyTool(reason="denied by a hook, which gave no reason")),
    ],
    ids=["deny", "ask", "allow", "nothing", "exit 2"],
)
async def test_the_outcome_becomes_the_typed_decision_of_the_seam(
    host: WatchedHost, tmp_path: Path, said: str, decision: object
) -> None:
    listen = listener([hook("claude", "PreToolUse", said, project=tmp_path)], "pre-tool", mounting(host))
    assert await listen(HostEvent(seam="tools/pre-execute", values=WRITE)) == decision


@pytest.mark.parametrize(
    ("values", "runs"),
    [
        ({"result.is_error": True, "result.denied": False}, True),
        ({"result.is_error": False, "result.denied": False}, False),
        ({"result.is_error": True, "result.denied": True}, False),
        ({}, False),
    ],
    ids=["failed", "worked", "denied", "nothing known"],
)
async def test_an_event_that_the_row_does_not_mean_runs_no_hook_and_leaves_no_fact(
    host: WatchedHost, tmp_path: Path, values: dict[str, object], *, runs: bool
) -> None:
    kept = Kept()
    hooks = [hook("claude", "PostToolUseFailure", "touch ran; echo why >&2; exit 2", project=tmp_path)]
    listen = listener(hooks, "post-tool", mounting(host, kept))
    decision = await listen(HostEvent(seam="tools/post-execute", values={**WRITE, **values}))
    assert decision == AcceptResult(contexts=("why",) if runs else ())
    assert (tmp_path / "ran").exists() is runs
    assert len(kept.ended) == int(runs)


@pytest.mark.parametrize(
    ("kind", "decision"),
    [
        ("pre-tool", AllowTool()),
        ("post-tool", AcceptResult()),
        ("continuation", StopTurn()),
        ("session-start", Notify()),
        (None, Notify()),
    ],
)
async def test_no_opinion_is_the_mildest_decision_of_each_seam(
    host: WatchedHost, tmp_path: Path, kind: DecisionKind | None, decision: object
) -> None:
    listen = listener([hook("claude", "PostToolUseFailure", "exit 2", project=tmp_path)], kind, mounting(host))
    assert await listen(HostEvent(seam="any", values={})) == decision


async def test_the_hooks_of_one_point_are_folded_the_strictest_wins_and_reasons_join(
    host: WatchedHost, tmp_path: Path
) -> None:
    said = [decides("allow", "fine"), denies("first"), decides("ask", "sure?"), denies("second")]
    hooks = [hook("claude", "PreToolUse", one, project=tmp_path) for one in said]
    decision = await listener(hooks, "pre-tool", mounting(host))(HostEvent(seam="tools/pre-execute", values=WRITE))
    assert decision == DenyTool(reason="first\n\nsecond")


async def test_a_matcher_that_does_not_select_the_tool_runs_nothing(host: WatchedHost, tmp_path: Path) -> None:
    kept = Kept()
    hooks = [hook("claude", "PreToolUse", "touch ran; exit 2", matcher="Bash", project=tmp_path)]
    decision = await listener(hooks, "pre-tool", mounting(host, kept))(
        HostEvent(seam="tools/pre-execute", values=WRITE)
    )
    assert decision == AllowTool()
    assert not (tmp_path / "ran").exists()
    assert kept.facts == []


async def test_the_facts_say_what_ran_on_what_and_came_to_what(host: WatchedHost, tmp_path: Path) -> None:
    kept = Kept()
    guard = hook("claude", "PreToolUse", denies("no"), project=tmp_path)
    event = HostEvent(seam="tools/pre-execute", values=WRITE)
    decision = await listener([guard], "pre-tool", mounting(host, kept))(event)
    assert decision == DenyTool(reason="no")
    started, completed = kept.facts
    assert (started["handler"], started["session_id"], started["tool_call_id"]) == (guard.id, "s1", "c1")
    assert (completed["decision"], kept.evidence[completed["reason_ref"]]) == ("deny", "no")


@pytest.mark.parametrize("can_ask", [True, False])
async def test_an_ask_is_a_loss_of_the_run_only_where_nobody_can_be_asked(tmp_path: Path, *, can_ask: bool) -> None:
    async def approve(*_: object) -> bool:
        return True

    kept = Kept()
    host = WatchedHost(tmp_path, approver=approve if can_ask else None)
    hooks = [hook("claude", "PreToolUse", decides("ask", "sure?"), project=tmp_path)]
    await listener(hooks, "pre-tool", mounting(host, kept))(HostEvent(seam="tools/pre-execute", values=WRITE))
    assert ("ask-without-approval" in kept.ended[0]["losses"]) is not can_ask


async def test_what_an_answer_asks_for_and_the_route_loses_is_in_the_fact(host: WatchedHost, tmp_path: Path) -> None:
    kept = Kept()
    said = prints({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": {"file_path": "b"}}})
    listen = listener([hook("claude", "PreToolUse", said, project=tmp_path)], "pre-tool", mounting(host, kept))
    await listen(HostEvent(seam="tools/pre-execute", values=WRITE))
    assert kept.ended[0]["losses"] == ["updated-input-ignored"]


async def test_contexts_keep_the_order_of_the_hooks(host: WatchedHost, tmp_path: Path) -> None:
    hooks = [
        hook("claude", "PostToolUseFailure", adds_context(text, "PostToolUseFailure"), project=tmp_path)
        for text in ("one", "two")
    ]
    values = {**WRITE, "result.is_error": True, "result.denied": False}
    decision = await listener(hooks, "post-tool", mounting(host))(HostEvent(seam="tools/post-execute", values=values))
    assert decision == AcceptResult(contexts=("one", "two"))


async def test_two_events_at_one_point_run_side_by_side(host: WatchedHost, tmp_path: Path) -> None:
    """Each of the two hooks ends only when the other has begun."""
    meet = 'touch "$$.here"; until [ "$(ls *.here | wc -l)" = 2 ]; do :; done; ' + denies("met")
    listen = listener([hook("claude", "PreToolUse", meet, project=tmp_path)], "pre-tool", mounting(host))
    event = HostEvent(seam="tools/pre-execute", values=WRITE)
    assert set(await asyncio.gather(listen(event), listen(event))) == {DenyTool(reason="met")}


async def test_cancelling_a_listener_kills_its_hook(host: WatchedHost, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "started")
    listen = listener(
        [hook("claude", "PreToolUse", "echo $$ > started; sleep 30", project=tmp_path)], "pre-tool", mounting(host)
    )
    running = asyncio.ensure_future(listen(HostEvent(seam="tools/pre-execute", values=WRITE)))
    pid = await heard(tmp_path / "started")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not alive(pid)
