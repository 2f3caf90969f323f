"""Calls of services that the harness offers through its connector: a shell, messages for an agent, an approval."""

import asyncio
from collections.abc import Callable, Mapping

Message = dict[str, object]


class CallError(Exception):
    """The harness could not do it; the message is its own."""


class Calls:
    """Sends calls and hands each its result. Not safe for several event loops."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._waiting: dict[int, asyncio.Future[object]] = {}
        self._next = 1
        self._gone = False

    async def call(self, service: str, args: Mapping[str, object], token: str = "") -> object:
        """What the service answers; raises CallError.

        A cancellation aborts the call and is raised when the harness has ended it. `token` names the call in the log
        of what a dead process of ours has left running.
        """
        if self._gone:
            raise CallError("the harness is gone")
        number, self._next = self._next, self._next + 1
        result: asyncio.Future[object] = asyncio.get_running_loop().create_future()
        self._waiting[number] = result
        self._send({"call": number, "service": service, "args": dict(args), "token": token})
        try:
            return await asyncio.shield(result)
        except asyncio.CancelledError:
            self._send({"call": number, "abort": True})
            await asyncio.wait({result})
            if not result.cancelled():
                result.exception()  # nobody else looks at it
            raise
        finally:
            del self._waiting[number]

    def result(self, message: Mapping[str, object]) -> None:
        """Take the result of a call. Total: one of a call that nobody waits for is dropped."""
        waiting = self._waiting.get(number) if isinstance(number := message.get("call"), int) else None
        if waiting is None or waiting.done():
            return
        if "error" in message:
            waiting.set_exception(CallError(str(message["error"])))
        else:
            waiting.set_result(message.get("value"))

    def end(self) -> None:
        """No result comes any more: what waits has failed, and so does every later call."""
        self._gone = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(CallError("the harness is gone"))
