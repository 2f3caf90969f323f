"""`facts.sink`: a sink that fails disturbs nobody, is reported once, and what it has not got is counted and told."""

import hashlib

from dsh_compat_adapter.facts.fact import Evidence, FactsDropped, HookStarted, Scope
from dsh_compat_adapter.facts.sink import WAITING_TEXT, Guarded, Record
from tests.recording import fact, run_of


class Failing:
    """A sink that takes facts only while it works."""

    name = "failing"

    def __init__(self) -> None:
        self.works = False
        self.taken: list[str] = []
        self.closed = False

    def write(self, record: Record) -> None:
        if not self.works:
            raise OSError(28, "No space left on device")
        self.taken.append(record.fact.id)

    def close(self) -> None:
        self.closed = True


class Guard(Guarded):
    """One with what it says and tells, and without a pause between attempts."""

    def __init__(self, sink: Failing, waiting: int = 1000) -> None:
        self.said: list[str] = []
        self.told: list[tuple[str, int, str]] = []
        super().__init__(sink, self.said.append, lambda *told: self.told.append(told), waiting=waiting, retry_s=0.0)


def put(guard: Guard, *ids: int) -> None:
    for one in ids:
        guard.put(Record(fact(str(one))))


def test_what_a_failing_sink_does_not_take_waits_and_comes_in_its_order() -> None:
    sink = Failing()
    guard = Guard(sink)
    put(guard, 1, 2, 3)
    assert (sink.taken, guard.waiting) == ([], 3)
    sink.works = True
    put(guard, 4)
    assert (sink.taken, guard.waiting, guard.written) == (["1", "2", "3", "4"], 0, 4)
    assert guard.told == []


def test_a_failure_is_said_once_and_counted_each_time() -> None:
    guard = Guard(Failing())
    put(guard, 1, 2, 3)
    assert len(guard.said) == 1
    assert "failing: OSError: [Errno 28] No space left on device" in guard.said[0]
    assert guard.status() == {
        "sink": "failing",
        "written": 0,
        "waiting": 3,
        "failures": 3,
        "dropped": 0,
        "error": "OSError: [Errno 28] No space left on device",
    }


def test_a_sink_that_fails_again_later_is_not_reported_a_second_time() -> None:
    sink = Failing()
    guard = Guard(sink)
    for works in (False, True, False):
        sink.works = works
        put(guard, 1)
    assert len(guard.said) == 1


def test_the_oldest_facts_are_dropped_beyond_the_bound_and_that_is_told_when_the_sink_is_back() -> None:
    sink = Failing()
    guard = Guard(sink, waiting=2)
    put(guard, 1, 2, 3, 4, 5)
    assert guard.told == []
    sink.works = True
    put(guard, 6)
    assert sink.taken == ["5", "6"]
    assert guard.told == [("failing", 4, "OSError: [Errno 28] No space left on device")]
    assert guard.status()["dropped"] == 4


def test_evidence_that_waits_is_bounded_by_its_size() -> None:
    guard = Guard(Failing())
    large = Evidence("", "x" * (WAITING_TEXT // 2), 1, 0, cut=False)
    for _ in range(5):
        guard.put(Record(fact("1"), (large,)))
    assert guard.waiting == 2


def test_what_a_hook_reads_gets_its_address_when_somebody_stores_it() -> None:
    started, ended = run_of(1)
    (seen,) = started.evidence
    assert isinstance(started.fact, HookStarted)
    bare = Record(started.fact._replace(input_ref=""), (seen._replace(ref=""),))
    assert bare.settled() == started == started.settled()
    assert seen.ref == f"sha256:{hashlib.sha256(seen.text.encode()).hexdigest()}"
    assert ended.settled() is ended


def test_at_the_end_what_waits_is_tried_once_more_and_what_is_lost_is_said() -> None:
    lost, saved = Failing(), Failing()
    guards = [Guard(lost), Guard(saved)]
    for guard in guards:
        put(guard, 1, 2)
    saved.works = True
    for guard in guards:
        guard.close()
    assert (saved.taken, saved.closed, lost.closed) == (["1", "2"], True, True)
    assert "2 facts were not written" in guards[0].said[-1]
    assert len(guards[1].said) == 1


def test_a_sink_that_cannot_be_closed_disturbs_nobody() -> None:
    class Stuck(Failing):
        def close(self) -> None:
            raise RuntimeError("stuck")

    guard = Guard(Stuck())
    guard.close()
    assert "RuntimeError: stuck" in guard.said[0]


def test_dropped_facts_are_a_fact() -> None:
    dropped = FactsDropped(id="1", at_us=0, scope=Scope(session_id="s"), sink="x", lost=3, error="full")
    assert dropped.to_dict() == {
        "type": "facts.dropped",
        "id": "1",
        "ts": "1970-01-01T00:00:00.000000+00:00",
        "session_id": "s",
        "thread_id": None,
        "turn_id": None,
        "tool_call_id": None,
        "sink": "x",
        "count": 3,
        "error": "full",
    }
