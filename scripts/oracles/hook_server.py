"""The one hook of every case as an HTTP handler: what is posted to `/TAG` goes through the recorder, its answer back.

The status is 500 when the recorder ends with another code than 0.
"""

import subprocess
from pathlib import Path
from typing import Self

from scripts.oracles.local_server import LocalServer, QuietHandler

ANSWER_S = 60


class HookServer:
    """A server on the loopback address with a lifetime; `address` is what stands before a tag."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __enter__(self) -> Self:
        root = self._root

        class Handler(QuietHandler):
            def do_POST(self) -> None:  # noqa: N802 - the name that http.server calls
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                done = subprocess.run(
                    ["sh", str(root / "recorder.sh"), str(root), self.path.removeprefix("/")],  # noqa: S607 - sh is everywhere
                    input=body,
                    capture_output=True,
                    timeout=ANSWER_S,
                    check=False,
                )
                self.send("application/json", done.stdout, 200 if done.returncode == 0 else 500)

        self._server = LocalServer(Handler)
        self.address = f"http://127.0.0.1:{self._server.port}"
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()
