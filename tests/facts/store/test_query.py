"""`facts.store.query`: facts by filter in their order, one run, durations, and what comes while somebody follows."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from dsh_compat_adapter.facts.sink import Record
from dsh_compat_adapter.facts.store.journal import JournalSink
from dsh_compat_adapter.facts.store.query import SKEW_US, Filters, Store
from tests.recording import NOW_US, fact, run_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "facts.db"


@pytest.fixture
def sink(path: Path) -> Iterator[JournalSink]:
    opened = JournalSink(path, print)
    yield opened
    opened.close()


def write(sink: JournalSink, *runs: tuple[Record, ...]) -> None:
    for run in runs:
        for record in run:
            sink.write(record)


def found(path: Path, filters: Filters, newest: int | None = None) -> list[int]:
    """When the entries began, after the tests did."""
    with Store(path) as store:
        return [entry.started_us - NOW_US for entry in store.entries(filters, newest=newest)]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (Filters(), [1, 2, 3, 4]),
        (Filters(session="s2"), [3]),
        (Filters(vendor="codex"), [2]),
        (Filters(event="PreToolUse"), [1, 2, 3, 4]),
        (Filters(event="Stop"), []),
        (Filters(decision="deny"), [1, 4]),
        (Filters(failed="open"), [3]),
        (Filters(failed="closed"), [4]),
        (Filters(type="hook.failed"), [3, 4]),
        (Filters(type="hook.started"), [1, 2, 3, 4]),
        (Filters(since_us=NOW_US + 3), [3, 4]),
        (Filters(decision="deny", type="hook.failed", since_us=NOW_US + 2), [4]),
    ],
    ids=range(12),
)
def test_each_filter_selects_what_it_names(
    path: Path, sink: JournalSink, filters: Filters, expected: list[int]
) -> None:
    write(sink, run_of(4, failed="closed"), run_of(2, vendor="codex"), run_of(1, decision="deny"))
    write(sink, run_of(3, session="s2", failed="open"))
    assert found(path, filters) == expected


def test_the_newest_come_in_their_order(path: Path, sink: JournalSink) -> None:
    write(sink, *(run_of(at_us) for at_us in range(10)))
    assert found(path, Filters(), newest=3) == [7, 8, 9]


def test_facts_that_are_about_no_hook_are_among_the_others(path: Path, sink: JournalSink) -> None:
    write(sink, (Record(fact(f"{NOW_US + 5:014x}{'0' * 12}")),), run_of(1))
    assert found(path, Filters()) == [1, 5]
    assert found(path, Filters(type="policy.changed")) == [5]
    assert found(path, Filters(type="hook.started")) == [1]


def test_one_run_is_found_by_the_beginning_of_its_id_that_no_other_has(path: Path, sink: JournalSink) -> None:
    run, other = run_of(1), run_of(2)
    write(sink, run, other)
    with Store(path) as store:
        entry = store.entry(run[0].fact.id[:20])
        assert entry is not None
        assert entry.id == run[0].fact.id
        assert store.entry(run[0].fact.id[:5]) is None
        assert store.entry("nobody") is None


def test_evidence_is_found_by_its_reference(path: Path, sink: JournalSink) -> None:
    run = run_of(1, text="what was seen")
    write(sink, run)
    with Store(path) as store:
        seen = store.evidence(run[0].evidence[0].ref)
        assert seen is not None
        assert (seen["text"], seen["size"], seen["cut"]) == ("what was seen", 13, False)
        assert store.evidence("sha256:00") is None


def test_durations_are_by_handler_the_most_expensive_first(path: Path, sink: JournalSink) -> None:
    write(sink, *(run_of(at, duration_us=at * 1000, turn=f"t{at % 4}") for at in range(1, 101)))
    write(sink, run_of(200, handler="h2", duration_us=9_000_000))
    with Store(path) as store:
        slow, quick = store.durations(Filters())
        assert (slow.handler, slow.runs, slow.slow, slow.max_ms) == ("h2", 1, True, 9000)
        assert (quick.runs, quick.p50_ms, quick.p95_ms, quick.max_ms, quick.slow) == (100, 50, 95, 100, False)
        assert (quick.turns, quick.total_ms, quick.per_turn_ms) == (4, 5050, 1262.5)
        assert [one.handler for one in store.durations(Filters(since_us=NOW_US + 150))] == ["h2"]


def test_who_follows_gets_each_run_once_when_it_has_ended(path: Path, sink: JournalSink) -> None:
    write(sink, run_of(1))
    long_started, long_completed = run_of(10)
    with Store(path) as store:
        following = store.follow(Filters(), NOW_US + 5)
        sink.write(long_started)
        assert following.poll(NOW_US + 11) == []
        write(sink, run_of(20, decision="deny"))
        assert [entry.started_us - NOW_US for entry in following.poll(NOW_US + 30)] == [20]
        sink.write(long_completed)
        later = NOW_US + 10 * SKEW_US
        assert [entry.started_us - NOW_US for entry in following.poll(later)] == [10]
        assert following.poll(later) == []


def test_who_follows_gets_what_the_filters_select(path: Path, sink: JournalSink) -> None:
    write(sink, run_of(1))
    with Store(path) as store:
        following = store.follow(Filters(decision="deny"), NOW_US)
        write(sink, run_of(20, decision="deny"), run_of(21))
        assert [entry.started_us - NOW_US for entry in following.poll(NOW_US + 30)] == [20]


def test_a_run_in_a_file_of_lines_is_given_to_who_follows_once_it_has_ended(tmp_path: Path) -> None:
    path = tmp_path / "facts.jsonl"
    started, completed = (json.dumps(record.fact.to_dict()).encode() + b"\n" for record in run_of(NOW_US))
    path.write_bytes(b"")
    with Store(path) as store, path.open("ab", buffering=0) as file:
        following = store.follow(Filters(), NOW_US)
        file.write(started)
        assert following.poll(NOW_US) == []
        file.write(completed[:40])
        assert following.poll(NOW_US) == []
        file.write(completed[40:])
        (entry,) = following.poll(NOW_US)
        assert entry.last is not None
        assert following.poll(NOW_US) == []
