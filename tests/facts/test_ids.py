"""`facts.ids`: ids sort by their moment, and no two are alike, in one process or in one that was forked from it."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from dsh_compat_adapter.facts.ids import moment, new_id, timestamp


def some(number: int) -> list[str]:
    return [new_id(7) for _ in range(number)]


def test_ids_of_one_moment_are_not_alike() -> None:
    assert len(set(some(70_000))) == 70_000


def test_the_ids_of_forked_processes_are_not_alike() -> None:
    with ProcessPoolExecutor(2, multiprocessing.get_context("fork")) as processes:
        made = [*processes.map(some, [100] * 20), some(100)]
    assert len({id_ for ids in made for id_ in ids}) == 2100


def test_an_id_begins_with_its_moment_so_that_ids_sort_by_it() -> None:
    moments = [0, 9, 10, 1_764_480_000_000_000, 2**52]
    ids = [new_id(at_us) for at_us in moments]
    assert sorted(ids) == ids
    assert [moment(id_) for id_ in ids] == moments
    assert {len(id_) for id_ in ids} == {26}


def test_a_moment_is_told_in_utc_to_the_microsecond() -> None:
    assert timestamp(1_764_480_000_000_001) == "2025-11-30T05:20:00.000001+00:00"
