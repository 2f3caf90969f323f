"""A scripted model on the loopback address that speaks what each engine needs, and keeps what it was asked.

Each request with tools takes the next reply of its script, and the last one repeats. A request without the main prompt
is one of a subagent and has a script of its own. A request without tools (a title, a summary) takes none.
"""

import json
import threading
from collections.abc import Sequence
from typing import Self

from scripts.oracles.frames import Reply, frames
from scripts.oracles.local_server import LocalServer, QuietHandler
from scripts.oracles.verdicts import verdict

MAIN = "MAIN-PROMPT"  # stands in every prompt that this package gives to an engine
PROMPT = f"{MAIN} please do what you are told"
DONE = Reply()
ERROR = b'{"error":{"type":"invalid_request_error","message":"refused by the model"},"type":"error"}'


class ScriptedModel:
    """A server with a lifetime. `bodies` are the requests with tools of the main agent, as text, in order."""

    def __init__(self, script: Sequence[Reply], child: Sequence[Reply] = ()) -> None:
        self._script = list(script) or [DONE]
        self._child = list(child) or [DONE]
        self._taken = {True: 0, False: 0}
        self._number = 0
        self._lock = threading.Lock()
        self.bodies: list[str] = []
        self.others: list[str] = []  # of subagents, and those without tools
        self.children: list[str] = []  # of subagents alone

    def __enter__(self) -> Self:
        model = self

        class Handler(QuietHandler):
            def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode("utf-8", "replace")
                path = self.path.partition("?")[0]
                if path.endswith("count_tokens"):
                    self.send("application/json", b'{"input_tokens":1}')
                else:
                    answer = model.answer(path, body)
                    if answer is None:
                        self.send("application/json", ERROR, 400)
                    else:
                        self.send("text/event-stream", answer)

            def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
                self.send("application/json", b'{"data":[],"models":[]}')

            def do_HEAD(self) -> None:  # noqa: N802 - the name that http.server calls
                self.send("application/json", b"")

        self._server = LocalServer(Handler)
        self.port = self._server.port
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()

    def forget(self) -> None:
        """Begin the script anew, and drop what was asked so far."""
        with self._lock:
            self._taken = {True: 0, False: 0}
            self.bodies.clear()
            self.others.clear()
            self.children.clear()

    def answer(self, path: str, body: str) -> bytes | None:
        """The next scripted reply to a request, as the body of a response; none for one that fails."""
        try:
            tools = bool(json.loads(body).get("tools"))
        except (ValueError, AttributeError):
            tools = False
        main = MAIN in body
        with self._lock:
            self._number += 1
            number = self._number
            judged = None if main else verdict(body)
            (self.bodies if tools and main else self.others).append(body)
            if judged is not None:
                return frames(path, Reply(text=judged), number)
            if not tools:
                return frames(path, DONE, number)
            if not main:
                self.children.append(body)
            script = self._script if main else self._child
            reply = script[min(self._taken[main], len(script) - 1)]
            self._taken[main] += 1
        if reply.fails:
            return None
        return frames(path, reply, number)
