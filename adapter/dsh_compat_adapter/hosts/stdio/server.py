"""The stdio door: any program drives the hooks of a project by JSON, one request and one reply a line (seed 000).

stdout belongs to the protocol, talk goes to stderr. Requests with an `id` run side by side; those without one, and
lines that are no request, are answered in their order. At the end of stdin what is running is still answered; a
vanished reader or a cancellation ends everything, the running hooks included.
"""

import asyncio
import errno
import json
import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from ...errors import CompatError, ErrorCode, shown
from .answers import Answer, Running, cancelled, result, said, settled
from .hangup import watched
from .lines import Lines
from .wire import Reply, Request, error, is_id, read, write

CHUNK = 64 * 1024  # what a pipe holds; a larger buffer is allocated at every read
READER_GONE = (errno.EPIPE, errno.ECONNRESET)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much of a client is held at once. Beyond the last two no more is read until there is room again."""

    line: int = 64 * 1024 * 1024  # bytes; a payload of 5 MB is normal, a line without an end is not
    running: int = 200  # requests; each hook holds four descriptors, and a process usually has 1,024
    unread: int = 1024 * 1024  # bytes of replies


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """What a door serves beyond the operations of seed 000."""

    operations: Mapping[str, Callable[[Request], Reply | Running]] = field(default_factory=dict)
    notices: Mapping[str, Callable[[Request], None]] = field(default_factory=dict)  # take effect at once, no reply
    ended: Callable[[], None] = lambda: None  # the input is at its end, so no notice comes any more


NO_EXTENSION = Extension()


class Project(Protocol):
    """What the door serves: the hooks of one project."""

    def dispatch(self, request: Request) -> Reply | Running:
        """Fire one event; a reply at once when there is nothing to run. Raises CompatError for a bad request."""
        ...

    def diagnostics(self) -> list[object]:
        """What the files of the project have wrong, as JSON-ready data."""
        ...


class Server:
    """Serves requests from one descriptor and answers on another until the end of the input."""

    def __init__(
        self,
        load: Callable[[], Project],
        stdin: int,
        stdout: int,
        *,
        limits: Limits = DEFAULT_LIMITS,
        extension: Extension = NO_EXTENSION,
    ) -> None:
        """`load` reads the project; it is called at the first request that needs it, and at each reload."""
        self._load = load
        self._extension = extension
        self._project: Project | None = None
        self._stdin = stdin
        self._stdout = stdout
        self._limits = limits
        self._lines = Lines(limits.line)
        self._reading = False
        self._at_end = False  # of the input: what was read is served, and no more is read
        self._beside: dict[str, asyncio.Task[Reply]] = {}  # the requests with an id that run, by its JSON text
        self._waiting: deque[Answer] = deque()  # for their turn: those without an id
        self._in_turn: asyncio.Task[Reply] | None = None
        self._output = bytearray()  # replies that the reader has not taken yet
        self._write_error: OSError | None = None

    async def serve(self) -> None:
        """Serve until `bye` or the end of stdin; returns when everything is answered or dead.

        Raises INVALID_INPUT when stdout has a reader and cannot be written.
        """
        self._loop = asyncio.get_running_loop()
        self._done: asyncio.Future[None] = self._loop.create_future()
        try:
            with watched(self._stdout, self._vanished):
                async with asyncio.TaskGroup() as self._group:
                    try:
                        self._proceed()
                        await self._done
                    except asyncio.CancelledError:
                        self._abandon()
                        raise
        finally:
            self._loop.remove_reader(self._stdin)
            self._loop.remove_writer(self._stdout)
        if self._write_error is not None and self._write_error.errno not in READER_GONE:
            raise CompatError(ErrorCode.INVALID_INPUT, f"stdout cannot be written: {self._write_error}")

    def _proceed(self) -> None:
        """Serve the lines that were read as far as there is room, and see whether there is more to come."""
        while self._has_room():
            try:
                line = self._lines.take()
                request = read(line) if line and line.strip() else None
            except ValueError as problem:
                self._take_turn(partial(error, str(problem)))
                continue
            if request is not None:
                self._serve_one(request)
            elif line is None:
                break
        self._read_on(wanted=self._has_room() and not self._at_end)
        busy = self._lines or self._beside or self._waiting or self._in_turn or self._output
        if self._at_end and not busy and not self._done.done():
            self._done.set_result(None)

    def _has_room(self) -> bool:
        running = max(len(self._beside), len(self._waiting))
        return running < self._limits.running and len(self._output) < self._limits.unread

    def _read_on(self, *, wanted: bool) -> None:
        if wanted == self._reading:
            return
        self._reading = wanted
        if not wanted:
            self._loop.remove_reader(self._stdin)
            return
        try:
            self._loop.add_reader(self._stdin, self._readable)
        except OSError:  # a regular file cannot be watched, and never blocks
            self._reading = False
            self._loop.call_soon(self._readable)

    def _readable(self) -> None:
        if self._at_end:
            return
        try:
            data = os.read(self._stdin, CHUNK)
        except BlockingIOError:
            return
        except OSError:  # a socket or terminal broke off
            data = b""
        self._lines.feed(data)
        if not data:
            self._at_end = True
            self._lines.end()
        self._proceed()
        if not data:
            self._extension.ended()

    def _serve_one(self, request: Request) -> None:
        """Start or queue one request."""
        if (notice := self._extension.notices.get(str(request.get("op")))) is not None:
            notice(request)
            return
        if request.get("op") == "bye":
            self._at_end = True
            self._lines.clear()
        # a cancellation takes effect at once; only its reply waits for its turn
        answer = self._cancel(request) if request.get("op") == "cancel" else partial(self._answer, request)
        if request.get("id") is None:
            self._take_turn(answer)
        else:
            self._run_beside(request["id"], answer)

    def _run_beside(self, name: object, answer: Answer) -> None:
        """Start a request that runs beside others."""
        key = json.dumps(name)
        if key in self._beside:
            self._reply({**error(f"a request with the id {key:.80} is still running"), "id": name})
            return
        began = said(answer)
        if isinstance(began, dict):
            self._reply({**began, "id": name})
            return

        def ended(task: asyncio.Task[Reply]) -> None:
            del self._beside[key]
            self._reply({**result(task, began), "id": name})
            self._proceed()

        self._beside[key] = self._group.create_task(settled(began))
        self._beside[key].add_done_callback(ended)

    def _take_turn(self, answer: Answer) -> None:
        self._waiting.append(answer)
        if self._in_turn is None:
            self._take_turns()

    def _take_turns(self) -> None:
        """Answer what waits for its turn, up to the first that takes time."""
        while self._waiting:
            began = said(self._waiting.popleft())
            if isinstance(began, dict):
                self._reply(began)
                continue

            def ended(task: asyncio.Task[Reply], began: Running = began) -> None:
                self._in_turn = None
                self._reply(result(task, began))
                self._take_turns()
                self._proceed()

            self._in_turn = self._group.create_task(settled(began))
            self._in_turn.add_done_callback(ended)
            return

    def _answer(self, request: Request) -> Reply | Running:
        """The reply to one request, or what will become it."""
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
            case op if op in self._extension.operations:
                return self._extension.operations[str(op)](request)
            case op:
                known = ", ".join(["ping", "dispatch", "reload", "cancel", "bye", *self._extension.operations])
                return error(f"unknown op {shown(op)}; known: {known}")

    def _cancel(self, request: Request) -> Answer:
        """Cancel the request whose id is the `target`: it replies once it is dead, and then this one does."""
        target = request.get("target")
        if not is_id(target):
            return partial(error, f"cancel needs the id of a request as target, found {shown(target)}")
        task = self._beside.get(json.dumps(target))
        if task is None:
            return lambda: {"ok": True, "cancelled": False}
        task.cancel()
        return partial(cancelled, task)

    def send(self, message: Reply) -> None:
        """Write a line that answers no request; only while `serve` runs."""
        self._reply(message)

    def _reply(self, reply: Reply) -> None:
        if self._write_error is None:
            self._output += write(reply)
            self._flush()

    def _flush(self) -> None:
        """Write as much as the reader takes now, and the rest when it takes more."""
        try:
            while self._output:
                written = os.write(self._stdout, self._output)
                del self._output[:written]
        except BlockingIOError:
            self._loop.add_writer(self._stdout, self._flush_later)
        except OSError as problem:
            self._write_error = problem
            self._vanished()

    def _flush_later(self) -> None:
        self._loop.remove_writer(self._stdout)
        self._flush()
        self._proceed()

    def _vanished(self) -> None:
        """Nobody takes the replies any more."""
        self._write_error = self._write_error or BrokenPipeError(errno.EPIPE, "the reader is gone")
        self._output.clear()
        self._abandon()
        self._proceed()

    def _abandon(self) -> None:
        """Cancel what runs, and forget what waits."""
        self._at_end = True
        self._extension.ended()
        self._lines.clear()
        self._waiting.clear()
        for task in (*self._beside.values(), *filter(None, [self._in_turn])):
            task.cancel()
