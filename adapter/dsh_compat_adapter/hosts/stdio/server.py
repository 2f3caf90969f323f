"""The stdio door: any program drives the hooks of a project by JSON, one request and one reply a line (seed 000).

stdout belongs to the protocol, talk goes to stderr. Requests with an `id` run side by side, those without one in their
order. A bad line gets an error reply and the next one is served. At the end of stdin what is running is still
answered; a vanished reader or a cancellation ends everything, the running hooks included.
"""

import asyncio
import json
import os
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from ...errors import CompatError

MAX_LINE = 64 * 1024 * 1024  # bytes; a payload of 5 MB is normal, a line without an end is not
MAX_RUNNING = 256  # requests with an id; beyond that no more is read until one ends
CHUNK = 1024 * 1024

Reply = dict[str, object]
Request = Mapping[str, object]


class Project(Protocol):
    """What the door serves: the hooks of one project."""

    def dispatch(self, request: Request) -> Reply | Awaitable[Reply]:
        """Fire one event; a reply at once when there is nothing to run. Raises CompatError for a bad request."""
        ...

    def diagnostics(self) -> list[object]:
        """What the files of the project have wrong, as JSON-ready data."""
        ...


class Server:
    """Serves requests from one descriptor and answers on another until the end of the input."""

    def __init__(self, load: Callable[[], Project], stdin: int, stdout: int) -> None:
        """`load` reads the project; it is called at the first request that needs it, and at each reload."""
        self._load = load
        self._project: Project | None = None
        self._stdin = stdin
        self._stdout = stdout
        self._running: dict[object, asyncio.Task[None]] = {}
        self._anonymous: set[asyncio.Task[None]] = set()
        self._ordered: deque[Request] = deque()
        self._in_order: asyncio.Task[None] | None = None
        self._buffer = bytearray()
        self._skipping = False  # inside a line that was too long
        self._pending = bytearray()  # output that the reader has not taken yet

    async def serve(self) -> None:
        """Serve until `bye` or the end of stdin; returns when everything is answered or dead."""
        loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = loop.create_future()
        async with asyncio.TaskGroup() as self._group:
            watching = _watch(loop, self._stdin, self._readable)
            gone = _watch(loop, self._stdout, self._vanished) if not os.isatty(self._stdout) else False
            try:
                if not watching:  # a regular file cannot be watched, and never blocks
                    while not self._ended.done():
                        self._readable()
                        await asyncio.sleep(0)
                await self._ended
                await self._drained()
            except _ReaderGoneError:
                for task in (*self._running.values(), *self._anonymous, *filter(None, [self._in_order])):
                    task.cancel()
            finally:
                loop.remove_reader(self._stdin)
                if gone:
                    loop.remove_reader(self._stdout)
                loop.remove_writer(self._stdout)

    async def _drained(self) -> None:
        """Wait for what is running, in order or not, and for its replies to be taken."""
        while tasks := {*self._running.values(), *self._anonymous, *filter(None, [self._in_order])}:
            await asyncio.wait(tasks)
        while self._pending:
            self._flush(wait=True)

    def _readable(self) -> None:
        try:
            data = os.read(self._stdin, CHUNK)
        except BlockingIOError:
            return
        if not data:
            asyncio.get_running_loop().remove_reader(self._stdin)
            if self._buffer and not self._skipping:
                self._line(bytes(self._buffer))
            self._finish()
            return
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            line = bytes(self._buffer) + data[start:end] if self._buffer else data[start:end]
            self._buffer.clear()
            start = end + 1
            if self._skipping:
                self._skipping = False
            elif line.strip():
                self._line(line)
            if self._ended.done():
                return
        if not self._skipping:
            self._buffer += data[start:]
            if len(self._buffer) > MAX_LINE:
                self._buffer.clear()
                self._skipping = True
                self._reply(_error(f"a line is longer than {MAX_LINE} bytes and was skipped"))

    def _finish(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    def _vanished(self) -> None:
        if not self._ended.done():
            self._ended.set_exception(_ReaderGoneError())

    def _line(self, line: bytes) -> None:
        try:
            request = json.loads(line.decode("utf-8"))
        except (ValueError, RecursionError) as error:
            self._reply(_error(f"no JSON: {error}"))
            return
        if not isinstance(request, dict):
            self._reply(_error(f"a request is an object, found {type(request).__name__}"))
        elif request.get("op") == "cancel":
            self._cancel(request)
        elif "id" in request:
            self._begin(request)
        elif self._in_order is not None or self._ordered:
            self._ordered.append(request)
        else:
            self._next_in_order(request)

    def _begin(self, request: Request) -> None:
        """Start a request that runs beside others."""
        key = json.dumps(request["id"])
        if key in self._running:
            self._reply(_with_id(_error(f"a request with the id {key:.80} is still running"), request))
            return
        answer = self._answer(request)
        if isinstance(answer, dict):
            self._reply(_with_id(answer, request))
            return
        self._running[key] = self._group.create_task(self._finish_one(key, request, answer))
        if len(self._running) >= MAX_RUNNING:
            asyncio.get_running_loop().remove_reader(self._stdin)

    async def _finish_one(self, key: str, request: Request, answer: Awaitable[Reply]) -> None:
        try:
            reply = await _settled(answer)
        except asyncio.CancelledError:
            self._reply(_with_id(_error("cancelled"), request))
            raise
        finally:
            del self._running[key]
            if len(self._running) == MAX_RUNNING - 1 and not self._ended.done():
                _watch(asyncio.get_running_loop(), self._stdin, self._readable)
        self._reply(_with_id(reply, request))

    def _next_in_order(self, request: Request) -> None:
        """Answer one request without an id, and those that wait behind it as far as they need no waiting."""
        while True:
            answer = self._answer(request)
            if not isinstance(answer, dict):
                self._in_order = self._group.create_task(self._finish_in_order(answer))
                return
            self._reply(answer)
            if request.get("op") == "bye":
                self._finish()
                return
            if not self._ordered:
                return
            request = self._ordered.popleft()

    async def _finish_in_order(self, answer: Awaitable[Reply]) -> None:
        self._reply(await _settled(answer))
        self._in_order = None
        if self._ordered:
            self._next_in_order(self._ordered.popleft())

    def _answer(self, request: Request) -> Reply | Awaitable[Reply]:
        """The reply to one request, or what will become it."""
        try:
            match request.get("op"):
                case "ping":
                    return {"ok": True, "pong": True}
                case "bye":
                    return {"ok": True}
                case "reload":
                    self._project = self._load()
                    return {"ok": True, "diagnostics": self._project.diagnostics()}
                case "dispatch":
                    if self._project is None:
                        self._project = self._load()
                    return self._project.dispatch(request)
                case op:
                    return _error(f"unknown op {op!r:.80}; known: ping, dispatch, reload, cancel, bye")
        except CompatError as error:
            return _refused(error)

    def _cancel(self, request: Request) -> None:
        """Cancel the request whose id is the `target`; its own reply says that it was cancelled."""
        task = self._running.get(json.dumps(request.get("target")))
        if task is not None:
            task.cancel()
        self._reply(_with_id({"ok": True, "cancelled": task is not None}, request))

    def _reply(self, reply: Reply) -> None:
        self._pending += json.dumps(reply, separators=(",", ":")).encode("ascii") + b"\n"
        self._flush(wait=False)

    def _flush(self, *, wait: bool) -> None:
        try:
            while self._pending:
                written = os.write(self._stdout, self._pending)
                del self._pending[:written]
        except BlockingIOError:
            if not wait:
                asyncio.get_running_loop().add_writer(self._stdout, self._flush_later)
        except OSError:
            self._pending.clear()
            self._vanished()

    def _flush_later(self) -> None:
        asyncio.get_running_loop().remove_writer(self._stdout)
        self._flush(wait=False)


class _ReaderGoneError(Exception):
    """Nobody reads the replies any more."""


async def _settled(answer: Awaitable[Reply]) -> Reply:
    try:
        return await answer
    except CompatError as error:
        return _refused(error)


def _watch(loop: asyncio.AbstractEventLoop, fd: int, callback: Callable[[], None]) -> bool:
    """Call back when the descriptor is readable (or, for a pipe's writing end, when its reader is gone)."""
    try:
        loop.add_reader(fd, callback)
    except OSError:
        return False
    return True


def _error(message: str) -> Reply:
    return {"ok": False, "error": message}


def _refused(error: CompatError) -> Reply:
    return {"ok": False, "error": str(error), "code": error.code.value}


def _with_id(reply: Reply, request: Request) -> Reply:
    return {**reply, "id": request["id"]} if "id" in request else reply
