"""`readers.plugin_list`: `plugin: [name or path, …]`; each is code, which is refused by name and never run."""

from pathlib import Path

import pytest

from dsh_compat_adapter.declare.readers.found import Found
from dsh_compat_adapter.declare.readers.plugin_list import read as read_list
from tests.projects import project, vendor


def read(folder: Path, content: object) -> Found:
    return read_list(project(folder, {"opencode.json": content}) / "opencode.json", vendor("opencode"))


def test_every_plugin_is_refused_by_name_and_place(tmp_path: Path) -> None:
    text = '{"$schema": "x",\n"plugin": ["a@1.2",\n  "./b.ts", ["c", {"level": 1}]],\n"plugins": ["d"]}'
    found = read(tmp_path, text)
    assert [(one.name, one.where.line, one.where.column, one.code) for one in found.refused] == [
        ("plugin a@1.2", 2, 12, "handler-is-code"),
        ("plugin ./b.ts", 3, 3, "handler-is-code"),
        ("plugin c", 3, 13, "handler-is-code"),
        ("plugin d", 4, 13, "handler-is-code"),
    ]
    assert (found.hooks, found.findings) == ((), ())


@pytest.mark.parametrize("content", ["{}", '{"plugin": []}', '{"plugin": null}', '{"instructions": ["x.md"]}'])
def test_a_file_without_plugins_is_nothing_to_report(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == Found()


def test_comments_are_this_vendors_own_habit_and_no_finding(tmp_path: Path) -> None:
    found = read(tmp_path, '{ // mine\n"plugin": ["a",], }')
    assert ([one.name for one in found.refused], found.findings) == (["plugin a"], ())


@pytest.mark.parametrize(
    ("content", "column", "message"),
    [
        ("[]", 1, "the file should be an object, found a list"),
        ('{"plugin": "a"}', 12, "plugin should be a list, found a text"),
        ('{"plugins": {}}', 13, "plugins should be a list, found an object"),
        ('{"plugin": [null]}', 13, "an entry of plugin should be a name or a path, found nothing"),
        ('{"plugin": [5]}', 13, "an entry of plugin should be a name or a path, found a number"),
        ('{"plugin": [[]]}', 13, "an entry of plugin should be a name or a path, found a list"),
        ('{"plugin": [[{}, "a"]]}', 13, "an entry of plugin should be a name or a path, found an object"),
        ('{"plugin": [{}]}', 13, "an entry of plugin should be a name or a path, found an object"),
    ],
    ids=str,
)
def test_a_value_of_the_wrong_shape_is_named_at_its_place(
    tmp_path: Path, content: str, column: int, message: str
) -> None:
    found = read(tmp_path, content)
    [finding] = found.findings
    assert (finding.code, finding.where.line, finding.where.column) == ("wrong-shape", 1, column)
    assert message in finding.message


def test_a_bad_entry_drops_only_itself(tmp_path: Path) -> None:
    found = read(tmp_path, {"plugin": [None, "good"], "plugins": ["also good"]})
    assert [one.name for one in found.refused] == ["plugin good", "plugin also good"]
    assert len(found.findings) == 1


@pytest.mark.parametrize(("content", "code"), [(b"{", "invalid-file"), (b'{"a": "\xff"}', "not-text")])
def test_a_broken_file_is_one_finding(tmp_path: Path, content: bytes, code: str) -> None:
    assert [finding.code for finding in read(tmp_path, content).findings] == [code]


def test_a_repeated_key_is_a_warning(tmp_path: Path) -> None:
    found = read(tmp_path, '{"plugin": ["lost"],\n"plugin": ["kept"]}')
    assert [one.name for one in found.refused] == ["plugin kept"]
    assert [(finding.code, finding.where.line) for finding in found.findings] == [("duplicate-key", 2)]
