"""The store's sink: a journal of this process beside the database, one line a fact, from which the database is filled.

A line costs a few microseconds and no lock, where a transaction costs as much as a twentieth of a hook. It outlives a
kill of the process. The database takes journals in when they have grown, when their process closes, and whenever
somebody reads the store (see `store.intake`), each line exactly once.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path

from ..append_file import AppendFile
from ..sink import Record
from .files import journal_name, journals_of
from .lock import try_lock
from .retention import DEFAULT_KEEP, Keep

FULL = 4 * 1024 * 1024  # bytes of a journal from which on it is taken in while its process runs
BUSY_S = 1.0  # that a process waits for the database at its end; what it does not take in then, the next reader does
LOOK_US = 1_000_000  # between two looks whether the journal is still there
LARGEST = 256 * 1024 * 1024  # bytes that a journal may have which the database does not take in


class JournalSink:
    """Writes the facts of one process to a store."""

    def __init__(self, store: Path, say: Callable[[str], None], keep: Keep = DEFAULT_KEEP) -> None:
        """`say` is told once when the database cannot take in what the journal holds."""
        self.name = str(store)
        self._store = store
        self._say = say
        self._keep = keep
        self._writer = os.urandom(8).hex()
        self._count = 0
        self._file: AppendFile | None = None
        self._line_of: Callable[[Record], bytes]  # from the first journal on
        self._looked_us = 0
        self._size = 0
        self._taking_in: threading.Thread | None = None
        self._turn_at = FULL
        self._failing = False  # the database
        self._said = False

    def write(self, record: Record) -> None:
        """See `Sink.write`."""
        file = self._file
        if file is None or abs(record.fact.at_us - self._looked_us) >= LOOK_US:
            file = self._looked(file, record.fact.at_us)
        if self._size > LARGEST:
            raise OSError(f"the journal {file.path} is full, since the database does not take it in")
        self._size += file.write(self._line_of(record))
        if self._size > self._turn_at:
            self._turn_over()

    def close(self) -> None:
        """Take everything into the database. What it does not take now, its next reader does."""
        if self._taking_in is not None:
            self._taking_in.join()
        if self._file is None:
            return
        self._file.close()  # the lock goes with it, so that the journal counts as left behind
        self._file = None
        self._take_in()

    def _looked(self, file: AppendFile | None, at_us: int) -> AppendFile:
        """The journal, or a new one when there is none or somebody has removed it.

        Looked for once a second, since that costs as much as writing.
        """
        self._looked_us = at_us
        return self._begin() if file is None or file.is_gone() else file

    def _begin(self) -> AppendFile:
        """Begin a journal that nobody else has locked."""
        from .line import line_of  # noqa: PLC0415 - start-up: msgspec is imported when there is something to write

        self._line_of = line_of
        if self._file is not None:
            self._file.close()
        while True:
            self._count += 1
            file = AppendFile(journals_of(self._store) / journal_name(self._writer, self._count))
            file.write(b"\n")
            descriptor = file.fileno()
            assert descriptor is not None  # a line was written
            # a reader may have found it before it was locked, and removed it as one left behind
            if try_lock(descriptor) and not file.is_gone():
                break
            file.close()
        self._file, self._size, self._turn_at = file, 0, FULL
        return file

    def _turn_over(self) -> None:
        """Begin the next journal, and let the database take in the full one meanwhile."""
        self._turn_at = self._size + FULL
        if self._taking_in is not None and self._taking_in.is_alive():
            return
        if not self._failing:
            full = self._file
            self._begin()
            if full is not None:
                full.close()
        self._taking_in = threading.Thread(target=self._take_in, name="dsh-compat facts")
        self._taking_in.start()

    def _take_in(self) -> None:
        """Total; runs beside the event loop."""
        try:
            from .intake import take_in  # noqa: PLC0415 - start-up: sqlite3 is imported when there is something for it

            take_in(self._store, self._keep, busy_s=BUSY_S)
            self._failing = False
        except Exception as error:  # noqa: BLE001 - the journal keeps what the database does not take
            self._failing = True
            if not self._said and not _is_busy(error):
                self._said = True
                self._say(
                    f"{self.name}: {type(error).__name__}: {error}; the facts stay in {journals_of(self._store)} "
                    "until `dsh-compat audit` can take them in"
                )


def _is_busy(error: Exception) -> bool:
    """Whether somebody else only had the database for too long; nothing is lost by that."""
    import sqlite3  # noqa: PLC0415 - imported by now

    # the high bits say more than is asked here
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
