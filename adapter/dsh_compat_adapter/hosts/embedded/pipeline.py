"""The tool pipeline of seed 001, with one power a stage.

pre-execute decides; guards may only deny, and come after the whole waterfall; execute wraps the body and may change
only the signal; post-execute changes the result by its decision alone; result observes a snapshot. Whatever a tool, a
listener or a wrapper does becomes a JSON-safe result.
"""

import asyncio
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Protocol, TypeVar

from ...frozen import snapshot
from ...seams.decisions import AcceptResult, AllowTool, AskTool, BlockResult, Decision, DenyTool, Notify
from ...seams.host import Dispose
from .approval import Approver, Asking, refusal
from .tool import ABORTED, Acting, ToolBody, ToolCall, ToolResult, failed, refused, result_of

Guard = Callable[[ToolCall], str | None]


class Next(Protocol):
    """Runs the rest of the call, and never raises what a tool raised."""

    def __call__(self, signal: asyncio.Event | None = None) -> Awaitable[ToolResult]:
        """Run it, under another signal if one is given."""
        ...


Wrapper = Callable[[ToolCall, Next], Awaitable[ToolResult]]
Watcher = TypeVar("Watcher")


class Calling(Acting, Asking, Protocol):
    """The agent that calls."""


class Pipeline:
    """The tools of one host with what watches over them."""

    def __init__(self, tools: Mapping[str, ToolBody], approver: Approver | None) -> None:
        self.tools = dict(tools)
        self._approver = approver
        self._guards: dict[object, Guard] = {}
        self._wrappers: dict[object, Wrapper] = {}

    def guard(self, guard: Guard) -> Dispose:
        """Add a last word: synchronous, a reason denies and none abstains. One that raises denies."""
        return _added(self._guards, guard)

    def wrap(self, wrapper: Wrapper) -> Dispose:
        """Add a wrapper around the tools' bodies; the first one added is the outermost."""
        return _added(self._wrappers, wrapper)

    async def run(self, agent: Calling, name: str, arguments: object, *, parent: object, call_id: str) -> ToolResult:
        """One call from policy to result. Raises nothing but cancellation."""
        try:
            frozen = snapshot(arguments)
        except ValueError as error:
            return ToolResult(text=f"Error: the arguments are {error}", is_error=True)
        values = {"tool.host_name": name, "tool.call_id": call_id, "tool.host_arguments": frozen}
        started = time.perf_counter()
        try:
            result = await self._execute(agent, values, parent)
        except Exception as error:  # noqa: BLE001 - a listener is foreign code: without its answer, no call
            result = failed(error)
        elapsed_ms = round((time.perf_counter() - started) * 1000)
        return await _finish(agent, values, result, elapsed_ms)

    async def _execute(self, agent: Calling, values: Mapping[str, object], parent: object) -> ToolResult:
        match await agent.fire("tools/pre-execute", values):
            case DenyTool(reason=reason):
                return refused(reason)
            case AskTool(reason=reason):
                said = reason if self._approver is None else await refusal(agent, values, reason, self._approver)
                if said is not None:
                    return refused(f"not approved: {said}")
            case AllowTool() | Notify():
                pass
            case other:
                raise TypeError(f"{type(other).__name__} is no decision of tools/pre-execute")
        arguments = values["tool.host_arguments"]
        if not isinstance(arguments, Mapping):
            return ToolResult(text="Error: the arguments are no object", is_error=True)
        call = ToolCall(
            name=str(values["tool.host_name"]),
            arguments=arguments,
            call_id=str(values["tool.call_id"]),
            parent=parent,
            agent=agent,
        )
        for guard in tuple(self._guards.values()):
            if (denial := _denial(guard, call)) is not None:
                return refused(denial)
        return await self._wrapped(call, tuple(self._wrappers.values()))

    async def _wrapped(self, call: ToolCall, wrappers: tuple[Wrapper, ...]) -> ToolResult:
        """The body within the wrappers that are left, as a result in any case."""

        async def inner(signal: asyncio.Event | None = None) -> ToolResult:
            return await self._wrapped(call if signal is None else replace(call, signal=signal), wrappers[1:])

        work = wrappers[0](call, inner) if wrappers else self._body(call)
        return await _normalised(work, call.signal if not wrappers else None)

    async def _body(self, call: ToolCall) -> object:
        body = self.tools.get(call.name)
        if body is None:
            raise LookupError(f"unknown tool {call.name!r}")
        return await body(call)


def new_call_id() -> str:
    """The identity of a call that no model named."""
    return str(uuid.uuid4())


async def _normalised(work: Awaitable[object], signal: asyncio.Event | None) -> ToolResult:
    """The result of foreign code, whatever it does; only a cancellation of the caller goes through."""
    running = asyncio.ensure_future(_contained(work))
    watching = asyncio.ensure_future(signal.wait()) if signal else None
    try:
        await asyncio.wait({running, watching} if watching else {running}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            running.cancel()
            await asyncio.wait({running})
            return ABORTED
    except asyncio.CancelledError:
        running.cancel()
        await asyncio.wait({running})
        raise
    finally:
        if watching is not None:
            watching.cancel()
    if running.cancelled():  # by itself: nobody here did
        return ToolResult(text="Error: the tool cancelled itself", is_error=True)
    return running.result()


async def _contained(work: Awaitable[object]) -> ToolResult:
    try:
        return result_of(await work)
    except (asyncio.CancelledError, KeyboardInterrupt):
        raise
    except BaseException as error:  # noqa: BLE001 - a tool is foreign code; its failure is a result
        return failed(error)


def _denial(guard: Guard, call: ToolCall) -> str | None:
    try:
        said: object = guard(call)
    except Exception as error:  # noqa: BLE001 - a guard is foreign code; one that fails has not let the call pass
        return f"a guard failed: {str(error) or type(error).__name__}"
    if said is None:
        return None
    if isinstance(said, str):
        return said if said.strip() else "denied by a guard, which gave no reason"
    if asyncio.iscoroutine(said):
        said.close()
    return f"a guard answers with a text or None, found {type(said).__name__}"


async def _finish(agent: Calling, values: Mapping[str, object], result: ToolResult, elapsed_ms: int) -> ToolResult:
    try:
        decision = await agent.fire("tools/post-execute", {**values, **_values(result, elapsed_ms)})
    except Exception as error:  # noqa: BLE001 - a listener is foreign code; its failure is a result
        result = replace(failed(error), denied=result.denied)
    else:
        result = _decided(result, decision)
    await agent.fire("tools/result", {**values, **_values(result, elapsed_ms)})
    return result


def _decided(result: ToolResult, decision: Decision) -> ToolResult:
    match decision:
        case BlockResult(reason=reason):
            return replace(result, text=reason, is_error=True)
        case AcceptResult(text=text) if text is not None:
            return replace(result, text=text)
        case _:
            return result


def _values(result: ToolResult, elapsed_ms: int) -> dict[str, object]:
    return {
        "result.text": result.text,
        "result.value": result.text if result.value is None else result.value,
        "result.is_error": result.is_error,
        "result.error": result.text if result.is_error else None,
        "result.denied": result.denied,
        "result.duration_ms": elapsed_ms,
    }


def _added(watchers: dict[object, Watcher], watcher: Watcher) -> Dispose:
    token = object()  # the same one may be added twice
    watchers[token] = watcher

    def dispose() -> None:
        watchers.pop(token, None)

    return dispose
