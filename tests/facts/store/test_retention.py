"""`facts.store.retention`: a store keeps within its bounds, the oldest goes first, and evidence goes with its facts."""

from contextlib import closing
from pathlib import Path

import pytest

from dsh_compat_adapter.facts.store.database import open_database
from dsh_compat_adapter.facts.store.intake import take_in
from dsh_compat_adapter.facts.store.journal import JournalSink
from dsh_compat_adapter.facts.store.query import Filters, Store
from dsh_compat_adapter.facts.store.retention import DAY_US, MIB, Keep
from tests.recording import NOW_US, run_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "facts.db"


def fill(path: Path, moments: range, keep: Keep, text: str = "seen {}") -> None:
    sink = JournalSink(path, print, keep)
    for at_us in moments:
        for record in run_of(at_us, text=text.format(at_us)):
            sink.write(record)
    sink.close()


def left(path: Path) -> list[int]:
    with Store(path) as store:
        return [entry.started_us - NOW_US for entry in store.entries(Filters())]


def evidence(path: Path) -> int:
    with closing(open_database(path)) as database:
        return int(database.execute("SELECT count(*) FROM evidence").fetchone()[0])


def test_what_is_older_than_its_days_goes_with_its_evidence(path: Path) -> None:
    keep = Keep(days=3)
    fill(path, range(-5 * DAY_US, 0, DAY_US), keep)
    assert left(path) == [-2 * DAY_US, -DAY_US]
    assert evidence(path) == 2


def test_evidence_that_a_younger_fact_names_as_well_stays(path: Path) -> None:
    fill(path, range(-5 * DAY_US, 0, DAY_US), Keep(days=3), text="the same")
    assert evidence(path) == 1


def test_a_store_that_is_too_large_loses_its_oldest_and_its_file_shrinks(path: Path) -> None:
    fill(path, range(1500), Keep(mib=64), text="{} " + "x" * 3000)
    before = path.stat().st_size
    take_in(path, Keep(mib=2))
    assert before > 4 * MIB
    assert path.stat().st_size <= 2 * MIB
    assert left(path) == [*range(1500)][-len(left(path)) :]
    assert evidence(path) == len(left(path)) > 100


def test_who_only_reads_deletes_nothing(path: Path) -> None:
    fill(path, range(-90 * DAY_US, 0, 30 * DAY_US), Keep(days=365))
    assert len(left(path)) == 3


def test_a_store_within_its_bounds_keeps_everything(path: Path) -> None:
    fill(path, range(50), Keep(days=1, mib=16))
    assert len(left(path)) == 50
