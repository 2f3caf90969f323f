"""Takes journals into the database: those of living processes as far as they have grown, those of dead ones whole.

Each line counts once, however many processes read the store: how far a journal was read is in the same transaction.
"""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..fact import FactType
from ..ids import moment
from .database import BUSY_S, open_database
from .files import SUFFIX, journals_of, writer_of
from .line import record_of
from .lock import try_lock
from .retention import Keep, prune, transaction

CHUNK = 1024 * 1024  # bytes of a journal that one transaction takes in
ENDED = (FactType.COMPLETED.value, FactType.FAILED.value)

# what a line raises that this program did not write; it is left out, so that it does not stand before those behind it
FOREIGN = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    OverflowError,
    RecursionError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
)

Data = dict[str, Any]  # a fact as JSON-ready data, with its evidence


def take_in(store: Path, keep: Keep | None = None, *, busy_s: float = BUSY_S) -> None:
    """Bring the database up to date with every journal, and within the bounds of a writer; a reader has none.

    Raises sqlite3.Error or OSError.
    """
    database = open_database(store, busy_s)
    try:
        for path in sorted(journals_of(store).glob(f"*{SUFFIX}")):
            with suppress(FileNotFoundError):  # another process was faster
                _take_in(database, path)
        if keep is not None:
            prune(database, keep)
    finally:
        database.close()


def _take_in(database: sqlite3.Connection, path: Path) -> None:
    fd = os.open(path, os.O_RDWR)
    try:
        left_behind = try_lock(fd)
        while _take_chunk(database, path, fd):
            pass
        if left_behind:
            _finish(database, path)
    finally:
        os.close(fd)


def _take_chunk(database: sqlite3.Connection, path: Path, fd: int) -> bool:
    """Take in the next lines; false when there are none."""
    with transaction(database):
        row = database.execute("SELECT taken FROM journals WHERE name = ?", (path.name,)).fetchone()
        taken = row[0] if row else 0
        data = _lines(fd, taken)
        if not data:
            return False
        add(database, writer_of(path), _records(data.split(b"\n")))
        database.execute(
            "INSERT INTO journals VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET taken = excluded.taken",
            (path.name, taken + len(data)),
        )
    return True


def _lines(fd: int, start: int) -> bytes:
    """Whole lines from there on, at least one if there is one."""
    size = CHUNK
    while True:
        data = os.pread(fd, size, start)
        end = data.rfind(b"\n") + 1
        if end or len(data) < size:
            return data[:end]
        size *= 2


def _records(lines: Iterable[bytes]) -> Iterator[Data]:
    for line in lines:
        try:
            record = record_of(line)
        except FOREIGN:  # perhaps torn, since the device was full; its fact was written again behind it
            continue
        yield {"fact": record.fact.to_dict(), "evidence": record.evidence}


def _finish(database: sqlite3.Connection, path: Path) -> None:
    """Say which runs of a dead process have no end, and remove its journal."""
    writer = writer_of(path)
    with transaction(database):
        others = [other for other in path.parent.glob(f"{writer}.*{SUFFIX}") if other != path]
        if not any(_is_held(other) for other in others):
            database.execute(
                "UPDATE entries SET interrupted = 1 WHERE writer = ? AND type = 'hook.started' AND interrupted = 0",
                (writer,),
            )
        path.unlink()
        database.execute("DELETE FROM journals WHERE name = ?", (path.name,))


def _is_held(path: Path) -> bool:
    """Whether a living process writes to this journal."""
    try:
        fd = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not try_lock(fd)
    finally:
        os.close(fd)


def add(database: sqlite3.Connection, writer: str, records: Iterable[Data]) -> None:
    """Add facts with their evidence, inside the caller's transaction. What is there already stays as it is."""
    handlers: dict[tuple[Any, ...], int] = {}
    for record in records:
        with suppress(*FOREIGN):
            _add(database, writer, record, handlers)


