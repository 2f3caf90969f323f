"""`facts.preview`: a line that says what an event is about, whatever the event is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.facts.preview import LONGEST, preview
from tests.strategies import json_values

TOOL = (("tool_name",), ("tool_input",))


@pytest.mark.parametrize(
    ("event", "members", "told"),
    [
        ({"tool_name": "Bash", "tool_input": {"command": "ls -l"}}, TOOL, "Bash command=ls -l"),
        ({"tool_name": "Edit", "tool_input": {"a": "1", "b": "2", "c": "3", "d": "4"}}, TOOL, "Edit a=1 b=2 c=3"),
        ({"tool_name": "Bash", "tool_input": {"command": "a\nb"}}, TOOL, "Bash command=a b"),
        ({"tool_input": {"edits": [1, 2, 3], "n": 5}}, TOOL, "edits=[3] n=5"),
        ({"tool_name": "x" * 61}, TOOL, "x" * 60),
        ({"props": {"info": {"title": "Plan"}}}, (("props", "info", "title"),), "Plan"),
        ({"props": "text"}, (("props", "info", "title"),), ""),
        ({"other": 1}, TOOL, ""),
    ],
)
def test_the_members_that_are_named_are_shown_in_their_order(
    event: object, members: tuple[tuple[str, ...], ...], told: str
) -> None:
    assert preview(json.dumps(event), members) == told


@given(st.text() | json_values.map(json.dumps))
def test_any_text_has_a_preview_of_one_short_line(text: str) -> None:
    told = preview(text, (*TOOL, ("a", "b")))
    assert len(told) <= LONGEST
    assert "\n" not in told
