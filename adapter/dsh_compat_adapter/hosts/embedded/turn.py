"""One turn of an agent: prompts through their policy, then steps of one model answer and its tool calls each.

The log is whole at any end: a cancelled turn has a result for every call, and the end of its step and of itself.
"""

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from ...hooks.closing import is_cancelled, to_the_end
from ...hooks.stop_guard import StopGuard
from ...seams.decisions import SOURCE, AllowPrompt, BlockPrompt, ContinueTurn, Decision, Notify
from . import compaction
from .inbox import Inbox
from .model import ModelError, ModelRequest, ToolSpec
from .pipeline import new_call_id
from .seams import Context
from .session import USER, Message, ToolUse
from .tool import ABORTED, NO_SCHEMA, Tool, ToolBody, ToolResult, loggable

CAPPED = "hooks blocked the end of the turn too often in a row, so it ended all the same"
EndKind = Literal["completed", "rejected", "aborted", "error", "max-steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnd:
    """How a turn ended: `text` is the model's last answer, `why` what stood in the way of a better end."""

    kind: EndKind
    text: str = ""
    why: str = ""
    error_code: str | None = None


class TurnAgent(compaction.Compacting, Protocol):
    """What a turn needs of its agent."""

    id: str
    inbox: Inbox
    stops: StopGuard

    async def fire(self, seam: str, values: Mapping[str, object]) -> Decision:
        """See `Agent.fire`."""
        ...

    async def hear(self, seam: str, values: Mapping[str, object]) -> tuple[Decision, tuple[Context, ...]]:
        """See `Agent.hear`."""
        ...

    async def call(self, name: str, arguments: object, *, parent: object = None, call_id: str = "") -> ToolResult:
        """See `Agent.call`."""
        ...

    def result_data(self, name: str, call_id: str, result: ToolResult) -> Mapping[str, object]:
        """See `Agent.result_data`."""
        ...

    async def entitle(self, prompt: str) -> None:
        """See `Agent.entitle`."""
        ...

    async def expand(self, text: str) -> str | None:
        """See `Agent.expand`."""
        ...


class Turn:
    """One turn, to be run once."""

    def __init__(self, agent: TurnAgent, number: int, prompts: Sequence[Message]) -> None:
        self.number = number
        self._prompts = prompts
        self.step = 0
        self._agent = agent
        self._task: asyncio.Task[TurnEnd] | None = None
        self._cancelled: str | None = None
        self._in_turn = self._in_step = False
        self._unanswered: deque[ToolUse] = deque()
        self._text = ""

    async def run(self) -> TurnEnd:
        """Run to the end. Raises only the cancellation of the caller, after the turn has ended as aborted."""
        self._task = asyncio.ensure_future(self._whole())
        try:
            return await self._task
        except asyncio.CancelledError:
            if self._cancelled is None or is_cancelled():
                raise
            return TurnEnd(kind="aborted", why=self._cancelled)  # before its first step

    async def cancel(self, reason: str, *, wait: bool) -> None:
        """End it as aborted; returns when everything that it ran is dead, or at once for one of those."""
        assert self._task is not None  # run() makes it before anything can be awaited
        self._cancelled = reason
        self._task.cancel()
        if wait:
            await asyncio.wait({self._task})

    async def _whole(self) -> TurnEnd:
        aborted, failure = False, None
        try:
            end = await self._open()
        except asyncio.CancelledError:
            aborted = True
            end = TurnEnd(kind="aborted", text=self._text, why=self._cancelled or "cancelled")
        except Exception as error:  # noqa: BLE001 - a model, a listener: whatever fails ends the turn, and says so
            failure = error
            end = TurnEnd(
                kind="error",
                text=self._text,
                why=str(error) or type(error).__name__,
                error_code=error.code if isinstance(error, ModelError) else "UNKNOWN",
            )
        try:
            await to_the_end(self._close(end, failure))
        except asyncio.CancelledError:
            aborted = True
        if aborted and self._cancelled is None:
            raise asyncio.CancelledError
        return end

    async def _open(self) -> TurnEnd:
        await self._agent.tell("agent/status", {"status.name": "running"})
        self._in_turn = True
        self._agent.stops.reset(self._agent.id)
        await self._agent.log("turn/start", {"turn": self.number})
        entering: list[Message] = []
        blocked: list[str] = []
        for prompt in self._prompts:
            entering += await self._enter(prompt, blocked)
        if not entering and len(blocked) == len(self._prompts):
            return TurnEnd(kind="rejected", why="\n\n".join(blocked))
        return await self._steps(entering) if entering else TurnEnd(kind="completed")

    async def _steps(self, entering: list[Message]) -> TurnEnd:
        agent = self._agent
        while self.step < agent.services.max_steps:
            await asyncio.sleep(0)  # a cancellation from within arrives at a wait, and a scripted model never waits
            await compaction.compact_if_full(agent, self.number)
            self.step += 1
            await self._open_step(entering)
            uses = await self._answer()
            for use in uses:
                await self._call(use)
            await self._close_step()
            entering = []
            if uses:
                if (why := await self._refused(uses)) is not None:
                    return TurnEnd(kind="rejected", text=self._text, why=why)
            elif not agent.inbox.has_steering and (end := await self._ending()) is not None:
                return end
        return TurnEnd(kind="max-steps", text=self._text, why=f"the turn took {self.step} steps, which is the limit")

    async def _enter(self, message: Message, blocked: list[str]) -> list[Message]:
        """The message with the context for it, once its policy lets it in; the reason of a block otherwise."""
        values: dict[str, object] = {
            "prompt.text": message.text,
            "prompt.source": message.source,
            "step.number": self.step + 1,
        }
        if message.source == USER and message.text.startswith("/"):
            command, _, arguments = message.text[1:].partition(" ")
            values |= {"prompt.command": command, "prompt.command_arguments": arguments}
        decision, contexts = await self._agent.hear("agent/pre-step", values)
        match decision:
            case BlockPrompt(reason=reason):
                blocked.append(reason)
                await self._agent.log("prompt/blocked", {"text": message.text, "reason": reason})
                return []
            case AllowPrompt(text=text) if text is not None:
                message = replace(message, text=text)
            case AllowPrompt() | Notify():
                pass
            case other:
                raise TypeError(f"{type(other).__name__} is no decision of agent/pre-step")
        expanded = await self._agent.expand(message.text) if message.source == USER else message.text
        if expanded is None:
            return []
        if message.source == USER:
            await self._agent.entitle(expanded)
        return [replace(message, text=expanded), *[Message(text=c.text, source=c.source) for c in contexts]]

    async def _open_step(self, entering: Sequence[Message]) -> None:
        """What was injected comes first: it was there before the prompt."""
        agent = self._agent
        waiting = agent.inbox.take_next_step()
        try:
            messages = [entered for one in waiting for entered in await self._enter(one, [])]
        except BaseException:  # carried rules, say, which nobody will inject again
            agent.inbox.put_back(waiting)
            raise
        self._in_step = True
        await agent.log("step/start", {"turn": self.number, "step": self.step})
        for message in (*messages, *entering):
            path = {} if message.path is None else {"source_path": message.path}
            data = {"id": new_call_id(), "text": message.text, "source_kind": message.source, **path}
            await agent.log("user/message", data)

    async def _close_step(self) -> None:
        self._in_step = False
        await self._agent.log("step/end", {"turn": self.number, "step": self.step})

    async def _answer(self) -> list[ToolUse]:
        """Ask the model; the calls that it wants."""
        agent = self._agent
        assert agent.model is not None  # no turn begins without one
        tools = tuple(_spec(name, body) for name, body in agent.services.pipeline.tools.items())
        request = ModelRequest(model=agent.model_name, messages=agent.session.messages, tools=tools)
        await agent.tell("agent/request", {"request.model": request.model, "request.number": self.step})
        message_id, index = new_call_id(), 0
        text, uses, taken = "", list[ToolUse](), set[str]()
        async with aclosing(agent.model.stream(request)) as pieces:
            async for piece in pieces:
                match piece:
                    case str():
                        text += piece
                        frame = {"message.id": message_id, "message.index": index, "message.delta": piece}
                        await agent.tell("agent/assistant-stream", {**frame, "message.final": False})
                        index += 1
                    case ToolUse():
                        uses.append(_named(piece, taken))
                    case other:
                        raise ModelError(f"a model says text and tool calls, found {type(other).__name__}")
        last = {"message.id": message_id, "message.index": index, "message.delta": "", "message.final": True}
        await agent.tell("agent/assistant-stream", last)
        self._text, self._unanswered = text, deque(uses)
        calls = [{"name": use.name, "arguments": use.arguments, "call_id": use.call_id} for use in uses]
        said = {"turn": self.number, "step": self.step, "id": message_id, "text": text, "calls": calls}
        await agent.log("assistant/message", said)
        return uses

    async def _call(self, use: ToolUse) -> None:
        self._unanswered.popleft()
        await self._agent.call(use.name, use.arguments, call_id=use.call_id)

    async def _refused(self, uses: Sequence[ToolUse]) -> str | None:
        """Why the turn may not go on after these calls, or none when it may."""
        calls = [{"tool_name": use.name, "tool_input": use.arguments, "tool_use_id": use.call_id} for use in uses]
        values = {"step.number": self.step + 1, "step.continues": True, "step.tool_calls": calls}
        match await self._agent.fire("agent/pre-step", values):
            case BlockPrompt(reason=reason):
                await self._agent.log("prompt/blocked", {"text": "", "reason": reason})
                return reason
            case _:
                return None

    async def _ending(self) -> TurnEnd | None:
        """How the turn ends now that the model wants nothing more, or none when a listener holds it.

        What the listener wants is said at the next step.
        """
        agent = self._agent
        end = TurnEnd(kind="completed", text=self._text)
        values = {"stop.active": agent.stops.active(agent.id), "stop.last_message": self._text}
        match await agent.fire("agent/turn-stopping", values):
            case ContinueTurn(reason=reason) if agent.stops.allows(agent.id):
                agent.inbox.steer(Message(text=reason, source=SOURCE))
                return None
            case ContinueTurn():
                return replace(end, why=CAPPED)
            case _:
                agent.stops.reset(agent.id)
                return None if agent.inbox.has_steering else end  # somebody may have steered meanwhile

    async def _close(self, end: TurnEnd, failure: Exception | None) -> None:
        agent = self._agent
        if failure is not None:
            named = {"error.message": end.why, "error.name": type(failure).__name__, "error.code": end.error_code}
            await agent.tell("agent/error", named)
        for use in self._unanswered:
            await agent.log("tool/result", agent.result_data(use.name, use.call_id, ABORTED))
        if self._in_step:
            await self._close_step()
        data: dict[str, object] = {"turn": self.number, "reason_kind": end.kind}
        if end.kind == "error":
            data |= {"error_message": end.why, "error_code": end.error_code}
        if self._in_turn:
            await agent.log("turn/end", data)
        await agent.tell("agent/status", {"status.name": "idle"})


def _spec(name: str, body: ToolBody) -> ToolSpec:
    if isinstance(body, Tool):
        return ToolSpec(name=name, description=body.description, parameters=body.parameters)
    return ToolSpec(name=name, description="", parameters=NO_SCHEMA)


def _named(use: ToolUse, taken: set[str]) -> ToolUse:
    """The call with arguments that can be logged and an identity of its own, which is taken then."""
    if not all(isinstance(text, str) for text in (use.name, use.call_id)):
        raise ModelError("a tool call has a name and an identity that are texts")
    call_id = use.call_id if use.call_id and use.call_id not in taken else new_call_id()
    taken.add(call_id)
    return ToolUse(name=use.name, arguments=loggable(use.arguments), call_id=call_id)
