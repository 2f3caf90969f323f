"""`readers.native_hooks`: this project's own file, `version: 1` and `events: {canonical: [handler or group, …]}`."""

from pathlib import Path

import pytest

from dsh_compat_adapter.declare.readers.found import Found
from dsh_compat_adapter.declare.readers.native_hooks import read as read_native
from tests.projects import command, project, vendor


def read(folder: Path, content: object) -> Found:
    return read_native(project(folder, {".dsh-hooks.json": content}) / ".dsh-hooks.json", vendor("native"))


def test_handlers_and_groups_are_declared_under_canonical_names(tmp_path: Path) -> None:
    events = {
        "tool:before": [
            {"command": "flat", "matcher": "write"},
            {"matcher": "bash", "hooks": [{"command": "grouped"}]},
        ],
        "turn:stop": [command("last")],
    }
    found = read(tmp_path, {"version": 1, "events": events})
    assert found.findings == ()
    assert [(hook.event, hook.matcher) for hook in found.hooks] == [
        ("tool:before", "write"),
        ("tool:before", "bash"),
        ("turn:stop", None),
    ]
    assert {hook.vendor for hook in found.hooks} == {"native"}


@pytest.mark.parametrize("version", [2, "1", None, True, 1.5, [1]], ids=repr)
def test_another_version_is_refused_at_its_place_and_nothing_is_read(tmp_path: Path, version: object) -> None:
    found = read(tmp_path, {"version": version, "events": {"turn:stop": [command()]}})
    assert found.hooks == ()
    [finding] = found.findings
    assert "version should be the number 1" in finding.message
    assert (finding.where.line, finding.where.column) == (1, 13)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("{", "invalid-file"),
        ("[]", "wrong-shape"),
        ('{"version": 1, "events": []}', "wrong-shape"),
        ('{"version": 1, "events": null}', "wrong-shape"),
        ('{"version": 1, "events": {"turn:stop": {}}}', "wrong-shape"),
        ('{"version": 1, "events": {"turn:stop": [null]}}', "wrong-shape"),
        ('{"version": 1, "turn:stop": []}', "hooks-object-missing"),
        ('{"version": 1, "version": 1, "events": {}}', "duplicate-key"),
    ],
    ids=str,
)
def test_a_broken_file_is_one_finding(tmp_path: Path, content: str, code: str) -> None:
    found = read(tmp_path, content)
    assert found.hooks == ()
    assert [finding.code for finding in found.findings] == [code]


def test_the_remedy_for_events_at_top_level_names_the_key_of_this_file(tmp_path: Path) -> None:
    [finding] = read(tmp_path, {"version": 1, "turn:stop": []}).findings
    assert finding.remedy == 'put the events below one "events" object'
