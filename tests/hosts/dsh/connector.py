"""A connector as a test plays it: answers the calls of the Python side, its shell with a real one."""

import asyncio
import subprocess
from collections.abc import Callable
from typing import Any

from dsh_compat_adapter.hosts.dsh.calls import Calls, Message


class Connector:
    """Runs shell calls as DSH does, with `bash -c` and an environment of its own; keeps everything that it was asked."""

    def __init__(self) -> None:
        self.asked: list[Message] = []
        self.refuses: dict[str, str] = {}  # by service: an error instead of a value
        self.silent = False  # takes shell calls and never answers them
        self.result: Callable[[Message], None] = lambda _: None
        self._running: dict[object, asyncio.Task[None]] = {}

    def send(self, message: Message) -> None:
        """What the Python side writes."""
        self.asked.append(message)
        number = message["call"]
        if message.get("abort"):
            self.result({"call": number, "error": "aborted"})
        elif not self.silent or message["service"] != "shell":
            self._running[number] = asyncio.get_running_loop().create_task(self._serve(message))

    def services(self) -> list[object]:
        """The services that were called, in order."""
        return [message["service"] for message in self.asked if "service" in message]

    async def _serve(self, message: Message) -> None:
        service = str(message["service"])
        if service in self.refuses:
            self.result({"call": message["call"], "error": self.refuses[service]})
            return
        value = await asyncio.to_thread(_shell, message["args"]) if service == "shell" else None
        self.result({"call": message["call"], "value": value})


def connected() -> tuple[Connector, Calls]:
    """A connector, and the calls that go to it."""
    connector = Connector()
    calls = Calls(connector.send)
    connector.result = calls.result
    return connector, calls


def _shell(args: Any) -> Message:
    environment = {"PATH": "/usr/bin:/bin", "TOKEN_OF_DSH": "secret", **args["env"]}
    argv = ["bash", "-c", args["command"]]
    done = subprocess.run(
        argv, input=args["stdin"], capture_output=True, text=True, cwd=args["cwd"], env=environment, check=False
    )
    killed = done.returncode < 0
    return {
        "exit_code": None if killed else done.returncode,
        "signal": "SIGTERM" if killed else None,
        "timed_out": False,
        "stdout": done.stdout,
        "stderr": done.stderr,
        "truncated": False,
    }
