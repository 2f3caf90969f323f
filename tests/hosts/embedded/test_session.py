"""The log of a session, and the session that goes on from it."""

from collections.abc import Mapping
from typing import Any, cast

import pytest

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.hosts.embedded.session import Session, SessionEvent

CALL: Mapping[str, object] = {"name": "bash", "arguments": {}, "call_id": "1"}


def event(kind: str, data: object) -> SessionEvent:
    return SessionEvent(type=kind, seq=0, time_ms=5, data=cast("Any", data))


@pytest.mark.parametrize(
    "former",
    [
        event("user/message", {}),
        event("assistant/message", {"text": "x"}),
        event("assistant/message", {"text": "x", "calls": "abc"}),
        event("assistant/message", {"text": "x", "calls": [{}]}),
        event("tool/result", {}),
        event("note", 5),
        {},
        None,
    ],
    ids=[
        "no text",
        "no calls",
        "calls that are a text",
        "a call of nothing",
        "no result",
        "a number",
        "a dict",
        "none",
    ],
)
def test_what_is_no_event_of_a_session_is_refused_with_its_place(former: object) -> None:
    with pytest.raises(CompatError, match="entry 1 of the former session") as raised:
        Session("1", [event("note", {}), cast("Any", former)])
    assert raised.value.code is ErrorCode.INVALID_INPUT


def test_a_call_without_a_result_has_one_in_the_session_that_goes_on() -> None:
    session = Session("1", [event("assistant/message", {"text": "", "calls": [CALL]})])
    assert [(m.role, m.call_id, m.text) for m in session.messages[1:]] == [("tool", "1", "Error: tool call aborted")]


def test_former_events_keep_their_time() -> None:
    assert [former.time_ms for former in Session("1", [event("note", {})]).events] == [5]


def test_an_event_that_lacks_what_its_type_has_is_not_logged() -> None:
    session = Session("1")
    with pytest.raises(KeyError):
        session.append("tool/result", {})
    assert session.events == ()


def test_of_two_results_of_one_call_the_model_reads_the_first() -> None:
    result = {"name": "bash", "call_id": "1"}
    session = Session(
        "1",
        [event("assistant/message", {"text": "", "calls": [CALL]})]
        + [event("tool/result", {**result, "text": text}) for text in ("first", "second")],
    )
    assert [message.text for message in session.messages] == ["", "first"]
