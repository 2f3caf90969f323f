"""An HTTP server on the loopback address with a lifetime, for whatever an engine has to reach."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class QuietHandler(BaseHTTPRequestHandler):
    """Answers requests and logs none."""

    protocol_version = "HTTP/1.1"

    def send(self, kind: str, body: bytes, status: int = 200) -> None:
        """A whole answer."""
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Nothing is logged."""


class LocalServer:
    """Serves from its making until it is closed."""

    def __init__(self, handler: type[QuietHandler]) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Returns when the server has ended."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
