"""One agent: its session, its inbox, and what can be done to it from outside. The loop itself is in `turn`."""

import asyncio
import uuid
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from ...declare.text_file import read_text
from ...errors import CompatError, ErrorCode
from ...hooks.closing import to_the_end
from ...hooks.stop_guard import StopGuard
from ...seams.decisions import SOURCE, Decision
from ...seams.prompt_id import prompt_id
from . import compaction
from .inbox import Inbox
from .model import Model
from .pipeline import new_call_id
from .place import folder, moment
from .seams import Context
from .services import Command, Services
from .session import USER, Message, Session, SessionEvent, said
from .tool import ABORTED, ToolResult, failed, loggable
from .turn import Turn, TurnEnd
from .work import Work

MAIN = "main"
INSTRUCTIONS = "agent-instructions"  # the source of what the host's own instruction files say
TITLE = 60  # characters of a session's title
DEPTH = 16  # levels of subagents, against a model that always delegates
SUBAGENT = "general-purpose"  # DSH knows no type of a subagent; the vendors' hooks expect one


class Agent:
    """An agent of an embedded host. `EmbeddedHost.start` makes one; `dispose` ends it."""

    def __init__(self, services: Services, *, is_subagent: bool = False, former: Iterable[SessionEvent] = ()) -> None:
        """`former` are the events of the session that is resumed."""
        self.id = str(uuid.uuid4())
        self.kind = SUBAGENT if is_subagent else MAIN
        self.is_subagent = is_subagent
        session_id = str(uuid.uuid4())
        self.session = Session(session_id, former, log=services.log(session_id) if services.log else None)
        self.inbox = Inbox()
        self.stops = StopGuard()
        self.services = services
        self.model = services.model
        titles = [event.data.get("title") for event in self.session.events if event.type == "session/title"]
        self.title = str(titles[-1]) if titles else None
        self.directories = [services.project_dir]
        self._cwd = services.project_dir
        self._permission_mode = services.permission_mode
        self._depth = 0
        self._turns = sum(event.type == "turn/start" for event in self.session.events)
        self._prompt: str | None = None  # the id of what it works for or has worked for last
        self._turn: Turn | None = None
        self._work = Work()

    @property
    def messages(self) -> tuple[Message, ...]:
        """What the model reads next: the session's messages and what waits for the next step."""
        return (*self.session.messages, *self.inbox.injected)

    @property
    def disposed(self) -> bool:
        """Whether it has ended."""
        return self._work.is_over

    @property
    def cwd(self) -> str:
        """Where the agent works: an absolute path."""
        return self._cwd

    # what an author or a user does

    async def prompt(self, text: str) -> TurnEnd:
        """Say something to the agent and run the turn; returns how it ended. Of several at once each has a turn.

        Raises INVALID_INPUT within the agent's own turn, where `queue`, `steer` and `inject` say something.
        """
        async with self._work.alone():
            self.queue(text)
            end = await self._run_queued()
            assert end is not None  # something was queued
            return end

    def queue(self, text: str, *, source: str = USER) -> None:
        """Something to say in the next turn; all that is queued by then is one batch."""
        self.inbox.queue(said(text, source))

    def steer(self, text: str, *, source: str = USER) -> None:
        """Something to say at the next step of the running turn, which goes on for it."""
        self.inbox.steer(said(text, source))

    def inject(self, text: str, *, source: str = SOURCE) -> None:
        """Something for the model to read at the next step, whenever that comes."""
        self.inbox.inject(said(text, source))

    async def run(self) -> TurnEnd | None:
        """Run turns until nothing is queued or one is aborted; how the last one ended, or none if nothing was queued.

        Cancelling the caller ends the turn as aborted, and is raised when everything that it ran is dead.
        """
        async with self._work.alone():
            return await self._run_queued()

    async def _run_queued(self) -> TurnEnd | None:
        if self.model is None:
            raise CompatError(ErrorCode.INVALID_INPUT, "this host has no model; give it one (model=…) to run turns")
        end = None
        while self.inbox.has_queued and not self.disposed:
            self._turns += 1
            if self._prompt is None or not self.is_subagent:  # a subagent works for the prompt of who started it
                self._prompt = prompt_id(self.session.id, str(self._turns))
            self._turn = Turn(self, self._turns, self.inbox.take_queued())
            try:
                end = await self._turn.run()
            finally:
                self._turn = None
            if end.kind == "aborted":
                break
        return end

    async def cancel(self, reason: str = "user") -> None:
        """End the running turn as aborted, if there is one; returns when everything that it ran is dead.

        Within the agent's own work (in a tool, a listener) it returns at once.
        """
        if self._turn is not None:
            await self._turn.cancel(reason, wait=not self._work.is_inside)

    async def compact(self) -> None:
        """Have the model sum up the session; the summary takes the place of its messages."""
        async with self._work.alone():
            await self._work.run(compaction.compact(self, self._turns))

    async def select_model(self, model: Model) -> None:
        """Use another model from the next request on."""
        former, name = self.model_name, model.name
        self.model = model
        await self.log("model/selection", {"model": name, "previous_model": former})

    async def set_permission_mode(self, mode: str) -> None:
        """The mode that hooks are told; the host itself permits nothing by it."""
        self._permission_mode = mode
        await self.log("permission/preset", {"preset": mode})

    async def change_directory(self, path: str) -> None:
        """Work somewhere else; relative to where the agent works now. Hooks still run from the project."""
        former, self._cwd = self._cwd, folder(path, cwd=self._cwd)
        await self.log("working-directory/change", {"cwd": self._cwd, "old_cwd": former})

    async def add_directory(self, path: str) -> None:
        """One more folder that the command add-dir names; the tools that the host ships stay in the project."""
        self.directories.append(folder(path.strip(), cwd=self._cwd))

    async def announce(self, source: str) -> None:
        """Tell that the session began (startup, resume, clear or compact); context becomes messages."""
        if not self.is_subagent:
            await self.fire("session/created", {"session.source": source})
        await self.fire("agent/created", {"session.source": source})
        for name in () if self.is_subagent else self.services.instructions:
            path = Path(self.services.project_dir, name)
            self.inbox.inject(Message(text=read_text(path), source=INSTRUCTIONS, path=str(path)))

    async def dispose(self, reason: str = "other") -> None:
        """End the session: cancel what runs and tell why. May be called twice; complete even if cancelled.

        Within the agent's own work (in a tool, a listener) it returns at once, and whoever began that work, with
        `prompt` or `call`, has it back when the end is complete.
        """
        await self._work.end(partial(self._dispose, reason))

    async def _dispose(self, reason: str) -> None:
        if self._turn is not None:
            await self._turn.cancel("disposed", wait=True)
        for seam in ("agent/disposed", "session/disposed"):
            await self.fire(seam, {"session.end_reason": reason})

    # what the loop, the tools and the services use

    @property
    def model_name(self) -> str:
        """What the model is called, and nothing where there is none."""
        return self.model.name if self.model else ""

    async def fire(self, seam: str, values: Mapping[str, object]) -> Decision:
        """Fire one event of this agent; context goes to the model at the next step."""
        decision, contexts = await self.hear(seam, values)
        for context in contexts:
            self.inject(context.text, source=context.source)
        return decision

    async def hear(self, seam: str, values: Mapping[str, object]) -> tuple[Decision, tuple[Context, ...]]:
        """Fire one event of this agent; the caller places the context."""
        fired = await self.services.seams.fire(seam, {**self._values(), **values})
        return fired.decision, fired.contexts

    async def tell(self, seam: str, values: Mapping[str, object]) -> None:
        """See `Acting.tell`."""
        await self.fire(seam, values)

    async def log(self, kind: str, data: Mapping[str, object]) -> None:
        """Write an event into the session's log and tell of it."""
        event = self.session.append(kind, data)
        await self.fire("session/event", {"event.type": kind, "event.seq": event.seq, "event.data": event.data})

    async def call(self, name: str, arguments: object, *, parent: object = None, call_id: str = "") -> ToolResult:
        """Run one tool call through the pipeline. Whatever goes wrong is an error result, never an exception."""
        call_id = call_id or new_call_id()
        if self._work.is_inside:
            return await self._call(name, arguments, parent, call_id)
        try:
            async with self._work.doing():
                return await self._work.run(self._call(name, arguments, parent, call_id))
        except CompatError as error:
            return failed(error)

    async def _call(self, name: str, arguments: object, parent: object, call_id: str) -> ToolResult:
        called = {**self._place(), "call_id": call_id, "name": name, "arguments": loggable(arguments)}
        try:
            await self.log("tool/call", called)
            result = await self.services.pipeline.run(self, name, arguments, parent=parent, call_id=call_id)
        except asyncio.CancelledError:
            await to_the_end(self.log("tool/result", self.result_data(name, call_id, ABORTED)))
            raise
        await self.log("tool/result", self.result_data(name, call_id, result))
        return result

    def result_data(self, name: str, call_id: str, result: ToolResult) -> Mapping[str, object]:
        """A result as the log has it."""
        return {**self._place(), "call_id": call_id, "name": name, "is_error": result.is_error, "text": result.text}

    async def entitle(self, prompt: str) -> None:
        """Name the session after its first prompt."""
        if self.title is None and not self.is_subagent:
            self.title = prompt.strip().partition("\n")[0][:TITLE]
            await self.log("session/title", {"title": self.title})

    async def expand(self, text: str) -> str | None:
        """The prompt that a text stands for: of a slash command what it says, if anything; any other text itself."""
        name, _, arguments = text[1:].partition(" ")
        commands: Mapping[str, Command] = {"add-dir": self.add_directory, **self.services.commands}
        command = commands.get(name) if text.startswith("/") else None
        if command is None:
            return text
        named = {"name": name, "arguments": arguments}
        await self.log("command/run", named)
        expanded = await command(arguments)
        await self.log("command/done", named)
        return expanded

    async def ask(self, question: str, options: tuple[str, ...]) -> str:
        """See `Acting.ask`."""
        asked = {"question.id": str(uuid.uuid4()), "question.text": question, "question.options": options}
        await self.fire("user-questions/request", asked)
        if self.services.answerer is None:
            raise LookupError("nobody is there to answer")
        return await self.services.answerer(question, options)

    async def delegate(self, prompt: str) -> str:
        """Run a subagent to its end; what it said last."""
        if self._work.is_inside:
            return await self._delegate(prompt)
        async with self._work.doing():
            return await self._work.run(self._delegate(prompt))

    async def _delegate(self, prompt: str) -> str:
        if self._depth == DEPTH:
            raise LookupError(f"a subagent {DEPTH} levels deep starts no further one")
        child = Agent(self.services, is_subagent=True)
        child._depth = self._depth + 1
        child.model, child._cwd, child._permission_mode = self.model, self._cwd, self._permission_mode
        child._prompt = self._prompt
        run = {"subagent.id": child.id, "subagent.type": child.kind, "subagent.run_id": str(uuid.uuid4())}
        end: TurnEnd | None = None
        try:
            _, contexts = await self.hear("subagent/start", run)
            for context in contexts:
                child.inject(context.text, source=context.source)
            await child.announce("startup")
            child.queue(prompt, source="agent")
            end = await child.run()
        finally:
            await to_the_end(self._ended(child, run, end))
        return end.text if end else ""

    async def _ended(self, child: "Agent", run: Mapping[str, object], end: TurnEnd | None) -> None:
        await child.dispose()
        kind, text = (end.kind, end.text) if end else ("aborted", "")
        await self.tell("subagent/end", {**run, "subagent.stop_reason": kind, "subagent.last_message": text})

    def _place(self) -> dict[str, object]:
        return {"turn": self._turns, "step": self._turn.step if self._turn else 0}

    def _values(self) -> dict[str, object]:
        return {
            **moment(),
            "session.id": self.session.id,
            "session.transcript": self.session.path,
            "session.cwd": self._cwd,
            "session.project_dir": self.services.project_dir,
            "session.permission_mode": self._permission_mode,
            "session.model": self.model_name,
            "turn.id": str(self._turns) if self._turn else "",
            **({"prompt.id": self._prompt} if self._prompt else {}),
            "agent.id": self.id,
            "agent.type": self.kind,
            "agent.is_subagent": self.is_subagent,
        }
