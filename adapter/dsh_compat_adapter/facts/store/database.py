"""The database of a store: its tables, and how it is opened.

`entries` has one narrow row for a run or for a fact that stands alone, so that a filter reads little; `bodies` has the
facts themselves, and `evidence` what they name.
"""

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from ..append_file import open_private

VERSION = 1
BUSY_S = 10.0  # that a reader waits for a lock; a transaction here takes milliseconds

TABLES = """
CREATE TABLE journals(name TEXT PRIMARY KEY, taken INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE handlers(n INTEGER PRIMARY KEY, ref TEXT NOT NULL, vendor TEXT NOT NULL, event TEXT NOT NULL,
    point TEXT, UNIQUE(ref, vendor, event, point));
CREATE TABLE entries(
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, started INTEGER NOT NULL, writer TEXT NOT NULL,
    type TEXT NOT NULL, handler INTEGER, session TEXT NOT NULL, turn TEXT,
    decision TEXT, failed TEXT, duration_us INTEGER, interrupted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE bodies(seq INTEGER PRIMARY KEY, first TEXT, last TEXT);
CREATE TABLE evidence(n INTEGER PRIMARY KEY, ref TEXT NOT NULL UNIQUE, seen INTEGER NOT NULL, text BLOB NOT NULL,
    size INTEGER NOT NULL, redactions INTEGER NOT NULL, cut INTEGER NOT NULL);
CREATE INDEX entries_started ON entries(started);
CREATE INDEX entries_session ON entries(session, started);
CREATE INDEX entries_unended ON entries(writer) WHERE type = 'hook.started';
CREATE INDEX evidence_seen ON evidence(seen);
"""


def open_database(path: Path, busy_s: float = BUSY_S) -> sqlite3.Connection:
    """Open the database of a store to read and write; one that is missing is made, for its owner alone.

    Raises sqlite3.Error or OSError.
    """
    # only if it is missing: closing a file drops the locks that other connections of this process have on it
    with suppress(FileExistsError):
        os.close(open_private(Path(os.path.realpath(path)), os.O_EXCL))
    database = sqlite3.connect(path, timeout=busy_s, isolation_level=None)
    try:
        if _version(database) == 0:
            _make(database)
        _check_version(database)
        database.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        database.close()
        raise
    return database


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open the database of a store that may not be written; raises sqlite3.Error."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_S, isolation_level=None)


def memory_database() -> sqlite3.Connection:
    """An empty database that nobody else sees."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    _create(database)
    return database


def _make(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    database.execute("PRAGMA journal_mode = WAL").fetchall()
    database.execute("BEGIN IMMEDIATE")
    try:
        if _version(database) == 0:  # another process may have made it meanwhile
            _create(database)
    except BaseException:
        database.execute("ROLLBACK")
        raise
    database.execute("COMMIT")


def _create(database: sqlite3.Connection) -> None:
    for statement in TABLES.split(";\n"):
        database.execute(statement)
    database.execute(f"PRAGMA user_version = {VERSION}")


def _check_version(database: sqlite3.Connection) -> None:
    if (found := _version(database)) != VERSION:
        raise sqlite3.DatabaseError(f"it was written by another version of this program (format {found})")


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])
