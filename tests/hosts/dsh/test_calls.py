"""`hosts.dsh.calls`: calls of the harness's services, with a connector that a test plays."""

import asyncio

import pytest

from dsh_compat_adapter.hosts.dsh.calls import CallError, Calls, Message


async def begun(calls: Calls) -> "asyncio.Task[object]":
    """A call that was sent and waits for its result."""
    task = asyncio.create_task(calls.call("shell", {"command": "ls"}, "token"))
    await asyncio.sleep(0)  # the task runs until it waits
    return task


async def test_a_call_names_its_service_and_gets_the_value_of_its_result() -> None:
    sent: list[Message] = []
    calls = Calls(sent.append)
    task = await begun(calls)
    assert sent == [{"call": 1, "service": "shell", "args": {"command": "ls"}, "token": "token"}]
    calls.result({"call": 1, "value": {"exit_code": 0}})
    assert await task == {"exit_code": 0}


async def test_an_error_of_the_harness_is_raised_with_its_text() -> None:
    calls = Calls(lambda _: None)
    task = await begun(calls)
    calls.result({"call": 1, "error": "no shell"})
    with pytest.raises(CallError, match="no shell"):
        await task


async def test_a_cancelled_call_is_aborted_and_ends_when_the_harness_has_ended_it() -> None:
    sent: list[Message] = []
    calls = Calls(sent.append)
    task = await begun(calls)
    task.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert sent[1] == {"call": 1, "abort": True}
    assert not task.done()
    calls.result({"call": 1, "error": "aborted"})
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_when_the_harness_is_gone_every_call_fails() -> None:
    calls = Calls(lambda _: None)
    task = await begun(calls)
    calls.end()
    for waiting in (task, calls.call("shell", {})):
        with pytest.raises(CallError, match="gone"):
            await waiting


@pytest.mark.parametrize("message", [{}, {"call": 7, "value": 1}, {"call": "1"}, {"call": None, "error": "x"}])
async def test_a_result_that_nobody_waits_for_is_dropped(message: Message) -> None:
    Calls(lambda _: None).result(message)
