"""`hosts.stdio.server`: the protocol of seed 000 over real pipes, with a project whose hooks a test holds and lets go."""

import asyncio
import json
import os
import socket
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.hosts.stdio.server import Limits, Server
from dsh_compat_adapter.hosts.stdio.wire import Reply, Request

pytestmark = pytest.mark.timeout(30)

PING: dict[str, object] = {"op": "ping"}
PONG: dict[str, object] = {"ok": True, "pong": True}
CANCELLED = {"ok": False, "error": "cancelled"}
LARGE = "x" * 100_000  # more than a pipe holds


class Hooks:
    """A project with one hook for each event name, which runs until it is let go."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.dead: list[str] = []
        self.loads = 0
        self.broken = False
        self.most = 0  # that ran at once
        self._running = 0
        self._gates: dict[str, asyncio.Event] = {}

    def load(self) -> "Hooks":
        if self.broken:
            raise CompatError(ErrorCode.INVALID_FILE, "the file is gone")
        self.loads += 1
        return self

    def gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    def diagnostics(self) -> list[object]:
        return [{"loads": self.loads}]

    def dispatch(self, request: Request) -> Reply | Any:
        match request.get("event"):
            case "quiet":
                return {"ok": True, "event": "quiet"}
            case "large":
                return {"ok": True, "event": LARGE}
            case "unknown":
                raise CompatError(ErrorCode.UNKNOWN_EVENT, "no such event")
            case "defect":
                raise RuntimeError("a defect at once")
            case name:
                return self._run(str(name))

    async def _run(self, name: str) -> Reply:
        self._running += 1
        self.most = max(self.most, self._running)
        self.begun.append(name)
        try:
            await self.gate(name).wait()
        except asyncio.CancelledError:
            # a real hook takes time to die; `stubborn` until the test lets it
            if name == "stubborn":
                await self.gate("death").wait()
            raise
        finally:
            self._running -= 1
            self.dead.append(name)
        if name == "late-defect":
            raise RuntimeError("a defect later")
        if name == "late-refusal":
            raise CompatError(ErrorCode.INVALID_INPUT, "refused later")
        if name == "not-json":
            return {"ok": True, "value": float("nan")}
        return {"ok": True, "event": name}


class Client:
    """The other end of a server that runs in this event loop."""

    def __init__(self, hooks: Hooks, stdin: int, stdout: int, serving: "asyncio.Future[None]") -> None:
        self.hooks = hooks
        self.serving = serving
        self._stdin: int | None = stdin
        self._stdout: int | None = stdout
        self._read = b""

    def write(self, data: bytes) -> None:
        """Send bytes; the pipe has room for what tests send."""
        assert self._stdin is not None
        assert os.write(self._stdin, data) == len(data)

    def send(self, *requests: dict[str, object]) -> None:
        """Send requests in one write."""
        self.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))

    async def reply(self) -> Any:
        """The next line."""
        while b"\n" not in self._read:
            data = await self._more()
            assert data, "the server closed its stdout"
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return json.loads(line)

    async def replies(self, count: int) -> list[Any]:
        return [await self.reply() for _ in range(count)]

    async def nothing_else(self) -> None:
        """The server has answered all that it will answer: nothing comes before the reply to a ping with an id."""
        self.send({"op": "ping", "id": "nothing else"})
        assert await self.reply() == {**PONG, "id": "nothing else"}

    def left(self) -> list[Any]:
        """All replies that wait to be read, of a server that has ended."""
        assert self.serving.done()
        assert self._stdout is not None
        os.set_blocking(self._stdout, False)
        with suppress(BlockingIOError):
            while data := os.read(self._stdout, 65536):
                self._read += data
        return [json.loads(line) for line in self._read.splitlines()]

    async def begun(self, *names: str) -> None:
        await until(lambda: set(names) <= set(self.hooks.begun))

    async def dead(self, *names: str) -> None:
        await until(lambda: set(names) <= set(self.hooks.dead))

    def end(self) -> None:
        """The end of the server's stdin."""
        assert self._stdin is not None
        os.close(self._stdin)
        self._stdin = None

    def leave(self) -> None:
        """Read no reply any more."""
        assert self._stdout is not None
        os.close(self._stdout)
        self._stdout = None

    def close(self) -> None:
        for fd in {self._stdin, self._stdout} - {None}:
            os.close(fd)  # type: ignore[arg-type] # mypy does not narrow a set
        self._stdin = self._stdout = None

    async def _more(self) -> bytes:
        assert self._stdout is not None
        loop, fd = asyncio.get_running_loop(), self._stdout
        readable = loop.create_future()
        loop.add_reader(fd, readable.set_result, None)
        readable.add_done_callback(lambda _: loop.remove_reader(fd))
        await readable
        return os.read(fd, 65536)


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that other tasks of this loop do."""
    while not holds():  # noqa: ASYNC110 - the server has no event for what a test looks at
        await asyncio.sleep(0)


@asynccontextmanager
async def serving(limits: Limits | None = None) -> AsyncIterator[Client]:
    """A server between two pipes."""
    (stdin, to_stdin), (from_stdout, stdout) = os.pipe(), os.pipe()
    os.set_blocking(stdin, False)
    os.set_blocking(stdout, False)
    hooks = Hooks()
    server = Server(hooks.load, stdin, stdout, limits=limits or Limits())
    client = Client(hooks, to_stdin, from_stdout, asyncio.ensure_future(server.serve()))
    try:
        yield client
    finally:
        client.close()
        hooks.gate("death").set()
        with suppress(CompatError):
            await client.serving
        os.close(stdin)
        os.close(stdout)


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with serving() as one:
        yield one


def open_descriptors() -> list[str]:
    return sorted(entry.name for entry in Path("/proc/self/fd").iterdir())


def dispatch(event: str, **more: object) -> dict[str, object]:
    return {"op": "dispatch", "event": event, **more}


def said(event: str, **more: object) -> dict[str, object]:
    return {"ok": True, "event": event, **more}


# -- the operations


async def test_a_ping_is_answered_with_a_pong(client: Client) -> None:
    client.send(PING)
    assert await client.reply() == PONG


async def test_a_dispatch_is_answered_with_what_the_project_says(client: Client) -> None:
    client.send(dispatch("quiet"))
    assert await client.reply() == said("quiet")


async def test_the_project_is_loaded_at_the_first_request_that_needs_it_and_then_kept(client: Client) -> None:
    client.send(PING)
    await client.reply()
    assert client.hooks.loads == 0
    client.send(dispatch("quiet"), dispatch("quiet"))
    await client.replies(2)
    assert client.hooks.loads == 1


async def test_a_reload_loads_anew_and_answers_with_the_diagnostics(client: Client) -> None:
    client.send({"op": "reload"}, {"op": "reload", "id": 1})
    assert await client.replies(2) == [
        {"ok": True, "diagnostics": [{"loads": 1}]},
        {"ok": True, "diagnostics": [{"loads": 2}], "id": 1},
    ]


async def test_a_reload_that_fails_is_an_error_and_what_was_loaded_stays(client: Client) -> None:
    client.send(dispatch("quiet"))
    await client.reply()
    client.hooks.broken = True
    client.send({"op": "reload"}, dispatch("quiet"))
    refusal, after = await client.replies(2)
    assert refusal == {"ok": False, "error": "the file is gone [INVALID_FILE]", "code": "INVALID_FILE"}
    assert after == said("quiet")


async def test_a_project_that_cannot_be_loaded_is_tried_again_at_the_next_request(client: Client) -> None:
    client.hooks.broken = True
    client.send(dispatch("quiet"), PING)
    assert (await client.reply())["code"] == "INVALID_FILE"
    assert await client.reply() == PONG
    client.hooks.broken = False
    client.send(dispatch("quiet"))
    assert await client.reply() == said("quiet")


@pytest.mark.parametrize("more", [{}, {"id": "last"}], ids=["in order", "with an id"])
async def test_bye_is_answered_and_ends_the_server(client: Client, more: dict[str, object]) -> None:
    client.send({"op": "bye", **more})
    assert await client.reply() == {"ok": True, **more}
    await client.serving


async def test_nothing_after_a_bye_is_served(client: Client) -> None:
    client.send({"op": "bye"}, dispatch("after", id=1), PING)
    assert await client.reply() == {"ok": True}
    await client.serving
    assert client.hooks.begun == []


@pytest.mark.parametrize("more", [{}, {"id": "last"}], ids=["in order", "with an id"])
async def test_nothing_is_read_while_a_bye_waits_for_what_runs(client: Client, more: dict[str, object]) -> None:
    client.send(dispatch("beside", id=1), dispatch("in order"), {"op": "bye", **more})
    await client.begun("beside", "in order")
    client.send(dispatch("after", id=2), PING)
    await asyncio.sleep(0)
    client.hooks.gate("beside").set()
    client.hooks.gate("in order").set()
    await client.serving
    replies = await client.replies(3)
    assert sorted(map(json.dumps, replies)) == sorted(
        map(json.dumps, [said("beside", id=1), said("in order"), {"ok": True, **more}])
    )
    assert "after" not in client.hooks.begun


async def test_a_bye_without_an_id_is_answered_after_what_stands_before_it(client: Client) -> None:
    client.send(dispatch("one"), PING, {"op": "bye"})
    await client.begun("one")
    client.hooks.gate("one").set()
    assert await client.replies(3) == [said("one"), PONG, {"ok": True}]


# -- bad lines

BAD_LINES = {
    "no JSON": b"hello",
    "half a JSON": b'{"op":"ping"',
    "two JSONs": b'{"op":"ping"} {"op":"ping"}',
    "not UTF-8": b'{"op":"\xff\xfe"}',
    "NUL": b"\0",
    "too deep": b'{"op":"ping","a":' + b"[" * 20_000,
    "deep, and complete": b'{"op":"ping","id":' + b"[" * 980 + b"]" * 980 + b"}",
    "a number of 5,000 digits": b'{"op":"ping","id":' + b"9" * 5000 + b"}",
    "NaN": b'{"op":"ping","id":NaN}',
    "an id that JSON cannot hold": b'{"op":"ping","id":1e999}',
    "an id that is an array": b'{"op":"ping","id":[]}',
    "an array": b'[{"op":"ping"}]',
    "a text": b'"ping"',
    "a number": b"1",
    "null": b"null",
    "no op": b"{}",
    "op null": b'{"op":null}',
    "an op that is no text": b'{"op":["ping"]}',
    "an unknown op": b'{"op":"pong"}',
    "an op in other letters": b'{"op":"PING"}',
    "an unknown event": b'{"op":"dispatch","event":"unknown"}',
    "a cancellation without a target": b'{"op":"cancel"}',
    "a cancellation of null": b'{"op":"cancel","target":null}',
    "a cancellation of an array": b'{"op":"cancel","target":[]}',
}


@pytest.mark.parametrize("line", BAD_LINES.values(), ids=BAD_LINES)
async def test_a_bad_line_gets_one_error_and_the_next_one_is_served(client: Client, line: bytes) -> None:
    client.write(line + b'\n{"op":"ping"}\n')
    refusal = await client.reply()
    assert refusal["ok"] is False
    assert refusal["error"]
    assert set(refusal) <= {"ok", "error", "code"}
    assert await client.reply() == PONG
    await client.nothing_else()


async def test_an_error_of_the_project_has_its_code(client: Client) -> None:
    client.send(dispatch("unknown", id=1))
    assert await client.reply() == {
        "ok": False,
        "error": "no such event [UNKNOWN_EVENT]",
        "code": "UNKNOWN_EVENT",
        "id": 1,
    }


async def test_an_unknown_op_is_named_beside_the_known_ones(client: Client) -> None:
    client.send({"op": "p" * 1000})
    message = (await client.reply())["error"]
    assert message.startswith("unknown op 'ppp")
    assert message.endswith("; known: ping, dispatch, reload, cancel, bye")
    assert len(message) < 300


@pytest.mark.parametrize("line", [b"", b" ", b"\t", b"\r"], ids=repr)
async def test_an_empty_line_gets_no_reply(client: Client, line: bytes) -> None:
    client.write(line + b"\n" + line + b'\n{"op":"ping"}\n')
    assert await client.reply() == PONG
    await client.nothing_else()


async def test_lines_may_end_as_on_windows(client: Client) -> None:
    client.write(b'{"op":"ping"}\r\n{"op":"ping","id":1}\r\n')
    assert await client.replies(2) == [PONG, {**PONG, "id": 1}]


async def test_a_line_may_come_byte_by_byte(client: Client) -> None:
    for byte in b'{"op":"ping"}\n':
        client.write(bytes([byte]))
        await asyncio.sleep(0)
    assert await client.reply() == PONG


async def test_a_line_of_several_megabytes_is_served(client: Client) -> None:
    line = json.dumps(dispatch("quiet", payload="x" * 3_000_000)).encode() + b"\n"
    await asyncio.to_thread(write_all, client, line)
    assert await client.reply() == said("quiet")


def write_all(client: Client, data: bytes) -> None:
    assert client._stdin is not None  # noqa: SLF001 - the pipe blocks, as that of another process
    while data:
        data = data[os.write(client._stdin, data) :]  # noqa: SLF001


SHORT = Limits(line=40)


@pytest.mark.parametrize("pieces", [1, 7], ids=["in one piece", "in pieces"])
async def test_a_line_that_is_too_long_gets_one_error_and_the_next_one_is_served(pieces: int) -> None:
    async with serving(SHORT) as client:
        line = b'{"op":"ping","padding":"' + b"x" * 200 + b'"}\n'
        for start in range(0, len(line), len(line) // pieces + 1):
            client.write(line[start : start + len(line) // pieces + 1])
            await asyncio.sleep(0)
        client.send(PING)
        assert await client.replies(2) == [
            {"ok": False, "error": "a line is longer than 40 bytes and was skipped"},
            PONG,
        ]
        await client.nothing_else()


async def test_a_line_as_long_as_the_limit_is_served() -> None:
    async with serving(SHORT) as client:
        client.write(b'{"op":"ping"}'.ljust(40) + b"\n")
        assert await client.reply() == PONG


async def test_a_line_without_an_end_that_is_too_long_is_refused_before_it_ends() -> None:
    async with serving(SHORT) as client:
        client.write(b"x" * 1000)
        assert (await client.reply())["ok"] is False
        client.end()
        await client.serving


# -- identity and order


@pytest.mark.parametrize("name", ["a", "", "\ud800", 0, -1, 2**70, 1.5, True, False], ids=repr)
async def test_an_id_comes_back_as_it_was_sent(client: Client, name: object) -> None:
    client.send({"op": "ping", "id": name}, {"op": "pong", "id": name}, dispatch("unknown", id=name))
    replies = await client.replies(3)
    assert [json.dumps(reply["id"]) for reply in replies] == [json.dumps(name)] * 3
    assert [reply["ok"] for reply in replies] == [True, False, False]


async def test_an_id_of_null_is_none(client: Client) -> None:
    client.send(dispatch("one", id=None), {"op": "ping", "id": None})
    await client.begun("one")
    client.hooks.gate("one").set()
    assert await client.replies(2) == [said("one"), PONG]


async def test_requests_with_an_id_run_side_by_side_and_are_answered_as_they_end(client: Client) -> None:
    client.send(*(dispatch(name, id=name) for name in ("one", "two", "three")))
    await client.begun("one", "two", "three")
    for name in ("three", "one", "two"):
        client.hooks.gate(name).set()
        assert await client.reply() == said(name, id=name)


async def test_requests_without_an_id_run_one_after_the_other(client: Client) -> None:
    client.send(dispatch("one"), dispatch("two"), PING, dispatch("quiet"), dispatch("three"))
    await client.begun("one")
    client.hooks.gate("two").set()
    client.hooks.gate("three").set()
    await client.nothing_else()
    assert client.hooks.begun == ["one"]
    client.hooks.gate("one").set()
    assert await client.replies(5) == [said("one"), said("two"), PONG, said("quiet"), said("three")]


@pytest.mark.parametrize("line", [b"hello", b"[]", b'{"op":"cancel","target":"nobody"}', b'{"op":"nothing"}'], ids=repr)
async def test_the_reply_to_a_line_without_an_id_does_not_overtake_one_that_runs(client: Client, line: bytes) -> None:
    """A client that sends no id tells replies apart by their order; an early error would pass for a decision."""
    client.send(dispatch("one"))
    client.write(line + b"\n")
    await client.begun("one")
    await client.nothing_else()
    client.hooks.gate("one").set()
    assert await client.reply() == said("one")
    assert (await client.reply()).keys() <= {"ok", "error", "cancelled"}


async def test_a_line_that_is_too_long_is_refused_in_its_turn_too() -> None:
    async with serving(Limits(line=60)) as client:
        client.send(dispatch("one"))
        client.write(b"x" * 100 + b"\n")
        await client.begun("one")
        await client.nothing_else()
        client.hooks.gate("one").set()
        assert await client.reply() == said("one")
        assert (await client.reply())["ok"] is False


async def test_a_request_with_an_id_does_not_wait_for_those_without(client: Client) -> None:
    client.send(dispatch("one"), dispatch("two"), dispatch("quick", id=1))
    await client.begun("one", "quick")
    client.hooks.gate("quick").set()
    assert await client.reply() == said("quick", id=1)
    assert client.hooks.begun == ["one", "quick"]
    client.hooks.gate("one").set()
    client.hooks.gate("two").set()
    await client.replies(2)


async def test_an_id_that_is_in_use_is_refused_until_its_request_is_answered(client: Client) -> None:
    client.send(dispatch("one", id=1), dispatch("two", id=1))
    refusal = await client.reply()
    assert refusal == {"ok": False, "error": "a request with the id 1 is still running", "id": 1}
    client.hooks.gate("one").set()
    assert await client.reply() == said("one", id=1)
    client.send(dispatch("quiet", id=1))
    assert await client.reply() == said("quiet", id=1)
    assert client.hooks.begun == ["one"]


async def test_a_number_and_its_text_are_two_ids(client: Client) -> None:
    client.send(dispatch("one", id=1), dispatch("two", id="1"))
    await client.begun("one", "two")
    client.hooks.gate("one").set()
    client.hooks.gate("two").set()
    assert {json.dumps(reply["id"]) for reply in await client.replies(2)} == {"1", '"1"'}


# -- cancelling


async def test_a_cancelled_request_is_answered_when_its_hook_is_dead_and_then_the_cancellation(client: Client) -> None:
    client.send(dispatch("stubborn", id=1))
    await client.begun("stubborn")
    client.send({"op": "cancel", "target": 1, "id": 2})
    await client.nothing_else()
    assert client.hooks.dead == []
    client.hooks.gate("death").set()
    assert await client.reply() == {**CANCELLED, "id": 1}
    assert client.hooks.dead == ["stubborn"]
    assert await client.reply() == {"ok": True, "cancelled": True, "id": 2}


async def test_a_request_can_be_cancelled_in_the_same_breath(client: Client) -> None:
    client.send(dispatch("one", id=1), {"op": "cancel", "target": 1}, dispatch("quiet", id=1))
    replies = await client.replies(3)
    assert {**CANCELLED, "id": 1} in replies
    assert {"ok": True, "cancelled": True} in replies
    client.end()
    await client.serving


@pytest.mark.parametrize("target", [1, "one", -1.5, "never sent"], ids=repr)
async def test_the_cancellation_of_what_does_not_run_says_so(client: Client, target: object) -> None:
    client.send({"op": "cancel", "target": target, "id": "c"})
    assert await client.reply() == {"ok": True, "cancelled": False, "id": "c"}


async def test_what_has_ended_can_no_more_be_cancelled(client: Client) -> None:
    client.send(dispatch("one", id=1))
    await client.begun("one")
    client.hooks.gate("one").set()
    assert await client.reply() == said("one", id=1)
    client.send({"op": "cancel", "target": 1})
    assert await client.reply() == {"ok": True, "cancelled": False}


async def test_a_second_cancellation_of_one_that_dies_waits_for_its_death_too(client: Client) -> None:
    client.send(dispatch("stubborn", id=1))
    await client.begun("stubborn")
    client.send({"op": "cancel", "target": 1, "id": 2})
    await client.nothing_else()
    client.hooks.gate("death").set()
    client.send({"op": "cancel", "target": 1, "id": 3})
    replies = await client.replies(3)
    assert replies[0] == {**CANCELLED, "id": 1}
    assert {reply["id"] for reply in replies[1:]} == {2, 3}
    assert client.hooks.dead == ["stubborn"]


async def test_a_cancellation_without_an_id_acts_at_once_and_is_answered_in_its_turn(client: Client) -> None:
    client.send(dispatch("in order"), dispatch("one", id=1), {"op": "cancel", "target": 1}, PING)
    await client.begun("in order")
    assert await client.reply() == {**CANCELLED, "id": 1}
    await client.nothing_else()
    client.hooks.gate("in order").set()
    assert await client.replies(3) == [said("in order"), {"ok": True, "cancelled": True}, PONG]


async def test_a_cancellation_touches_no_other_request(client: Client) -> None:
    client.send(dispatch("one", id=1), dispatch("two", id=2))
    await client.begun("one", "two")
    client.send({"op": "cancel", "target": 1})
    await client.replies(2)
    client.hooks.gate("two").set()
    assert await client.reply() == said("two", id=2)


# -- ending


async def test_at_the_end_of_stdin_everything_that_came_is_still_answered(client: Client) -> None:
    client.send(dispatch("one"), dispatch("two"), PING, dispatch("three", id=3))
    await client.begun("one", "three")
    client.end()
    await asyncio.sleep(0)
    for name in ("three", "one", "two"):
        client.hooks.gate(name).set()
        await client.dead(name)
    await client.serving
    assert await client.replies(4) == [said("three", id=3), said("one"), said("two"), PONG]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        (b'{"op":"ping"}', [PONG]),
        (b'{"op":"ping","id":1}', [{**PONG, "id": 1}]),
        (b'{"op":"ping"}\r', [PONG]),
        (b"", []),
        (b"  ", []),
        (b"\r", []),
    ],
    ids=repr,
)
async def test_the_last_line_may_lack_its_end(client: Client, rest: bytes, expected: list[object]) -> None:
    client.write(b'{"op":"ping"}\n' + rest)
    client.end()
    await client.serving
    assert client.left() == [PONG, *expected]


async def test_an_empty_input_is_an_end(client: Client) -> None:
    client.end()
    await client.serving


@pytest.mark.parametrize("at_end", [False, True], ids=["before the end of stdin", "after the end of stdin"])
async def test_when_the_reader_is_gone_everything_is_cancelled_and_nothing_else_begins(*, at_end: bool) -> None:
    async with serving() as client:
        client.send(dispatch("beside", id=1), dispatch("in order"), dispatch("queued"))
        await client.begun("beside", "in order")
        if at_end:
            client.end()
            await asyncio.sleep(0)
        client.leave()
        await client.serving
        assert sorted(client.hooks.dead) == ["beside", "in order"]
        assert sorted(client.hooks.begun) == ["beside", "in order"]


async def test_when_the_reader_of_an_idle_server_is_gone_it_ends(client: Client) -> None:
    client.send(PING)
    await client.reply()
    client.leave()
    await client.serving


async def test_a_server_whose_reader_is_gone_waits_until_the_hooks_are_dead(client: Client) -> None:
    client.send(dispatch("stubborn", id=1))
    await client.begun("stubborn")
    client.leave()
    for _ in range(20):
        await asyncio.sleep(0)
    assert not client.serving.done()
    client.hooks.gate("death").set()
    await client.serving
    assert client.hooks.dead == ["stubborn"]


async def test_a_cancelled_server_ends_when_its_hooks_are_dead_and_begins_no_other() -> None:
    async with serving() as client:
        client.send(dispatch("stubborn", id=1), dispatch("in order"), dispatch("queued"))
        await client.begun("stubborn", "in order")
        client.serving.cancel()
        await client.dead("in order")
        client.send(dispatch("late", id=2))
        client.serving.cancel()  # impatience changes nothing
        for _ in range(20):
            await asyncio.sleep(0)
        assert not client.serving.done()
        client.hooks.gate("death").set()
        with pytest.raises(asyncio.CancelledError):
            await client.serving
        assert sorted(client.hooks.dead) == ["in order", "stubborn"]
        assert sorted(client.hooks.begun) == ["in order", "stubborn"]
        client.serving = asyncio.ensure_future(asyncio.sleep(0))


async def test_a_cancelled_server_still_tells_who_was_cancelled() -> None:
    async with serving() as client:
        client.send(dispatch("one", id=1))
        await client.begun("one")
        client.serving.cancel()
        assert await client.reply() == {**CANCELLED, "id": 1}
        client.serving = asyncio.gather(client.serving, return_exceptions=True)  # type: ignore[assignment] # only awaited


async def test_serving_leaves_no_descriptor_and_no_task() -> None:
    async with serving() as client:
        client.send(PING)
        await client.reply()
    before = open_descriptors()
    for leave in (False, True):
        async with serving() as client:
            client.send(dispatch("one", id=1), dispatch("two"), PING)
            await client.begun("one", "two")
            if leave:
                client.leave()
    assert open_descriptors() == before
    assert asyncio.all_tasks() == {asyncio.current_task()}


# -- a reader that is slow, and a client that asks for much


async def test_a_slow_reader_gets_every_reply_whole_and_in_order(client: Client) -> None:
    client.send(*[{"op": "dispatch", "event": "large", "id": number} for number in range(20)], {"op": "bye"})
    await asyncio.sleep(0.05)  # the pipe is full by now; nothing depends on it
    replies = await client.replies(21)
    assert [reply.get("id") for reply in replies] == [*range(20), None]
    assert all(reply["event"] == LARGE for reply in replies[:20])
    await client.serving


async def test_a_server_with_unread_replies_serves_others_meanwhile_and_can_be_ended() -> None:
    async with serving() as client:
        client.send(dispatch("one", id=1), *[dispatch("large")] * 3)
        client.end()
        await client.begun("one")
        client.hooks.gate("one").set()
        await client.dead("one")
        assert not client.serving.done()
        client.serving.cancel()
        with pytest.raises(asyncio.CancelledError):
            await client.serving
        client.serving = asyncio.ensure_future(asyncio.sleep(0))


async def test_a_reader_that_leaves_with_replies_unread_ends_the_server(client: Client) -> None:
    client.send(*[dispatch("large")] * 5, dispatch("one", id=1))
    client.end()
    await client.begun("one")
    client.leave()
    await client.serving
    assert client.hooks.dead == ["one"]


async def test_a_client_that_reads_no_reply_is_not_read_for_ever() -> None:
    async with serving(Limits(unread=1000)) as client:
        asked = 0
        assert client._stdin is not None  # noqa: SLF001 - to write until the pipe is full
        os.set_blocking(client._stdin, False)  # noqa: SLF001
        line = json.dumps({**PING, "id": "x" * 1000}).encode() + b"\n"
        with suppress(BlockingIOError):
            while True:
                assert os.write(client._stdin, line) == len(line)  # noqa: SLF001
                asked += 1
                await asyncio.sleep(0)
                await asyncio.sleep(0)
        assert len(await client.replies(asked)) == asked
        await client.nothing_else()


@pytest.mark.parametrize("with_id", [True, False], ids=["with ids", "in order"])
async def test_no_more_requests_are_held_than_the_limit_and_all_are_answered(*, with_id: bool) -> None:
    async with serving(Limits(running=3)) as client:
        names = [f"h{number}" for number in range(20)]
        client.send(*(dispatch(name, **({"id": name} if with_id else {})) for name in names))
        for name in names:
            client.hooks.gate(name)
        await client.begun(names[0])
        for name in names:
            client.hooks.gate(name).set()
        replies = await client.replies(20)
        assert sorted(reply["event"] for reply in replies) == sorted(names)
        assert client.hooks.most == (3 if with_id else 1)
        client.end()
        await client.serving


# -- what stdin and stdout may be


@asynccontextmanager
async def on(stdin: int, stdout: int, limits: Limits | None = None) -> AsyncIterator[tuple[Hooks, Awaitable[None]]]:
    hooks = Hooks()
    serving = asyncio.ensure_future(Server(hooks.load, stdin, stdout, limits=limits or Limits()).serve())
    try:
        yield hooks, serving
    finally:
        serving.cancel()
        with suppress(asyncio.CancelledError, CompatError):
            await serving


def socket_pair() -> tuple[socket.socket, socket.socket]:
    pair = socket.socketpair()
    for end in pair:
        os.set_blocking(end.fileno(), False)
    return pair


def lines(*requests: dict[str, object]) -> bytes:
    return b"".join(json.dumps(request).encode() + b"\n" for request in requests)


async def test_stdin_and_stdout_may_be_regular_files() -> None:
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
        stdin.write(lines(dispatch("one"), PING, dispatch("two", id=2)))
        stdin.seek(0)
        async with on(stdin.fileno(), stdout.fileno()) as (hooks, served):
            await until(lambda: hooks.begun == ["one", "two"])
            hooks.gate("two").set()
            await until(lambda: hooks.dead == ["two"])
            hooks.gate("one").set()
            await served
        stdout.seek(0)
        assert [json.loads(line) for line in stdout] == [said("two", id=2), said("one"), PONG]


async def test_a_regular_file_with_many_requests_does_not_start_them_all_at_once() -> None:
    with tempfile.TemporaryFile() as stdin, tempfile.TemporaryFile() as stdout:
        stdin.write(lines(*[dispatch(f"h{number}", id=number) for number in range(50)]))
        stdin.seek(0)
        async with on(stdin.fileno(), stdout.fileno(), Limits(running=4)) as (hooks, served):
            await until(lambda: len(hooks.begun) == 4)
            for number in range(50):
                hooks.gate(f"h{number}").set()
            await served
        stdout.seek(0)
        assert len(stdout.readlines()) == 50
        assert hooks.most == 4


async def test_stdin_may_be_the_null_device() -> None:
    stdin = os.open(os.devnull, os.O_RDONLY)
    with tempfile.TemporaryFile() as stdout:
        async with on(stdin, stdout.fileno()) as (_, served):
            await served
    os.close(stdin)


async def test_a_terminal_that_is_closed_is_an_end() -> None:
    """Reading from it is an error then."""
    terminal, stdin = os.openpty()
    with tempfile.TemporaryFile() as stdout:
        async with on(stdin, stdout.fileno()) as (hooks, served):
            os.write(terminal, lines(dispatch("one", id=1)))
            await until(lambda: hooks.begun == ["one"])
            os.close(terminal)
            hooks.gate("one").set()
            await served
        stdout.seek(0)
        assert json.loads(stdout.readline()) == said("one", id=1)
    os.close(stdin)


async def test_a_stdout_that_is_full_is_an_error_and_ends_what_runs() -> None:
    stdout = os.open("/dev/full", os.O_WRONLY)
    with tempfile.TemporaryFile() as stdin:
        stdin.write(lines(dispatch("one", id=1), PING))
        stdin.seek(0)
        async with on(stdin.fileno(), stdout) as (hooks, served):
            with pytest.raises(CompatError, match=r"stdout cannot be written: .*No space left"):
                await served
            assert hooks.dead == hooks.begun
    os.close(stdout)


async def test_one_socket_may_be_both_stdin_and_stdout() -> None:
    """As inetd, socat and ssh start a program."""
    ours, theirs = socket_pair()
    with ours, theirs:
        reader, writer = await asyncio.open_connection(sock=ours)
        async with on(theirs.fileno(), theirs.fileno()) as (hooks, served):
            for number in range(3):
                writer.write(lines({**PING, "id": number}))
                assert json.loads(await reader.readline()) == {**PONG, "id": number}
            writer.write(lines(dispatch("one", id=1)))
            await until(lambda: hooks.begun == ["one"])
            writer.write_eof()
            hooks.gate("one").set()
            assert json.loads(await reader.readline()) == said("one", id=1)
            await served
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("unread", [0, 5], ids=["everything read", "replies unread"])
async def test_a_peer_that_closes_its_socket_is_gone(unread: int) -> None:
    ours, theirs = socket_pair()
    with ours, theirs:
        async with on(theirs.fileno(), theirs.fileno()) as (hooks, served):
            ours.sendall(lines(*[PING] * unread, dispatch("one", id=1)))
            await until(lambda: hooks.begun == ["one"])
            ours.close()
            await served
            assert hooks.dead == ["one"]


# -- defects


@pytest.mark.parametrize(("event", "says"), [("defect", "a defect at once"), ("late-defect", "a defect later")])
@pytest.mark.parametrize("more", [{}, {"id": 1}], ids=["in order", "with an id"])
async def test_a_request_that_finds_a_defect_takes_no_other_with_it(
    client: Client, capsys: pytest.CaptureFixture[str], event: str, says: str, more: dict[str, object]
) -> None:
    client.hooks.gate("late-defect").set()
    client.send(dispatch("other", id=2), dispatch(event, **more))
    assert await client.reply() == {
        "ok": False,
        "error": "a defect of dsh-compat, about which its stderr says more: RuntimeError",
        **more,
    }
    assert says in capsys.readouterr().err
    client.hooks.gate("other").set()
    assert await client.reply() == said("other", id=2)
    await client.nothing_else()


async def test_a_refusal_that_comes_late_is_a_refusal(client: Client) -> None:
    client.hooks.gate("late-refusal").set()
    client.send(dispatch("late-refusal", id=1))
    assert await client.reply() == {
        "ok": False,
        "error": "refused later [INVALID_INPUT]",
        "code": "INVALID_INPUT",
        "id": 1,
    }


async def test_a_reply_that_json_cannot_hold_is_an_error_with_its_id(client: Client) -> None:
    client.hooks.gate("not-json").set()
    client.send(dispatch("not-json", id=1), PING)
    replies = {reply.get("id"): reply for reply in await client.replies(2)}
    assert replies[1]["error"].startswith("the reply cannot be written as JSON: ")
    assert replies[None] == PONG
