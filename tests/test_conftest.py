"""`conftest`: the examples of a property are the same in every run."""

import importlib
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def examples() -> list[object]:
    """What a property is tried with."""
    drawn: list[object] = []

    @given(st.lists(st.text(max_size=20) | st.integers(), min_size=10))
    def keep(one: object) -> None:
        drawn.append(one)

    keep()
    return drawn


def test_a_module_that_is_loaded_meanwhile_changes_no_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not settings().derandomize:
        pytest.skip("this run draws new examples on purpose")
    (tmp_path / "full_of_constants.py").write_text(
        f"A = {[*range(1000, 1100)]}\nB = {[f'word {n}' for n in range(100)]}"
    )
    monkeypatch.syspath_prepend(tmp_path)
    before = examples()
    importlib.import_module("full_of_constants")
    after = examples()
    del sys.modules["full_of_constants"]
    assert after == before