def _add(database: sqlite3.Connection, writer: str, record: Data, handlers: dict[tuple[Any, ...], int]) -> None:
    fact = record["fact"]
    at_us = moment(fact["id"])
    for ref, text, size, redactions, cut in record.get("evidence", ()):
        database.execute(
            "INSERT INTO evidence(ref, seen, text, size, redactions, cut) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (ref) DO UPDATE SET seen = max(seen, excluded.seen)",
            (ref, at_us, text.encode("utf-8", "surrogatepass"), size, redactions, cut),
        )
    if fact["type"] in ENDED:
        _end(database, writer, fact, handlers)
    else:
        _begin(database, writer, fact, handlers, _json(fact))


def add_lines(database: sqlite3.Connection, lines: Iterable[bytes]) -> None:
    """Add the facts of a file of JSON lines, whose evidence stands in files of its own."""
    with transaction(database):
        add(database, "", _told(lines))


def interrupt(database: sqlite3.Connection) -> None:
    """Say of every run without an end that it has none, since of a file nobody can say whether its writer lives."""
    with transaction(database):
        database.execute("UPDATE entries SET interrupted = 1 WHERE type = 'hook.started'")


def _told(lines: Iterable[bytes]) -> Iterator[Data]:
    for line in lines:
        with suppress(ValueError):  # torn, or blank
            yield {"fact": json.loads(line)}


def _begin(
    database: sqlite3.Connection, writer: str, fact: Data, handlers: dict[tuple[Any, ...], int], first: str | None
) -> int:
    """The number of the entry of a fact, which is new unless a journal was taken in before."""
    cursor = database.execute(
        "INSERT INTO entries(id, started, writer, type, handler, session, turn) VALUES (?, ?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (id) DO NOTHING",
        (
            fact["id"],
            moment(fact["id"]),
            writer,
            fact["type"],
            _handler(database, fact, handlers),
            _column(fact["session_id"]),
            _column(fact["turn_id"]),
        ),
    )
    if cursor.rowcount:
        seq = cursor.lastrowid
        database.execute("INSERT INTO bodies(seq, first) VALUES (?, ?)", (seq, first))
    else:
        (seq,) = database.execute("SELECT seq FROM entries WHERE id = ?", (fact["id"],)).fetchone()
        database.execute("UPDATE bodies SET first = coalesce(first, ?) WHERE seq = ?", (first, seq))
    assert seq is not None  # of a row that was inserted
    return int(seq)


def _end(database: sqlite3.Connection, writer: str, fact: Data, handlers: dict[tuple[Any, ...], int]) -> None:
    found = database.execute("SELECT seq FROM entries WHERE id = ?", (fact["id"],)).fetchone()
    # perhaps its beginning was dropped
    seq = found[0] if found else _begin(database, writer, fact, handlers, None)
    database.execute(
        "UPDATE entries SET type = ?, decision = ?, failed = ?, duration_us = ?, interrupted = 0 WHERE seq = ?",
        (fact["type"], fact["decision"], fact.get("failed"), round(fact["duration_ms"] * 1000), seq),
    )
    database.execute("UPDATE bodies SET last = ? WHERE seq = ?", (_json(fact), seq))


def _handler(database: sqlite3.Connection, fact: Data, known: dict[tuple[Any, ...], int]) -> int | None:
    if "handler" not in fact:
        return None
    key = (fact["handler"], fact["vendor"], fact["event"], fact["point"])
    if key not in known:
        place = "ref = ? AND vendor = ? AND event = ? AND point IS ?"
        row = database.execute(f"SELECT n FROM handlers WHERE {place}", key).fetchone()  # noqa: S608 - from above
        if row is None:
            added = database.execute("INSERT INTO handlers(ref, vendor, event, point) VALUES (?, ?, ?, ?)", key)
            row = (added.lastrowid,)
        known[key] = row[0]
    return known[key]


def _column(text: str | None) -> str | None:
    """A text that SQLite can hold, which has no lone surrogates."""
    return text if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


def _json(fact: Data) -> str:
    return json.dumps(fact, separators=(",", ":"))
