"""Reads a store: facts by filter, one run with its evidence, and what the hooks cost."""

import json
import math
import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, NamedTuple, Self

from ..fact import FactType
from ..json_lines import FOLDER, SUFFIX, evidence_file
from .database import memory_database, open_to_read
from .intake import add_lines, interrupt, take_in

STARTED = FactType.STARTED.value
SLOW_MS = 1000.0  # of a hook: what a person notices as waiting
SKEW_US = 5_000_000  # by which the clocks of processes may differ when somebody follows them
COLUMNS = "e.seq, e.id, e.started, e.interrupted, e.type, b.first, b.last"

Fact = dict[str, object]  # as JSON has it


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which facts are asked for; what is none does not matter."""

    session: str | None = None
    type: str | None = None
    vendor: str | None = None
    event: str | None = None
    decision: str | None = None
    failed: str | None = None  # open or closed
    since_us: int | None = None


class Entry(NamedTuple):
    """A run, or a fact that stands alone, as it is in the store."""

    seq: int
    id: str
    started_us: int
    first: Fact | None
    last: Fact | None

    def facts(self, type_: str | None = None) -> Iterator[Fact]:
        """Its facts in order, or that of a type."""
        yield from (fact for fact in (self.first, self.last) if fact and (type_ is None or fact["type"] == type_))


class Duration(NamedTuple):
    """What one handler cost, in milliseconds."""

    handler: str
    vendor: str
    event: str
    runs: int
    p50_ms: float
    p95_ms: float
    max_ms: float
    total_ms: float
    turns: int
    per_turn_ms: float

    @property
    def slow(self) -> bool:
        """Whether it makes people wait."""
        return self.p95_ms >= SLOW_MS


class Store:
    """An open store or file of facts; close it after use."""

    def __init__(self, path: Path) -> None:
        """Takes in every journal first; `complete` is false when that is not allowed and some facts may be missing.

        Raises sqlite3.Error or OSError.
        """
        self._path = path
        self._evidence: Path | None = None
        self._lines: BinaryIO | None = None
        self.complete = True
        if path.suffix == SUFFIX:
            self._evidence = path.with_name(path.name + FOLDER)
            self._database = memory_database()
            self._lines = path.open("rb")
            self.refresh()
            interrupt(self._database)
        else:
            self.refresh()
            self._database = open_to_read(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the files."""
        if self._lines is not None:
            self._lines.close()
        self._database.close()

    def refresh(self) -> None:
        """Take in what was written since."""
        if self._lines is not None:
            add_lines(self._database, _lines_of(self._lines))
            return
        try:
            take_in(self._path)
        except (OSError, sqlite3.OperationalError):
            if not self._path.exists():
                raise
            self.complete = False

    def entries(self, filters: Filters, *, newest: int | None = None) -> Iterator[Entry]:
        """The entries in the order in which they began; the newest alone when they are limited."""
        where, parameters = _where(filters)
        order = "" if newest is None else "ORDER BY started DESC, seq DESC LIMIT ?"
        chosen = f"SELECT seq FROM entries LEFT JOIN handlers ON n = handler {where} {order}"  # noqa: S608 - constants
        query = (
            f"SELECT {COLUMNS} FROM ({chosen}) AS c JOIN entries AS e ON e.seq = c.seq "  # noqa: S608 - as above
            "JOIN bodies AS b ON b.seq = c.seq ORDER BY e.started, e.seq"
        )
        for row in self._database.execute(query, parameters if newest is None else [*parameters, newest]):
            yield _entry(row)

    def entry(self, id_: str) -> Entry | None:
        """The entry of an id, or of the beginning of one that no other id has."""
        which = "b.seq = e.seq WHERE e.id >= ? AND e.id < ? LIMIT 2"
        query = f"SELECT {COLUMNS} FROM entries AS e JOIN bodies AS b ON {which}"  # noqa: S608 - as above
        found = self._database.execute(query, (id_, f"{id_}g")).fetchall()
        return _entry(found[0]) if len(found) == 1 else None

    def evidence(self, ref: str) -> Fact | None:
        """What a fact names, or none when it is not kept any more."""
        if self._evidence is not None:
            path = evidence_file(self._evidence, ref)
            return (
                {"ref": ref, "text": path.read_text(encoding="utf-8", errors="surrogatepass")}
                if path.is_file()
                else None
            )
        row = self._database.execute(
            "SELECT text, size, redactions, cut FROM evidence WHERE ref = ?", (ref,)
        ).fetchone()
        if row is None:
            return None
        return {
            "ref": ref,
            "text": row[0].decode("utf-8", "surrogatepass"),
            "size": row[1],
            "redactions": row[2],
            "cut": bool(row[3]),
        }

    def durations(self, filters: Filters) -> list[Duration]:
        """What each handler cost, the most expensive first."""
        where, parameters = _where(filters)
        runs = (
            f"FROM entries JOIN handlers ON n = handler {where} {'AND' if where else 'WHERE'} duration_us IS NOT NULL"
        )
        times: dict[int, list[int]] = {}
        for number, duration in self._database.execute(f"SELECT n, duration_us {runs}", parameters):
            times.setdefault(number, []).append(duration)
        turns = dict(
            self._database.execute(
                f"SELECT n, count(*) FROM (SELECT DISTINCT n, session, turn {runs}) GROUP BY n",  # noqa: S608 - as above
                parameters,
            )
        )
        names = self._database.execute("SELECT n, ref, vendor, event FROM handlers")
        found = [
            _duration((ref, vendor, event), sorted(times[n]), turns[n]) for n, ref, vendor, event in names if n in times
        ]
        return sorted(found, key=lambda one: one.total_ms, reverse=True)

    def follow(self, filters: Filters, after_us: int) -> "Following":
        """What ends or stands from a moment on, poll by poll."""
        return Following(self, filters, after_us)


