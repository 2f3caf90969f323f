"""`dsh-compat audit`: what hooks ran, what they decided, what failed and which way, and what it cost."""

import argparse
import json
import re
import sqlite3
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ..capability import to_json
from ..errors import CompatError, ErrorCode, nearest
from ..facts.fact import FactType
from ..facts.ids import now_us
from ..facts.place import default_store
from ..facts.store.files import journals_of
from ..facts.store.query import Duration, Entry, Filters, Store
from ..printable import printable
from .text import coloured, paragraph, say

NEWEST = 100  # runs that text shows unless told otherwise
POLL_S = 0.5
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
COLOUR = {"deny": "red", "ask": "yellow", "allow": "green", "none": "cyan"}
SHOWN = 2000  # characters of an evidence that text shows


def run(arguments: argparse.Namespace) -> int:
    """Print what the store has; exit 0 whatever it is."""
    path = _path(arguments)
    filters = _filters(arguments)
    if arguments.follow and arguments.format == "json":
        raise CompatError(ErrorCode.INVALID_INPUT, "--follow has no end, so it is no JSON text; use --format jsonl")
    if path is None:
        _print([], arguments)
        return 0
    try:
        with Store(path) as store:
            if not store.complete:
                print(f"dsh-compat: {path} cannot be written, so its newest facts may be missing", file=sys.stderr)
            _show(store, filters, arguments)
    except (OSError, sqlite3.Error) as error:
        if isinstance(error, BrokenPipeError):
            raise
        raise CompatError(ErrorCode.INVALID_INPUT, f"{path} cannot be read as a store of facts: {error}") from None
    return 0


def _path(arguments: argparse.Namespace) -> Path | None:
    """The store that is asked for; none when nothing was ever recorded in the usual place."""
    named = Path(arguments.facts) if arguments.facts else None
    path = named or default_store()
    if path is not None and (path.exists() or journals_of(path).is_dir()):
        return path
    if named is not None:
        text = f"{str(named)!r} is no store; `run` and `listen` make one there with --facts"
        raise CompatError(ErrorCode.INVALID_INPUT, text)
    print(f"dsh-compat: nothing was recorded{f' in {path} yet' if path else ', since facts are off'}", file=sys.stderr)
    return None


def _filters(arguments: argparse.Namespace) -> Filters:
    types = [one.value for one in FactType]
    if arguments.type is not None and arguments.type not in types:
        hint = nearest(arguments.type, types)
        raise CompatError(ErrorCode.UNKNOWN_NAME, f"no type {arguments.type!r:.80}.{hint} Known: {', '.join(types)}.")
    return Filters(
        session=arguments.session,
        type=arguments.type,
        vendor=arguments.vendor,
        event=arguments.event,
        decision=arguments.decision,
        failed=arguments.failed,
        since_us=_since(arguments.since) if arguments.since else None,
    )


def _since(text: str) -> int:
    """A moment, from how long ago it is or from a date; in microseconds since 1970."""
    if ago := re.fullmatch(r"(\d+)([smhd])", text):
        return now_us() - int(ago[1]) * UNITS[ago[2]] * 1_000_000
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        expected = "90s, 15m, 2h, 7d or a date such as 2026-11-30T12:00"
        raise CompatError(ErrorCode.INVALID_INPUT, f"--since takes {expected}, found {text!r:.80}") from None
    return int(moment.timestamp() * 1_000_000)  # without a zone it is the local one


def _show(store: Store, filters: Filters, arguments: argparse.Namespace) -> None:
    if arguments.id is not None:
        _print_one(store, arguments)
        return
    if arguments.durations:
        _print_durations(store.durations(filters), arguments)
        return
    begun = now_us()
    limit = arguments.limit if arguments.limit is not None else NEWEST if arguments.format == "text" else 0
    _print(store.entries(filters, newest=limit or None), arguments, full=limit)
    if arguments.follow:
        following = store.follow(filters, begun)
        with suppress(KeyboardInterrupt):
            while True:
                time.sleep(POLL_S)
                _print(following.poll(now_us()), arguments)
                sys.stdout.flush()


def _print(entries: Iterable[Entry], arguments: argparse.Namespace, *, full: int = 0) -> None:
    if arguments.format == "text":
        lines = [_line(entry) for entry in entries] if full else map(_line, entries)
        for line in lines:
            say(line)
        if isinstance(lines, list) and len(lines) == full:
            say(f"the newest {full}; --limit 0 shows all")
        return
    facts = (json.dumps(fact) for entry in entries for fact in entry.facts(arguments.type))
    if arguments.format == "jsonl":
        for fact in facts:
            say(fact)
        return
    # written piece by piece: a store may have a million of them
    sys.stdout.write('{"facts": [')
    for number, fact in enumerate(facts):
        sys.stdout.write(f"{',' if number else ''}\n  {fact}")
    say("\n]}")


