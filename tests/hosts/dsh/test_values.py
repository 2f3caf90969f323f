"""`hosts.dsh.values`: the values of an event of DSH by the paths that rows use."""

import uuid
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.hosts.dsh.values import event_values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
BLOCKS = [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]


def values(**data: Any) -> dict[str, object]:
    return event_values({"event.type": "x", "event.data": data}, "/project")


@pytest.mark.parametrize(
    ("data", "path", "value"),
    [
        ({"reason": {"kind": "error", "error": {"message": "m", "code": "C"}}}, "event.data.reason_kind", "error"),
        ({"reason": {"kind": "error", "error": {"message": "m", "code": "C"}}}, "event.data.error_message", "m"),
        ({"reason": {"kind": "error", "error": {"message": "m", "code": "C"}}}, "event.data.error_code", "C"),
        ({"source": {"kind": "user"}}, "event.data.source_kind", "user"),
        ({"toolName": "bash", "callId": "c"}, "event.data.tool_name", "bash"),
        ({"toolName": "bash", "callId": "c"}, "event.data.call_id", "c"),
        ({"content": BLOCKS}, "event.data.text", "a\nb"),
        ({"message": {"content": BLOCKS}}, "event.data.text", "a\nb"),
        ({"content": "plain"}, "event.data.text", "plain"),
        ({"id": "first", "jobId": "second"}, "event.data.id", "first"),
        ({"jobId": "second"}, "event.data.id", "second"),
    ],
)
def test_data_of_an_event_is_found_by_the_names_of_the_rows(data: dict[str, Any], path: str, value: str) -> None:
    assert values(**data)[path] == value


def test_what_an_event_does_not_have_is_left_out() -> None:
    assert set(values()) == {"event.type", "event.data", "session.project_dir", "time.iso", "time.ms"}
    assert "session.model" not in event_values({"session.model": None}, "/project")


def prompt(session: str, turn: str) -> object:
    return event_values({"session.id": session, "turn.id": turn}, "/project").get("prompt.id")


def test_a_prompt_has_an_id_of_its_session_and_turn_and_before_the_first_turn_there_is_none() -> None:
    assert prompt("a", "1") == prompt("a", "1")
    assert len({prompt("a", "1"), prompt("a", "2"), prompt("b", "1")}) == 3
    assert prompt("a", "") is None
    assert str(uuid.UUID(str(prompt("a", "1")))) == prompt("a", "1")


@given(st.dictionaries(st.text(), JSON), JSON)
def test_it_is_total(sent: dict[str, Any], data: Any) -> None:
    assert event_values({**sent, "event.data": data}, "/project")["session.project_dir"] == "/project"
