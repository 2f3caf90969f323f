"""A tour through everything that an embedded host does, in chapters, with a witness at every seam.

Nothing here fires an event: each chapter does what a user, an author or a model does, and the host's own machinery
tells its listeners of it.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dsh_compat_adapter import EmbeddedHost
from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.hooks.local_shell import local_shell
from dsh_compat_adapter.hosts.embedded.agent import Agent
from dsh_compat_adapter.hosts.embedded.model import ModelError, Said, ScriptedModel, use
from dsh_compat_adapter.hosts.embedded.pipeline import Next
from dsh_compat_adapter.hosts.embedded.tool import ToolCall, ToolResult
from dsh_compat_adapter.hosts.embedded.tools import local_tools
from dsh_compat_adapter.seams.decisions import AskTool, Decision, Notify
from dsh_compat_adapter.seams.host import HostEvent
from tests.mounting import BRIDGED, CATALOG, adapting

INSTRUCTIONS = "AGENTS.md"
IDENTITIES = frozenset({"id", "call_id", "job_id", "compaction_id"})
FORBIDDEN, ASKED, REFUSED = "forbidden", "please", "never"  # words in a command that the host's own policy knows


@dataclass(frozen=True)
class Seen:
    """One event as a listener of the host was told it."""

    chapter: str
    seam: str
    values: Mapping[str, object]


class Stage:
    """One host on its tour, with everything that it was seen to do."""

    def __init__(self, root: Path, *, can_ask: bool = True, catalog: Catalog = CATALOG) -> None:
        self.root = root
        (root / "sub").mkdir()
        (root / INSTRUCTIONS).write_text("Be brief.")
        (root / "a.txt").write_text("alpha")
        self.chapter = ""
        self.seen: list[Seen] = []
        self.asked: list[str] = []
        self.ran: list[tuple[str, object]] = []
        self.paused = asyncio.Event()
        self._script: deque[Said | list[Said]] = deque()
        self._answers = self._next_answers()
        self.model = ScriptedModel(self._answers, name="first-model")
        self._models = [self.model]
        shell = local_shell()
        self.host = EmbeddedHost(
            str(root),
            tools={**local_tools(root.resolve(), shell), "pause": self._pause},
            model=self.model,
            approver=self._approve if can_ask else None,
            answerer=self._answer,
            commands={"greet": self._greet},
            instructions=[INSTRUCTIONS],
            catalog=catalog,
            shell=shell,
        )
        for seam in self.host.surface.seams:
            self.host.subscribe(seam, self._witness)
        self.host.subscribe("tools/pre-execute", _policy)
        self.host.guard(_guard)
        self.host.wrap(self._ran)
        self.agent: Agent

    async def say(self, text: str, *script: Said | list[Said]) -> None:
        """One prompt of the user, and what the model answers before it is done."""
        self._script.extend(script)
        await self.agent.prompt(text)
        self._script.clear()

    def model_named(self, name: str) -> ScriptedModel:
        model = ScriptedModel(self._answers, name=name)
        self._models.append(model)
        return model

    @property
    def requests(self) -> list[tuple[tuple[str, str, str], ...]]:
        """What the models read, request by request."""
        return [
            tuple((message.role, message.source, message.text) for message in request.messages)
            for model in self._models
            for request in model.requests
        ]

    @property
    def log(self) -> list[tuple[str, Mapping[str, object]]]:
        """What all sessions logged."""
        return [
            (str(seen.values["event.type"]), data)
            for seen in self.seen
            if seen.seam == "session/event" and isinstance(data := seen.values["event.data"], Mapping)
        ]

    @property
    def world(self) -> str:
        """Everything that this host did, comparable with another tour."""
        logged = [(kind, sorted((k, v) for k, v in data.items() if k not in IDENTITIES)) for kind, data in self.log]
        told = repr([self.requests, logged, self.asked, self.ran])
        return told.replace(str(self.root.resolve()), "ROOT")

    async def _witness(self, event: HostEvent) -> Decision:
        self.seen.append(Seen(self.chapter, event.seam, event.values))
        return Notify()

    async def _ran(self, call: ToolCall, go_on: Next) -> ToolResult:
        self.ran.append((call.call_id, dict(call.arguments)))
        return await go_on()

    def _next_answers(self) -> Iterator[Said | list[Said]]:
        while True:
            yield self._script.popleft() if self._script else "done"

    async def _approve(self, _: str, arguments: object, reason: str) -> bool:
        self.asked.append(reason)
        return REFUSED not in str(arguments)

    async def _answer(self, *_: object) -> str:
        return "blue"

    async def _greet(self, name: str) -> str:
        return f"Say hello to {name}."

    async def _pause(self, _: ToolCall) -> object:
        self.paused.set()
        return await asyncio.Event().wait()


async def _policy(event: HostEvent) -> Decision:
    return AskTool(reason="the policy asks") if ASKED in str(event.values["tool.host_arguments"]) else Notify()


def _guard(call: ToolCall) -> str | None:
    return "the guard denies" if FORBIDDEN in str(dict(call.arguments)) else None


async def _start(stage: Stage) -> None:
    stage.agent = await stage.host.start()


async def _prompt(stage: Stage) -> None:
    await stage.say("How are you?", ["I am ", "fine."])


async def _bash(stage: Stage) -> None:
    await stage.say("Run it.", use("bash", "bash-1", command="echo ran"))


async def _files(stage: Stage) -> None:
    await stage.say(
        "Work on the files.",
        use("write", "write-1", file_path="new.txt", content="one"),
        [use("edit", "edit-1", file_path="a.txt", old_string="alpha", new_string="beta"), use("read", "read-1", file_path="a.txt")],
    )  # fmt: skip


async def _failure(stage: Stage) -> None:
    await stage.say("Read what is not there.", use("read", "missing-1", file_path="missing.txt"))


async def _denial(stage: Stage) -> None:
    await stage.say("Do what is forbidden.", use("bash", "denied-1", command=f"echo {FORBIDDEN}"))


async def _todos(stage: Stage) -> None:
    lists = {"pending": ["completed", "pending"], "completed": ["completed"], "neither": ["in_progress"]}
    for name, states in lists.items():
        todos = [{"content": f"{name} {number}", "status": state} for number, state in enumerate(states)]
        await stage.say(f"Note that {name} is next.", use("todo_write", f"todo-{name}", todos=todos))


async def _question(stage: Stage) -> None:
    await stage.say(
        "Ask me.", use("ask_user_question", "question-1", question="Which colour?", options=["red", "blue"])
    )


async def _worktree_add(stage: Stage) -> None:
    await stage.say("Add a worktree.", use("bash", "worktree-1", command="echo git worktree add ../x"))


async def _worktree_remove(stage: Stage) -> None:
    await stage.say("Remove the worktree.", use("bash", "worktree-2", command="echo git worktree remove ../x"))


async def _approval(stage: Stage) -> None:
    await stage.say("Do what is asked about.", use("bash", "asked-1", command=f"echo {ASKED}"))


async def _refusal(stage: Stage) -> None:
    await stage.say("Do what is refused.", use("bash", "asked-2", command=f"echo {ASKED} {REFUSED}"))


async def _subagent(stage: Stage) -> None:
    await stage.say("Delegate it.", use("subagent", "subagent-1", prompt="Do a part."), "The part is done.")


async def _compaction(stage: Stage) -> None:
    await stage.agent.compact()


async def _model(stage: Stage) -> None:
    await stage.agent.select_model(stage.model_named("second-model"))


async def _directory(stage: Stage) -> None:
    await stage.agent.change_directory("sub")
    await stage.agent.change_directory("..")


async def _permissions(stage: Stage) -> None:
    await stage.agent.set_permission_mode("acceptEdits")


async def _command(stage: Stage) -> None:
    await stage.say("/greet Ada")


async def _add_directory(stage: Stage) -> None:
    await stage.say("/add-dir sub")


async def _settings(stage: Stage) -> None:
    await stage.host.update_settings("editor")


async def _language_settings(stage: Stage) -> None:
    await stage.host.update_settings("lsp.python")


async def _plugins(stage: Stage) -> None:
    vendor, event = BRIDGED[0]
    async with adapting(stage.host) as other:
        await other.register_hook(vendor=vendor, event=event, handler="true", matcher="no-such-tool")


async def _api_error(stage: Stage) -> None:
    await stage.say("Fail.", ModelError("the request was refused", "INVALID_REQUEST"))


async def _other_error(stage: Stage) -> None:
    await stage.say("Fail otherwise.", RuntimeError("the model broke"))


async def _cancellation(stage: Stage) -> None:
    async def cancel() -> None:
        await stage.paused.wait()
        await stage.agent.cancel()

    await asyncio.gather(stage.say("Take your time.", use("pause", "pause-1")), cancel())


async def _resumption(stage: Stage) -> None:
    resumed = await stage.host.start("resume", former=stage.agent.session.events)
    await resumed.dispose()


async def _clearing(stage: Stage) -> None:
    cleared = await stage.host.start("clear")
    await cleared.dispose("clear")


async def _closing(stage: Stage) -> None:
    await stage.say("That is all.")


async def _end(stage: Stage) -> None:
    await stage.host.aclose()


CHAPTERS: dict[str, Callable[[Stage], Awaitable[None]]] = {
    "start": _start,
    "prompt": _prompt,
    "bash": _bash,
    "files": _files,
    "failure": _failure,
    "denial": _denial,
    "todos": _todos,
    "question": _question,
    "worktree add": _worktree_add,
    "worktree remove": _worktree_remove,
    "approval": _approval,
    "refusal": _refusal,
    "subagent": _subagent,
    "model": _model,
    "directory": _directory,
    "permissions": _permissions,
    "command": _command,
    "add directory": _add_directory,
    "settings": _settings,
    "language settings": _language_settings,
    "plugins": _plugins,
    "API error": _api_error,
    "other error": _other_error,
    "cancellation": _cancellation,
    "compaction": _compaction,
    "resumption": _resumption,
    "clearing": _clearing,
    "closing": _closing,
    "end": _end,
}
WHOLE = tuple(CHAPTERS)


def around(chapter: str) -> tuple[str, ...]:
    """One chapter within a session that goes on after it, so that late effects are seen."""
    return tuple(dict.fromkeys(("start", *([] if chapter == "end" else [chapter]), "closing", "end")))


@asynccontextmanager
async def staged(root: Path, *, can_ask: bool = True, catalog: Catalog = CATALOG) -> AsyncIterator[Stage]:
    stage = Stage(root, can_ask=can_ask, catalog=catalog)
    async with stage.host:
        yield stage


async def travel(stage: Stage, chapters: tuple[str, ...]) -> None:
    for name in chapters:
        stage.chapter = name
        await CHAPTERS[name](stage)
