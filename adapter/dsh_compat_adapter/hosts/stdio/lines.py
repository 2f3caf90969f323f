"""Cuts a stream of bytes into lines, with a bound on the length of one."""


class Lines:
    """Takes bytes as they come and gives complete lines back; what is too long is not kept."""

    def __init__(self, limit: int) -> None:
        """`limit` counts the bytes of a line without its end."""
        self._limit = limit
        self._data = bytearray()
        self._searched = 0  # bytes in which no line ends
        self._skipping = False  # inside a line that was too long

    def __bool__(self) -> bool:
        return bool(self._data)

    def feed(self, data: bytes) -> None:
        """Add what was read."""
        self._data += data

    def end(self) -> None:
        """Nothing more comes; the last line may lack its end."""
        if self._data:
            self._data += b"\n"

    def clear(self) -> None:
        """Forget what was not taken yet."""
        self._data.clear()
        self._searched = 0

    def take(self) -> bytearray | None:
        """The next complete line without its end, or none yet.

        Raises ValueError, once, for a line that is too long; what is left of it comes as an empty line.
        """
        end = self._data.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._data)
            if self._searched > self._limit or self._skipping:
                self._skip()
            return None
        line = self._data[:end]
        del self._data[: end + 1]
        self._searched = 0
        if self._skipping:
            self._skipping = False
            return bytearray()
        if end > self._limit:
            raise self._too_long()
        return line

    def _skip(self) -> None:
        self.clear()
        if not self._skipping:
            self._skipping = True
            raise self._too_long()

    def _too_long(self) -> ValueError:
        return ValueError(f"a line is longer than {self._limit} bytes and was skipped")
