"""A `dsh-compat listen` as a process of its own, and what its hooks leave behind."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil

from tests.checkout import PACKAGE
from tests.clock import PATIENCE_S

Request = Mapping[str, object]


def environment(**more: str) -> dict[str, str]:
    """What the process is started with: this checkout, and nothing of the user who runs the tests."""
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(PACKAGE.parent),
        "PYTHONSAFEPATH": "1",
        "HOME": "/nonexistent",
        "XDG_STATE_HOME": os.environ["XDG_STATE_HOME"],
        **more,
    }


def argv(root: Path, *arguments: str | Path) -> list[str]:
    """The command line of a `listen` on a project, without the files of a user unless `arguments` name them."""
    home = [] if "--home" in arguments else ["--home", "/nonexistent"]
    listen = [sys.executable, "-m", "dsh_compat_adapter", "listen", "--root", str(root), *home]
    return [*listen, *(str(argument) for argument in arguments)]


class Listening:
    """A running server, asked line by line."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    @property
    def pid(self) -> int:
        return self.process.pid

    def write(self, data: bytes) -> None:
        """Send bytes."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, *requests: Request) -> None:
        """Send requests in one write."""
        self.write(b"".join(json.dumps(request).encode() + b"\n" for request in requests))

    def reply(self) -> Any:
        """The next line."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.endswith(b"\n"), f"the server ended, exit code {self.process.wait(PATIENCE_S)}"
        return json.loads(line)

    def ask(self, **request: object) -> Any:
        """Send one request and read one reply."""
        self.send(request)
        return self.reply()

    def dispatch(self, event: str, tool: str | None = None, **more: object) -> Any:
        """Fire one event and read its reply."""
        return self.ask(**fired(event, tool, **more))

    def end(self) -> int:
        """Close its stdin; the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(PATIENCE_S)

    def leave(self) -> None:
        """Read no reply any more."""
        assert self.process.stdout is not None
        self.process.stdout.close()


def fired(event: str, tool: str | None = None, **more: object) -> Request:
    """A dispatch request."""
    payload = {} if tool is None else {"payload": {"tool_name": tool, "tool_input": {}}}
    return {"op": "dispatch", "event": event, **payload, **more}


@contextmanager
def listening(root: Path, *arguments: str | Path, **variables: str) -> Iterator[Listening]:
    """A server on a project; killed at the end if it still runs."""
    process = subprocess.Popen(
        argv(root, *arguments),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**variables),
    )
    try:
        yield Listening(process)
    finally:
        for pipe in (process.stdin, process.stdout, process.stderr):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()
        process.terminate()
        process.wait(PATIENCE_S)


def told(fifo: Path, count: int = 1) -> list[int]:
    """As many numbers as hooks write into a FIFO; waits until they have."""
    found: list[int] = []
    while len(found) < count:
        found += [int(word) for word in fifo.read_text().split()]
    return found


def alive(pids: list[int]) -> list[int]:
    """Those of the processes that are there and no corpses. They are killed, so that a failing test leaves nothing."""
    found = [pid for pid in pids if _runs(pid)]
    for pid in found:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return found


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
