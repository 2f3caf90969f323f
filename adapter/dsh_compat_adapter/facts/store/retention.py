"""How much a store keeps: by age and by size, the oldest goes first."""

import sqlite3
import time
from typing import NamedTuple

MIB = 1024 * 1024
DAY_US = 24 * 3600 * 1_000_000
STEP = 200  # runs that are deleted in one transaction
FREED = 0.9  # of the allowed size, to which a store that is over it is brought


class Keep(NamedTuple):
    """How long and how much."""

    days: float = 30
    mib: float = 512


DEFAULT_KEEP = Keep()


def prune(database: sqlite3.Connection, keep: Keep) -> int:
    """Delete what is too old or too much, a step a transaction; the number of runs and other facts that went."""
    gone = 0
    oldest = time.time_ns() // 1000 - int(keep.days * DAY_US)
    while step := _delete(database, "WHERE started < ? ORDER BY started LIMIT ?", oldest, STEP):
        gone += step
    limit = int(keep.mib * MIB)
    if _size(database) > limit:
        while _size(database) > limit * FREED and (step := _delete(database, "ORDER BY started LIMIT ?", STEP)):
            gone += step
    if gone:
        # not `execute`, which takes one step only, and so gives one page back
        database.executescript("PRAGMA incremental_vacuum")
    return gone


def _delete(database: sqlite3.Connection, which: str, *parameters: int) -> int:
    with transaction(database):
        seqs = [row[0] for row in database.execute(f"SELECT seq FROM entries {which}", parameters)]  # noqa: S608 - from above
        if not seqs:
            return 0
        database.executemany("DELETE FROM bodies WHERE seq = ?", [(seq,) for seq in seqs])
        database.executemany("DELETE FROM entries WHERE seq = ?", [(seq,) for seq in seqs])
        # evidence remembers when it was last named, so what was named before everything that is left can go
        database.execute(
            "DELETE FROM evidence WHERE seen < coalesce((SELECT min(started) FROM entries), 9223372036854775807)"
        )
    return len(seqs)


def _size(database: sqlite3.Connection) -> int:
    """Bytes of the pages in use."""
    page, count, free = (
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_size", "page_count", "freelist_count")
    )
    return int(page * (count - free))


class transaction:  # noqa: N801 - used as a function
    """A transaction that takes the write lock at its beginning, so that it never fails in the middle."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._database.execute("COMMIT" if kind is None else "ROLLBACK")
