"""`facts.json_lines`: facts in a file that everybody can read, with the evidence beside it."""

import json
from pathlib import Path

from dsh_compat_adapter.facts.json_lines import FOLDER, JsonLinesSink, evidence_file
from dsh_compat_adapter.facts.store.query import Filters, Store
from tests.recording import run_of


def test_each_fact_is_a_line_and_each_evidence_a_file_named_by_its_hash(tmp_path: Path) -> None:
    sink = JsonLinesSink(tmp_path / "f.jsonl")
    for at_us in (1, 2):
        for record in run_of(at_us, text="the same"):
            sink.write(record)
    sink.close()
    lines = [json.loads(line) for line in (tmp_path / "f.jsonl").read_text().splitlines()]
    assert [line["type"] for line in lines] == ["hook.started", "hook.completed"] * 2
    kept = [path for path in (tmp_path / f"f.jsonl{FOLDER}").rglob("*") if path.is_file()]
    assert kept == [evidence_file(tmp_path / f"f.jsonl{FOLDER}", lines[0]["input_ref"])]
    assert kept[0].read_text() == "the same"
    assert kept[0].stat().st_mode & 0o077 == 0


def test_a_file_that_was_removed_begins_anew(tmp_path: Path) -> None:
    sink = JsonLinesSink(tmp_path / "f.jsonl")
    started, completed = run_of(1)
    sink.write(started)
    (tmp_path / "f.jsonl").unlink()
    sink.write(completed)
    sink.close()
    assert len((tmp_path / "f.jsonl").read_text().splitlines()) == 1


def test_such_a_file_is_read_like_a_store(tmp_path: Path) -> None:
    sink = JsonLinesSink(tmp_path / "f.jsonl")
    for record in (*run_of(1, vendor="codex"), *run_of(2), run_of(3)[0]):
        sink.write(record)
    sink.close()
    with Store(tmp_path / "f.jsonl") as store:
        entries = [*store.entries(Filters())]
        assert [len([*entry.facts()]) for entry in entries] == [2, 2, 1]
        assert entries[2].first is not None
        assert entries[2].first["status"] == "interrupted"
        assert len([*store.entries(Filters(vendor="codex"))]) == 1
        seen = store.evidence(str((entries[0].first or {})["input_ref"]))
        assert seen is not None
        assert seen["text"] == "seen"
