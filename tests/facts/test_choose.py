"""`facts.choose`: what somebody asks for, and the sinks that it comes to."""

import sys

import pytest

from dsh_compat_adapter.facts.choose import sinks
from tests.projects import without_home


@pytest.mark.skipif(sys.platform == "win32", reason="an account of Windows always has a home")
def test_where_the_user_can_have_no_store_it_is_said_and_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    without_home(monkeypatch)
    said: list[str] = []
    assert sinks(to=True, say=said.append) == []
    (text,) = said
    assert "no home" in text
