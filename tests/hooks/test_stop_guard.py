"""`hooks.stop_guard`: how often a stop may be blocked in a row, by session and agent."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.hooks.stop_guard import CAP, SESSIONS, StopGuard

keys = st.sampled_from(["a/", "b/", "a/agent"])
# what happened to a session: a stop that was blocked, or one that nobody blocked (or a new prompt)
histories = st.lists(st.tuples(keys, st.booleans()), max_size=60)


def test_a_stop_comes_from_a_block_only_after_one_and_until_a_new_prompt() -> None:
    """B27: false on the first stop of a prompt, true only while continuing because of a block."""
    guard = StopGuard()
    flags = [guard.active("s")]
    guard.allows("s")
    flags.append(guard.active("s"))
    guard.reset("s")
    flags.append(guard.active("s"))
    assert flags == [False, True, False]


def test_as_many_blocks_in_a_row_are_allowed_as_the_cap_and_then_it_starts_anew() -> None:
    """B25."""
    guard = StopGuard()
    assert [guard.allows("s") for _ in range(2 * CAP + 2)] == ([True] * CAP + [False]) * 2


def test_a_stop_that_was_forced_is_followed_by_one_that_comes_from_no_block() -> None:
    guard = StopGuard(cap=1)
    assert (guard.allows("s"), guard.active("s")) == (True, True)
    assert (guard.allows("s"), guard.active("s")) == (False, False)


def test_a_cap_of_zero_allows_no_block() -> None:
    guard = StopGuard(cap=0)
    assert not guard.allows("s")
    assert not guard.active("s")


def test_a_reset_of_a_session_that_nobody_knows_is_fine() -> None:
    StopGuard().reset("s")


@given(history=histories, cap=st.integers(min_value=0, max_value=4))
def test_each_session_counts_its_own_blocks_in_a_row(history: list[tuple[str, bool]], cap: int) -> None:
    guard = StopGuard(cap=cap)
    blocks = dict.fromkeys(["a/", "b/", "a/agent"], 0)
    for key, blocked in history:
        assert guard.active(key) == (blocks[key] > 0)
        if not blocked:
            guard.reset(key)
            blocks[key] = 0
            continue
        assert guard.allows(key) == (blocks[key] < cap)
        blocks[key] = blocks[key] + 1 if blocks[key] < cap else 0
    assert {key: guard.active(key) for key in blocks} == {key: count > 0 for key, count in blocks.items()}


def test_of_more_sessions_than_are_remembered_the_longest_unseen_is_forgotten() -> None:
    guard = StopGuard()
    for number in range(SESSIONS):
        guard.allows(str(number))
    guard.allows("0")
    guard.allows("one more")
    assert guard.active("0")
    assert guard.active("one more")
    assert not guard.active("1")
    assert guard.active("2")


@pytest.mark.parametrize("count", [SESSIONS, 10 * SESSIONS])
def test_the_memory_of_sessions_is_bounded(count: int) -> None:
    guard = StopGuard()
    for number in range(count):
        guard.allows(str(number))
    assert sum(guard.active(str(number)) for number in range(count)) == SESSIONS