def _line(entry: Entry) -> str:
    """One run, or one other fact, in a line."""
    fact: Mapping[str, object] = entry.last or entry.first or {}
    when = datetime.fromtimestamp(entry.started_us / 1_000_000).astimezone().strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    return f"{coloured(when, 'dim')}  {entry.id[:14]}  {_told(entry, fact)}"


def _told(entry: Entry, fact: Mapping[str, object]) -> str:
    match fact.get("type"):
        case FactType.POLICY:
            told = f"policy {fact['before']} -> {fact['after']} ({fact['source']})"
            return coloured(told, "yellow")
        case FactType.DROPPED:
            return coloured(printable(f"{fact['count']} facts dropped by {fact['sink']}: {fact['error']}"), "red")
    preview = printable(str((entry.first or {}).get("preview", "")))
    return f"{fact.get('vendor')} {fact.get('event')}  {_status(fact)}  {coloured(preview, 'dim')}"


def _status(fact: Mapping[str, object]) -> str:
    if fact["type"] == FactType.STARTED:
        word = str(fact.get("status"))
        return coloured(word, "red" if word == "interrupted" else "cyan")
    duration = fact["duration_ms"]
    assert isinstance(duration, int | float)  # of the store
    decision = str(fact["decision"])
    cost = f"{duration:.0f} ms"
    took = coloured(cost, "yellow") if duration >= 1000 else cost  # noqa: PLR2004 - a second
    if fact["type"] == FactType.FAILED:
        way = f" {fact['failed']}" if fact["failed"] else ""
        return f"{coloured(f'failed{way}', 'red')} ({fact['category']})  {took}"
    return f"{coloured(decision, COLOUR.get(decision, 'bold'))}  {took}"


def _print_one(store: Store, arguments: argparse.Namespace) -> None:
    entry = store.entry(arguments.id)
    if entry is None:
        text = f"no run has the id {arguments.id!r:.80}; `dsh-compat audit` lists them"
        raise CompatError(ErrorCode.INVALID_INPUT, text)
    facts = [*entry.facts()]
    refs = [*dict.fromkeys(ref for fact in facts for ref in _refs(fact))]
    evidence = [found for ref in refs if (found := store.evidence(ref)) is not None]
    if arguments.format == "json":
        say(to_json({"facts": facts, "evidence": evidence}))
    elif arguments.format == "jsonl":
        for one in (*facts, *evidence):
            say(json.dumps(one))
    else:
        for fact in facts:
            _print_members(fact)
        for one in evidence:
            _print_evidence(str(one["ref"]), str(one["text"]))


def _print_members(fact: Mapping[str, object]) -> None:
    say(coloured(str(fact["type"]), "bold"))
    for name, value in fact.items():
        if name not in ("type", "id") and value not in (None, [], ""):
            say(f"  {name}: {printable(value if isinstance(value, str) else json.dumps(value))}")


def _print_evidence(ref: str, text: str) -> None:
    say(coloured(ref, "bold"))
    for line in text[:SHOWN].splitlines():
        say(f"  {printable(line)}")
    if len(text) > SHOWN:
        say(paragraph(f"and {len(text) - SHOWN} more characters; --format json prints them", 2))


def _refs(value: object) -> Iterable[str]:
    """Every reference in a fact, in order."""
    if isinstance(value, str) and value.startswith("sha256:"):
        yield value
    elif isinstance(value, Mapping):
        for member in value.values():
            yield from _refs(member)
    elif isinstance(value, list):
        for member in value:
            yield from _refs(member)


def _print_durations(durations: list[Duration], arguments: argparse.Namespace) -> None:
    rows = [{**one._asdict(), "slow": one.slow} for one in durations]
    if arguments.format == "json":
        say(to_json({"durations": rows}))
        return
    if arguments.format == "jsonl":
        for row in rows:
            say(json.dumps(row))
        return
    if durations:
        say(coloured(f"{'hook':<44} {'runs':>7} {'p50':>9} {'p95':>9} {'max':>9} {'a turn':>9}  ms", "bold"))
    for one in durations:
        name = printable(f"{one.vendor} {one.event} {one.handler}")
        numbers = " ".join(f"{value:>9.1f}" for value in (one.p50_ms, one.p95_ms, one.max_ms, one.per_turn_ms))
        line = f"{name:<44} {one.runs:>7} {numbers}"
        say(coloured(f"{line}  slow", "yellow") if one.slow else line)
