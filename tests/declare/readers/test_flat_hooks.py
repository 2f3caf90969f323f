"""`readers.flat_hooks`: `hooks: {event: [handler, …]}`, where an entry may also be a group."""

from pathlib import Path

import pytest

from dsh_compat_adapter.declare.readers.flat_hooks import read as read_flat
from dsh_compat_adapter.declare.readers.found import Found
from tests.projects import command, project, vendor


def read(folder: Path, content: object) -> Found:
    return read_flat(project(folder, {"guard.json": content}) / "guard.json", vendor("copilot"))


def hooks(*entries: object, event: str = "preToolUse") -> dict[str, object]:
    return {"version": 1, "hooks": {event: list(entries)}}


def test_every_entry_is_a_declaration_with_its_own_matcher_and_place(tmp_path: Path) -> None:
    text = """{"version": 1, "hooks": {"preToolUse": [
  {"type": "command", "bash": "one", "powershell": "x", "cwd": ".", "timeoutSec": 5},
  {"bash": "two", "matcher": "bash"}
]}}"""
    found = read(tmp_path, text)
    assert found.findings == ()
    assert [(hook.event, hook.matcher, str(hook.where).removeprefix(str(tmp_path))) for hook in found.hooks] == [
        ("preToolUse", None, "/guard.json:2:3"),
        ("preToolUse", "bash", "/guard.json:3:3"),
    ]


def test_an_entry_without_a_type_is_declared(tmp_path: Path) -> None:
    [hook] = read(tmp_path, hooks({"command": "./x.sh", "timeout": 5}, event="PreToolUse")).hooks
    assert (hook.event, hook.handler) == ("PreToolUse", {"command": "./x.sh", "timeout": 5})


def test_a_group_of_the_other_shape_is_read_beside_flat_entries(tmp_path: Path) -> None:
    group = {"matcher": "edit", "hooks": [command("a"), command("b")]}
    found = read(tmp_path, hooks(command("first"), group, command("last", matcher="bash")))
    assert [(hook.handler["command"], hook.matcher) for hook in found.hooks if isinstance(hook.handler, dict)] == [
        ("first", None),
        ("a", "edit"),
        ("b", "edit"),
        ("last", "bash"),
    ]


def test_a_matcher_object_arrives_as_it_stands(tmp_path: Path) -> None:
    [hook] = read(tmp_path, hooks(command(matcher={"toolName": "bash"}))).hooks
    assert hook.matcher == {"toolName": "bash"}


def test_a_bad_entry_drops_only_itself(tmp_path: Path) -> None:
    found = read(tmp_path, hooks(None, command("good"), "x", {"hooks": 5}, [], command("also good")))
    assert len(found.hooks) == 2
    assert [finding.code for finding in found.findings] == ["wrong-shape"] * 4


@pytest.mark.parametrize("event", ["preToolUse", "PreToolUse", "sessionEnd", "Stop"])
def test_events_at_top_level_are_a_finding_in_either_spelling(tmp_path: Path, event: str) -> None:
    found = read(tmp_path, {"version": 1, event: [command()]})
    assert found.hooks == ()
    assert [finding.code for finding in found.findings] == ["hooks-object-missing"]


def test_a_file_that_only_looks_as_if_a_brace_were_missing_is_read_as_it_stands(tmp_path: Path) -> None:
    text = '{\n"version": 1,\n"hooks": {\n"Stop": [\n{\n"type": "command",\n"command": "powershell -File x.ps1"\n}\n]\n}\n}'
    [hook] = read(tmp_path, text).hooks
    assert (hook.event, hook.handler) == ("Stop", command("powershell -File x.ps1"))
    [finding] = read(tmp_path, text[:-1]).findings
    assert finding.code == "invalid-file"
