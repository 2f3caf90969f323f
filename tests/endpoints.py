"""HTTP endpoints on the loopback address that say what a test tells them to, and remember what they were asked."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field

SILENT = b""  # takes the request and never answers


@dataclass
class Asked:
    """One request."""

    target: str
    headers: list[tuple[str, str]]  # names in lower case
    body: bytes

    def header(self, name: str) -> str:
        """The value of a header that came exactly once."""
        (value,) = [value for key, value in self.headers if key == name]
        return value


@dataclass
class Endpoint:
    """A server that answers every request with the same bytes."""

    url: str
    response: bytes
    asked: list[Asked] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)


async def closed(writer: asyncio.StreamWriter) -> None:
    """Close a connection, and wait until it is; what is left of one fails whatever test comes next."""
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


def http(body: bytes | str = b"", status: int = 200, *headers: str) -> bytes:
    """One whole response."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Status", f"content-length: {len(data)}", "connection: close", *headers]
    return "\r\n".join([*lines, "\r\n"]).encode() + data


def completion(content: object) -> bytes:
    """The response of a chat model."""
    return http(json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}))


@asynccontextmanager
async def endpoint(response: bytes) -> AsyncIterator[Endpoint]:
    """Serve until the end of the block."""
    tasks: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.current_task())
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            here.asked.append(await _asked(reader))
            here.reached.set()
            if here.response is SILENT:
                await reader.read()  # until the client leaves
            writer.write(here.response)
            await writer.drain()
        await closed(writer)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    here = Endpoint(url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", response=response)
    try:
        yield here
    finally:
        server.close()
        for _ in range(5):  # a connection that was taken at the last moment gets its task only now
            await asyncio.sleep(0)
        await asyncio.gather(*(task for task in tasks if task is not None))


@contextmanager
def closed_port() -> Iterator[int]:
    """A port on which nobody listens; nobody else is given it until the end of the block."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # who asks for this very port can have it
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


async def _asked(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("utf-8", "surrogateescape")
    request, *lines = head.strip().split("\r\n")
    headers = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines)]
    length = int(dict(headers).get("content-length", "0"))
    return Asked(request.split(" ")[1], headers, await reader.readexactly(length))
