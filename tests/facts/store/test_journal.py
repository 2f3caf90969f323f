"""`facts.store.journal` and `facts.store.intake`: no fact is lost or counted twice, whoever is killed and whoever reads."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter.facts.sink import Record
from dsh_compat_adapter.facts.store import journal as journal_module
from dsh_compat_adapter.facts.store.files import journals_of
from dsh_compat_adapter.facts.store.intake import take_in
from dsh_compat_adapter.facts.store.journal import JournalSink
from dsh_compat_adapter.facts.store.query import Filters, Store
from tests.checkout import ROOT
from tests.recording import run_of

# writes runs until it is killed; says the id of each once its end is written
WRITER = """
import itertools, sys
from pathlib import Path
from dsh_compat_adapter.facts.store.journal import JournalSink
from tests.recording import run_of
sink = JournalSink(Path(sys.argv[1]), print)
for number in itertools.count(1):
    for record in run_of(number):
        sink.write(record)
    print(record.fact.id, flush=True)
    if len(sys.argv) > 2 and number == int(sys.argv[2]):
        sink.close()
        break
"""


def facts(store: Path) -> list[dict[str, Any]]:
    with Store(store) as opened:
        return [fact for entry in opened.entries(Filters()) for fact in entry.facts()]


def ids(store: Path, type_: str) -> list[object]:
    return [fact["id"] for fact in facts(store) if fact["type"] == type_]


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "state/facts.db"


@contextmanager
def sink(store: Path, said: list[str]) -> Iterator[JournalSink]:
    opened = JournalSink(store, said.append)
    yield opened
    opened.close()


def write(one: JournalSink, *records: Record) -> None:
    for record in records:
        one.write(record)


def writer(store: Path, *arguments: str) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'adapter'}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-c", WRITER, str(store), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def test_what_is_written_is_in_the_store_when_its_writer_closes_and_nothing_else_is_left(
    store: Path, said: list[str]
) -> None:
    with sink(store, said) as one:
        write(one, *run_of(1), *run_of(2))
    assert len(facts(store)) == 4
    assert list(journals_of(store).iterdir()) == []
    assert said == []


def test_the_database_and_the_journals_are_their_owners_alone(store: Path, said: list[str]) -> None:
    with sink(store, said) as one:
        write(one, *run_of(1))
        files = [path for path in store.parent.rglob("*") if path.is_file()]
        assert [path.stat().st_mode & 0o077 for path in files] == [0] * len(files) != []
        take_in(store)
    assert store.stat().st_mode & 0o077 == 0
    assert journals_of(store).stat().st_mode & 0o077 == 0


def test_a_reader_sees_what_a_living_process_has_written_and_each_fact_once(store: Path, said: list[str]) -> None:
    with sink(store, said) as one:
        started, completed = run_of(1)
        one.write(started)
        assert [(fact["type"], fact["status"]) for fact in facts(store)] == [("hook.started", "running")]
        one.write(completed)
        for _ in range(2):
            assert [fact["type"] for fact in facts(store)] == ["hook.started", "hook.completed"]
    assert len(facts(store)) == 2


def test_a_run_without_an_end_is_interrupted_once_its_process_is_dead(store: Path, said: list[str]) -> None:
    with sink(store, said) as one:
        write(one, *run_of(1), run_of(2)[0])
    assert [fact.get("status") for fact in facts(store)] == [None, "completed", "interrupted"]


def test_every_run_that_a_killed_process_has_ended_is_in_the_store(store: Path) -> None:
    for _ in range(3):
        with writer(store) as process:
            assert process.stdout is not None
            told = [process.stdout.readline().strip() for _ in range(200)]
            process.send_signal(signal.SIGKILL)
            told += process.stdout.read().split("\n")[:-1]
        assert set(told) <= set(ids(store, "hook.completed"))
        assert list(journals_of(store).iterdir()) == []
    with closing(sqlite3.connect(store)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_four_processes_write_one_store_while_it_is_read_and_no_fact_is_lost(store: Path) -> None:
    processes = [writer(store, "300") for _ in range(4)]
    told: list[str] = []
    for process in processes:
        assert process.stdout is not None
        told += [line.strip() for line in process.stdout]
        take_in(store)
    assert [process.wait() for process in processes] == [0] * 4
    assert sorted(told) == sorted(map(str, ids(store, "hook.completed")))
    assert len(told) == 1200
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()


def test_a_reader_that_takes_in_itself_sees_what_the_last_other_process_takes_in(store: Path) -> None:
    take_in(store)
    with Store(store) as reader:
        assert [*reader.entries(Filters())] == []
        reader.refresh()
        with writer(store, "5") as process:  # takes in what it wrote, and closes the database as the last one but us
            assert process.wait() == 0
        assert len([*reader.entries(Filters())]) == 5
        assert store.with_name(f"{store.name}-wal").exists()  # which is taken away when nobody else reads


def test_the_target_of_a_link_that_does_not_exist_yet_is_its_owners_alone(store: Path) -> None:
    store.parent.mkdir()
    store.symlink_to(store.with_name("target.db"))
    take_in(store)
    assert store.stat().st_mode & 0o077 == 0


def test_a_journal_that_grew_is_taken_in_while_its_process_runs(
    store: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "FULL", 2000)
    with sink(store, said) as one:
        for at_us in range(20):
            write(one, *run_of(at_us))
    assert len(facts(store)) == 40
    assert said == []


def test_a_half_line_of_a_full_device_spoils_no_other(store: Path, said: list[str]) -> None:
    started, completed = run_of(1)
    with sink(store, said) as one:
        one.write(started)
        (path,) = journals_of(store).iterdir()
        with path.open("ab") as journal:
            journal.write(b'["hook.completed",["0000\n')
        one.write(completed)
    assert [fact["type"] for fact in facts(store)] == ["hook.started", "hook.completed"]


@pytest.mark.parametrize(
    "line",
    [
        "7",
        "[]",
        "{}",
        '["hook.started",[],[]]',
        '["facts.dropped",["x",1],[]]',
        '["y",["x"],[]]',
        "[[],[],[]]",
        pytest.param("[" * 100_000, id="deep"),
    ],
)
def test_a_line_that_this_program_did_not_write_is_passed_over(store: Path, said: list[str], line: str) -> None:
    with sink(store, said) as one:
        one.write(run_of(1)[0])
        (path,) = journals_of(store).iterdir()
        with path.open("a") as journal:
            journal.write(f"{line}\n")
        one.write(run_of(2)[0])
    assert (len(facts(store)), said) == (2, [])


def test_an_end_without_its_beginning_is_kept(store: Path, said: list[str]) -> None:
    with sink(store, said) as one:
        one.write(run_of(1)[1])
    assert [fact["type"] for fact in facts(store)] == ["hook.completed"]


def test_a_journal_that_was_removed_while_it_was_open_begins_anew(
    store: Path, said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_module, "LOOK_US", 0)
    with sink(store, said) as one:
        write(one, *run_of(1))
        for path in journals_of(store).iterdir():
            path.unlink()
        write(one, *run_of(2))
    assert len(facts(store)) == 2


def test_a_database_that_was_removed_while_it_was_in_use_is_made_again(store: Path, said: list[str]) -> None:
    with sink(store, said) as one:
        write(one, *run_of(1))
        take_in(store)
        store.unlink()
        write(one, *run_of(2))
    assert len(facts(store)) == 4  # the journal still had the first two
    assert said == []


def test_a_database_that_is_none_is_said_once_and_the_journal_keeps_the_facts(store: Path, said: list[str]) -> None:
    store.parent.mkdir()
    store.write_text("this is no database, and long enough to look like a header of one" * 20)
    with sink(store, said) as one:
        write(one, *run_of(1))
    assert len(said) == 1
    assert "file is not a database" in said[0]
    store.unlink()
    assert len(facts(store)) == 2


def test_a_database_that_somebody_else_has_locked_loses_nothing_and_is_no_error(store: Path, said: list[str]) -> None:
    take_in(store)
    with closing(sqlite3.connect(store, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with sink(store, said) as one:
            write(one, *run_of(1))
        other.execute("ROLLBACK")
    assert said == []
    assert len(facts(store)) == 2


def test_a_database_of_a_later_format_is_left_alone(store: Path, said: list[str]) -> None:
    take_in(store)
    with closing(sqlite3.connect(store)) as database:
        database.execute("PRAGMA user_version = 99")
    with sink(store, said) as one:
        write(one, *run_of(1))
    assert "written by another version" in said[0]


def test_a_folder_that_cannot_be_written_is_the_sinks_error(tmp_path: Path, said: list[str]) -> None:
    (tmp_path / "file").write_text("")
    with sink(tmp_path / "file/facts.db", said) as one, pytest.raises(OSError, match=r"Not a directory|File exists"):
        one.write(run_of(1)[0])


def test_each_line_of_a_journal_is_json(store: Path, said: list[str]) -> None:
    with sink(store, said) as one:
        write(one, *run_of(1, text="ünï\ud800"))
        (path,) = journals_of(store).iterdir()
        lines = [json.loads(line) for line in path.read_bytes().splitlines() if line]
    assert lines[0][2][0][1] == "ünï\ud800"
    assert len(facts(store)) == 2
