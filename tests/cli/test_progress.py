"""`cli.progress`: a line for somebody who watches a long scan, and nothing for anybody else."""

import io

import pytest

from dsh_compat_adapter.cli.progress import CLEAR, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm")
    return Terminal()


def test_a_long_scan_says_how_far_it_is_and_takes_its_line_away(terminal: Terminal) -> None:
    now = 0.0
    with progress("files", terminal, lambda: now) as told:
        told(1, 9)
        now = 1.5
        told(2, 9)
        now = 1.55
        told(3, 9)
        now = 1.7
        told(4, 9)
    assert terminal.getvalue() == f"{CLEAR}2 of 9 files{CLEAR}4 of 9 files{CLEAR}"


def test_a_short_scan_says_nothing(terminal: Terminal) -> None:
    with progress("files", terminal, lambda: 0.0) as told:
        told(9, 9)
    assert terminal.getvalue() == ""


def test_the_line_is_taken_away_when_the_scan_is_interrupted(terminal: Terminal) -> None:
    times = iter([0.0, 2.0])

    def interrupted() -> None:
        with progress("files", terminal, lambda: next(times)) as told:
            told(1, 9)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert terminal.getvalue() == f"{CLEAR}1 of 9 files{CLEAR}"


def test_what_is_no_terminal_gets_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.StringIO()
    times = iter([0.0, 2.0])
    with progress("files", file, lambda: next(times)) as told:
        told(1, 9)
    with progress("files", None) as told:
        told(1, 9)
    monkeypatch.setenv("TERM", "dumb")
    with progress("files", terminal) as told:
        told(1, 9)
    assert file.getvalue() + terminal.getvalue() == ""
