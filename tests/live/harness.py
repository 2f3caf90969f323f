"""A real DSH with a mock model, driven from a test: one boot of one version with one bundle."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dsh_compat_adapter.mock_llm import MockModel
from tests.checkout import ROOT

RUNTIMES = Path(os.environ.get("DSH_COMPAT_RUNTIMES", ROOT / ".runtimes"))
VERSIONS = {"0.2.1-rc.2": "0.2.1rc2", "0.1.5-rc.1": "0.1.5rc1"}
DRIVER = Path(__file__).with_name("driver.py")
PATIENCE_S = 300.0  # of one prompt; never reached by a test that works
PROVIDER, MODEL = "deepseek-official", "deepseek-v4-flash"
Reply = list[dict[str, Any]]
Json = dict[str, Any]


def python(version: str) -> Path:
    """The interpreter of a version's environment; a missing one fails the test that asks."""
    found = RUNTIMES / VERSIONS[version] / "bin/python"
    assert found.exists(), f"DSH {version} is not installed below {RUNTIMES}: run scripts/runtimes"
    return found


Turns = Sequence[tuple[str, Sequence[Reply]]]


def scripted(turns: Turns, children: Turns = ()) -> Callable[[Mapping[str, object]], Reply]:
    """The replies to each prompt, whichever other requests come between: the n-th after n answers of the model.

    No prompt may stand in another one, nor in what tools and hooks say. `children` are prompts of sub-agents.
    """
    known = {prompt: replies for prompt, replies in [*turns, *children] if replies}

    def reply(request: Mapping[str, object]) -> Reply:
        answers = 0
        messages = request["messages"]
        assert isinstance(messages, list)
        for message in reversed(messages):
            answers += message["role"] == "assistant"
            text = json.dumps(message["content"]) if message["role"] == "user" else ""
            # one message may hold several prompts, where nothing was answered between
            last = max(known, key=text.rfind)
            if last in text:
                found: Reply = known[last][min(answers, len(known[last]) - 1)]
                return found
        return [{"text": "done"}]

    return reply


@dataclass(frozen=True)
class Ran:
    """What became of one prompt."""

    session: str
    finish: str
    final: str
    events: list[Json]
    notifications: list[Json]

    def of(self, kind: str) -> list[Json]:
        """The data of the session events of one type."""
        return [event["data"] for event in self.events if event.get("type") == kind]

    def results(self) -> list[str]:
        """The texts of the tool results."""
        return [_text(data["message"]) for data in self.of("tool/result")]


class Harness:
    """A running harness. `requests` are what the model was asked, `stderr` is there after the end."""

    def __init__(self, process: asyncio.subprocess.Process, requests: list[Json], pid: int) -> None:
        self.requests = requests
        self.stderr: list[str] = []
        self.pid = pid
        self._process = process
        self._waiting: dict[int, asyncio.Future[Json]] = {}
        self._next = 0
        self._reading = asyncio.ensure_future(self._read())

    async def run(self, text: str, session: str | None = None) -> Ran:
        """Prompt and wait until the agent is idle."""
        reply = await self._ask("run", text=text, session=session)
        assert "error" not in reply, reply["error"]
        return Ran(reply["session"], reply["finish"], reply["final"], reply["events"], reply["notifications"])

    async def failing(self, text: str) -> str:
        """Prompt and return the error that the SDK raises."""
        reply = await self._ask("run", text=text)
        return str(reply["error"])

    async def resume(self, session: str) -> None:
        """Take up a session of an earlier boot."""
        reply = await self._ask("resume", session=session)
        assert "error" not in reply, reply["error"]

    def said(self) -> str:
        """Everything that the model was told, in all requests, without the descriptions of tools."""
        return json.dumps([{key: one.get(key) for key in ("system", "messages")} for one in self.requests])

    async def close(self) -> None:
        """Shut down in order."""
        if self._process.stdin is None or self._process.returncode is not None:
            return
        self._write({"op": "close"})
        await asyncio.wait_for(self._reading, PATIENCE_S)
        await self._process.wait()

    async def _ask(self, op: str, **more: object) -> Json:
        self._next += 1
        number = self._next
        self._waiting[number] = asyncio.get_running_loop().create_future()
        self._write({"op": op, "id": number, **more})
        return await asyncio.wait_for(self._waiting[number], PATIENCE_S)

    def _write(self, request: Json) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            reply = json.loads(line)
            if "stderr" in reply:
                self.stderr = reply["stderr"]
            elif not (waiting := self._waiting.pop(reply["id"])).done():
                waiting.set_result(reply)
        for waiting in self._waiting.values():
            waiting.cancel()


@asynccontextmanager
async def booted(  # noqa: PLR0913 - each is one thing that a boot may be given
    version: str,
    folder: Path,
    *,
    patches: Sequence[Path],
    script: Sequence[Reply] | Callable[[Mapping[str, object]], Reply],
    profile: str = "sdk-minimal",
    workspace: Path | None = None,
    env: Mapping[str, str] | None = None,
    max_tokens: int | None = None,
    home: Path | None = None,
) -> AsyncIterator[Harness]:
    """Boot a version with patches, its home below `folder` unless there is one, and a model that follows the script."""
    home, work = home or folder / "dsh home", workspace or folder / "workspace"
    home.mkdir(parents=True, exist_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    requests: list[Json] = []
    taken = 0

    def reply(request: Mapping[str, object]) -> Reply:
        nonlocal taken
        requests.append(dict(request))
        if callable(script):
            return script(request)
        taken += 1
        return script[min(taken, len(script)) - 1]

    async with MockModel(script=reply) as model:
        settings = {
            "dsh_home": str(home),
            "cwd": str(work),
            "profile": profile,
            "provider": PROVIDER,
            "model": MODEL,
            "base_url": f"http://127.0.0.1:{model.port}",
            "api_key": "sk-test",
            "patches": [str(patch) for patch in patches],
            "env": {"NO_PROXY": "127.0.0.1", **(env or {})},
            "shutdown_timeout_seconds": 15.0,
            "request_timeout_seconds": PATIENCE_S,
            **({} if max_tokens is None else {"max_tokens": max_tokens}),
        }
        process = await asyncio.create_subprocess_exec(
            python(version),
            DRIVER,
            json.dumps(settings),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 26,
        )
        assert process.stdout is not None
        first = await asyncio.wait_for(process.stdout.readline(), PATIENCE_S)
        assert first, "the harness did not start; its error stands above"
        harness = Harness(process, requests, json.loads(first)["pid"])
        try:
            yield harness
        finally:
            try:
                await harness.close()
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()


def _text(message: Json) -> str:
    """The text of a tool result: of format 4 and, with a block around it, of format 3."""
    parts: list[str] = []
    for block in message["content"]:
        inner = block.get("content", block.get("text", ""))
        parts.append(inner if isinstance(inner, str) else "".join(one.get("text", "") for one in inner))
    return "".join(parts)
