"""`facts.memory`: the newest facts, as many as are kept."""

from dsh_compat_adapter.facts.memory import MemorySink
from dsh_compat_adapter.facts.sink import Record
from tests.recording import fact


def test_the_newest_facts_stay_in_their_order() -> None:
    sink = MemorySink(kept=3)
    for number in range(5):
        sink.write(Record(fact(str(number))))
    sink.close()
    assert [one.id for one in sink.facts] == ["2", "3", "4"]
