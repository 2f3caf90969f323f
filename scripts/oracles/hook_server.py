"""The one hook of every case as an HTTP handler: what is posted to `/TAG` goes through the recorder, its answer back.

The status is 500 when the recorder ends with another code than 0.
"""

import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

ANSWER_S = 60


class HookServer:
    """A server on the loopback address with a lifetime; `address` is what stands before a tag."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __enter__(self) -> Self:
        root = self._root

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                done = subprocess.run(
                    ["sh", str(root / "recorder.sh"), str(root), self.path.removeprefix("/")],  # noqa: S607 - sh is everywhere
                    input=body,
                    capture_output=True,
                    timeout=ANSWER_S,
                    check=False,
                )
                self.send_response(200 if done.returncode == 0 else 500)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(done.stdout)))
                self.end_headers()
                self.wfile.write(done.stdout)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
