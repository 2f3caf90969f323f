"""`seams.prompt_id`: the id of a prompt, made of its session and turn."""

import uuid

from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.seams.prompt_id import prompt_id

TEXTS = st.text(st.characters(exclude_categories=()))  # lone surrogates too


@given(TEXTS, TEXTS)
def test_it_is_a_uuid_whatever_the_host_calls_its_sessions_and_turns(session: str, turn: str) -> None:
    assert str(uuid.UUID(prompt_id(session, turn))) == prompt_id(session, turn)


def test_it_differs_by_session_and_by_turn() -> None:
    assert len({prompt_id("a", "1"), prompt_id("a", "2"), prompt_id("b", "1")}) == 3
