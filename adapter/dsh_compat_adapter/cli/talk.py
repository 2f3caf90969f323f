"""What a server says on stderr: never so much that it would wait for its reader for long, and no credentials."""

import io
import os
import select
from collections.abc import Callable

CHUNK = 4096  # what a pipe takes at once when it takes anything
PATIENCE_S = 0.1  # for a reader that is slow; one that has not read by then is not waited for again until it has


class Talk(io.TextIOBase):
    """A stream for `sys.stderr`. What nobody takes is dropped: a client that leaves stderr unread stops no hook."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._patience_s = PATIENCE_S
        self._redact: Callable[[str], str] | None = None

    def write(self, text: str) -> int:
        """Write as much as the reader takes. Total."""
        data = self._without_credentials(text).encode("utf-8", "backslashreplace")
        for start in range(0, len(data), CHUNK):
            try:
                if not select.select([], [self._fd], [], self._patience_s)[1]:
                    self._patience_s = 0.0
                    break
                self._patience_s = PATIENCE_S
                os.write(self._fd, data[start : start + CHUNK])
            except OSError:  # the reader is gone
                break
        return len(text)

    def _without_credentials(self, text: str) -> str:
        if text.isspace():
            return text
        try:
            if self._redact is None:
                from ..facts.redaction import Redactor  # noqa: PLC0415 - start-up: most servers say nothing

                redactor = Redactor()
                self._redact = lambda said: redactor.text(said).text
            return self._redact(text)
        except Exception as error:  # noqa: BLE001 - whoever prints does so where something went wrong already
            return f"dsh-compat: a line is left out, since it could not be looked through: {type(error).__name__}\n"

    def fileno(self) -> int:
        """The descriptor."""
        return self._fd