class Following:
    """Gives every entry once, when it has ended, however late that is after its beginning."""

    def __init__(self, store: Store, filters: Filters, after_us: int) -> None:
        self._store = store
        self._filters = filters
        self._from_us = after_us
        self._given: dict[str, int] = {}

    def poll(self, now_us: int) -> list[Entry]:
        """The entries that have ended since the last call."""
        self._store.refresh()
        known = self._filters
        entries = [*self._store.entries(Filters(session=known.session, since_us=self._from_us))]
        open_ = [one.started_us for one in entries if one.last is None and _is_running(one)]
        wanted = {one.id for one in self._store.entries(replace(known, since_us=self._from_us))}
        new = [one for one in entries if one.id in wanted and one.id not in self._given and not _is_running(one)]
        self._given |= {one.id: one.started_us for one in new}
        self._from_us = max(self._from_us, min([*open_, now_us - SKEW_US]))
        self._given = {id_: at_us for id_, at_us in self._given.items() if at_us >= self._from_us}
        return new


def _lines_of(file: BinaryIO) -> Iterator[bytes]:
    """The lines from here on; one without an end comes again the next time, since it may be half written."""
    for line in iter(file.readline, b""):
        yield line
        if not line.endswith(b"\n"):
            file.seek(-len(line), os.SEEK_CUR)
            return


def _is_running(entry: Entry) -> bool:
    return entry.first is not None and entry.first.get("status") == "running"


def _entry(row: Sequence[object]) -> Entry:
    seq, id_, started, interrupted, type_, first, last = row
    assert isinstance(seq, int)  # columns of the store
    assert isinstance(started, int)
    began = json.loads(first) if isinstance(first, str) else None
    if began is not None and type_ == STARTED:
        began["status"] = "interrupted" if interrupted else "running"
    return Entry(seq, str(id_), started, began, json.loads(last) if isinstance(last, str) else None)


def _duration(handler: tuple[str, str, str], us: Sequence[int], turns: int) -> Duration:
    total = sum(us) / 1000
    return Duration(
        *handler,
        runs=len(us),
        p50_ms=_rank(us, 0.5),
        p95_ms=_rank(us, 0.95),
        max_ms=us[-1] / 1000,
        total_ms=total,
        turns=turns,
        per_turn_ms=total / turns,
    )


def _rank(us: Sequence[int], share: float) -> float:
    """The nearest rank of sorted durations, in milliseconds."""
    return us[max(0, math.ceil(len(us) * share) - 1)] / 1000


def _where(filters: Filters) -> tuple[str, list[object]]:
    conditions: dict[str, object] = {
        "session = ?": filters.session,
        "vendor = ?": filters.vendor,
        "event = ?": filters.event,
        "decision = ?": filters.decision,
        "failed = ?": filters.failed,
        "started >= ?": filters.since_us,
    }
    if filters.type == STARTED:  # of every run, however it ended
        conditions["handler >= ?"] = 0
    else:
        conditions["type = ?"] = filters.type
    used = {text: value for text, value in conditions.items() if value is not None}
    return (f"WHERE {' AND '.join(used)}" if used else "", list(used.values()))
