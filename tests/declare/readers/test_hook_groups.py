"""`readers.hook_groups`: `hooks: {Event: [{matcher, hooks: [handler, …]}, …]}`, and the walk that other shapes share."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.readers.found import Found
from dsh_compat_adapter.declare.readers.hook_groups import read as read_groups
from tests.projects import BOM, command, grouped, on_disk, project, vendor

GOOD = command("exit 2")


def read(folder: Path, content: object, owner: str = "claude") -> Found:
    return read_groups(project(folder, {"settings.json": content}) / "settings.json", vendor(owner))


def places(found: Found) -> list[tuple[str, int | None, int | None]]:
    return [(finding.code, finding.where.line, finding.where.column) for finding in found.findings]


TEXT = """\
{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Write|Edit",
        "hooks": [
          {"type": "command", "command": "one"},
          {"type": "command", "command": "two"}
        ]
      }
    ],
    "Stop": [
      {"hooks": [{"type": "command", "command": "three"}]}
    ]
  }
}
"""


def test_every_handler_is_a_declaration_in_file_order_with_its_line_and_column(tmp_path: Path) -> None:
    found = read(tmp_path, TEXT)
    assert found.findings == ()
    assert [
        (hook.event, hook.matcher, hook.handler, hook.where and (hook.where.line, hook.where.column))
        for hook in found.hooks
    ] == [
        ("PreToolUse", "Write|Edit", command("one"), (7, 11)),
        ("PreToolUse", "Write|Edit", command("two"), (8, 11)),
        ("Stop", None, command("three"), (13, 18)),
    ]
    assert {hook.vendor for hook in found.hooks} == {"claude"}


def test_the_command_text_is_kept_to_the_byte(tmp_path: Path) -> None:
    text = """bash -c 'f="$1"; echo "${f%/*}" | jq ".edits[0].path // .b" >&2' // \\. 	 日本"""
    [hook] = read(tmp_path, grouped("Stop", command(text))).hooks
    assert hook.handler == command(text)


@pytest.mark.parametrize("content", ["{}", '{"model": "x", "permissions": {"allow": []}}', '{"hooks": {}}'])
def test_settings_without_hooks_are_nothing_to_report(tmp_path: Path, content: str) -> None:
    assert read(tmp_path, content) == Found()


@pytest.mark.parametrize(
    ("content", "line", "column", "message"),
    [
        ("[]", 1, 1, "the file should be an object, found a list"),
        ("null", 1, 1, "the file should be an object, found nothing"),
        ('"text"', 1, 1, "the file should be an object, found a text"),
        ('{"hooks": null}', 1, 11, "hooks should be an object of events, found nothing"),
        ('{"hooks": []}', 1, 11, "hooks should be an object of events, found a list"),
        ('{"hooks": "x"}', 1, 11, "hooks should be an object of events, found a text"),
        ('{"hooks": {"Stop": {}}}', 1, 20, "hooks.Stop should be a list, found an object"),
        ('{"hooks": {"Stop": null}}', 1, 20, "hooks.Stop should be a list, found nothing"),
        ('{"hooks": {"Stop": [5]}}', 1, 21, "a matcher group should be an object with `hooks`, found a number"),
        ('{"hooks": {"Stop": [[]]}}', 1, 21, "a matcher group should be an object with `hooks`, found a list"),
        ('{"hooks": {"Stop": [{}]}}', 1, 21, "a matcher group's hooks should be a list of handlers, found nothing"),
        ('{"hooks": {"Stop": [{"hooks": {}}]}}', 1, 31, "hooks should be a list of handlers, found an object"),
        ('{"hooks": {"Stop": [{"hooks": null}]}}', 1, 31, "hooks should be a list of handlers, found nothing"),
        ('{"hooks": {"Stop": [{"hooks": [null]}]}}', 1, 32, "a handler should be an object, found nothing"),
        ('{"hooks": {"Stop": [{"hooks": ["true"]}]}}', 1, 32, "a handler should be an object, found a text"),
        ('{"hooks": {"Stop": [{"hooks": [[]]}]}}', 1, 32, "a handler should be an object, found a list"),
        ('{"disableAllHooks": "yes"}', 1, 21, "disableAllHooks should be true or false, found a text"),
    ],
    ids=repr,
)
def test_a_value_of_the_wrong_shape_is_named_at_its_place(
    tmp_path: Path, content: str, line: int, column: int, message: str
) -> None:
    found = read(tmp_path, content)
    assert found.hooks == ()
    assert places(found) == [("wrong-shape", line, column)]
    assert message in found.findings[0].message
    assert found.findings[0].severity is Severity.ERROR
    assert found.findings[0].remedy


def test_a_command_directly_below_its_event_is_named_and_not_run(tmp_path: Path) -> None:
    found = read(tmp_path, {"hooks": {"PreToolUse": [command(matcher="Write")]}})
    assert found.hooks == ()
    [finding] = found.findings
    assert "a handler stands where Claude Code has a matcher group" in finding.message
    assert "applies nothing of this file" in finding.message


def test_a_bad_entry_drops_only_itself(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {
            "hooks": {
                "PreToolUse": [None, {"matcher": "Bash", "hooks": [None, GOOD, 5]}, {"hooks": "x"}, {"hooks": [GOOD]}],
                "Stop": "x",
                "SessionEnd": [{"hooks": [GOOD]}],
            }
        },
    )
    assert [(hook.event, hook.matcher) for hook in found.hooks] == [
        ("PreToolUse", "Bash"),
        ("PreToolUse", None),
        ("SessionEnd", None),
    ]
    assert [code for code, _, _ in places(found)] == ["wrong-shape"] * 5


@pytest.mark.parametrize(
    ("matcher", "declared"),
    [("Write", "Write"), ("", ""), (None, None), (5, 5), ({"toolName": "bash"}, {"toolName": "bash"}), (["a"], ["a"])],
    ids=repr,
)
def test_a_matcher_arrives_as_it_stands_and_is_never_made_a_text(
    tmp_path: Path, matcher: object, declared: object
) -> None:
    [hook] = read(tmp_path, grouped("PreToolUse", GOOD, matcher=matcher)).hooks
    assert hook.matcher == declared
    assert type(hook.matcher) is type(declared)


@pytest.mark.parametrize(
    ("owner", "event"), [("claude", "PreToolUse"), ("codex", "Stop"), ("workbuddy", "UserPromptSubmit")]
)
def test_events_at_top_level_are_a_finding_and_not_silence(tmp_path: Path, owner: str, event: str) -> None:
    found = read(tmp_path, f'{{\n "description": "x",\n "{event}": [{{"hooks": []}}]\n}}', owner)
    assert found.hooks == ()
    assert [code for code, _, _ in places(found)] == ["hooks-object-missing"]
    assert found.findings[0].where.line == 3
    assert f"{event} stands at top level" in found.findings[0].message
    assert found.findings[0].remedy == 'put the events below one "hooks" object'


def test_an_event_that_nobody_knows_is_still_declared_so_that_grading_names_it(tmp_path: Path) -> None:
    [hook] = read(tmp_path, grouped("PreToolUsed", GOOD)).hooks
    assert hook.event == "PreToolUsed"


def test_a_repeated_key_is_a_warning_where_it_comes_again_and_the_last_counts(tmp_path: Path) -> None:
    text = '{"hooks": {\n"Stop": [{"hooks": [{"command": "lost"}]}],\n"Stop": [{"hooks": [{"command": "kept"}]}]}}'
    found = read(tmp_path, text)
    assert [hook.handler for hook in found.hooks] == [{"command": "kept"}]
    assert [hook.where and hook.where.line for hook in found.hooks] == [3]
    assert places(found) == [("duplicate-key", 3, 1)]
    assert "'Stop' stands twice" in found.findings[0].message


def test_comments_and_trailing_commas_are_read_and_are_a_warning(tmp_path: Path) -> None:
    found = read(tmp_path, '{"hooks": {"Stop": [ // one\n{"hooks": [{"type": "command", "command": "a // b"},]}]}}')
    assert [hook.handler for hook in found.hooks] == [command("a // b")]
    assert places(found) == [("not-strict-json", 1, 22)]


def test_a_byte_order_mark_hides_nothing(tmp_path: Path) -> None:
    found = read(tmp_path, BOM + TEXT.encode())
    assert (len(found.hooks), found.findings) == (3, ())


@pytest.mark.parametrize(
    ("content", "code", "line"),
    [
        (b"{", "invalid-file", 1),
        (b'{"hooks": {\n', "invalid-file", 2),
        (b"", "invalid-file", 1),
        (b'{"a": "\xff"}', "not-text", 1),
        (b'{"a": ' + b"[" * 5000, "invalid-file", 1),
        (b" " * 5_000_000, "too-large", None),
    ],
    ids=["cut", "cut in line 2", "empty", "Latin-1", "deep", "5 MB"],
)
def test_a_file_that_cannot_be_read_is_one_finding_with_the_code_of_the_error(
    tmp_path: Path, content: bytes, code: str, line: int | None
) -> None:
    found = read(tmp_path, content)
    assert found.hooks == ()
    [finding] = found.findings
    assert (finding.code, finding.severity, finding.where.line) == (code, Severity.ERROR, line)


@pytest.mark.parametrize(("value", "says"), [(True, True), (False, False), (None, None), ("true", None), (1, None)])
def test_only_a_boolean_switches_all_hooks_off_or_on(tmp_path: Path, value: object, says: bool | None) -> None:  # noqa: FBT001
    assert read(tmp_path, {"disableAllHooks": value}).disables is says


json_like: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["hooks", "matcher", "type", "command", "PreToolUse", "Stop"]), inner, max_size=3
        )
    ),
    max_leaves=10,
)
groups = st.lists(json_like | st.fixed_dictionaries({"hooks": json_like | st.lists(json_like | st.just(GOOD))}))
settings_files = json_like | st.fixed_dictionaries(
    {"hooks": json_like | st.dictionaries(st.sampled_from(["PreToolUse", "Stop", "x"]), json_like | groups, max_size=3)}
)


@on_disk
@given(value=settings_files)
def test_any_json_is_read_and_each_handler_object_is_declared_or_named(tmp_path: Path, value: Any) -> None:
    found = read(tmp_path, value)
    assert all(hook.where is not None and hook.where.column is not None for hook in found.hooks)
    assert all(finding.where.line is not None and finding.where.column is not None for finding in found.findings)
    events = value.get("hooks") if isinstance(value, dict) else None
    lists = [entries for entries in (events.values() if isinstance(events, dict) else ()) if isinstance(entries, list)]
    handlers = [
        handler
        for entries in lists
        for group in entries
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for handler in group["hooks"]
    ]
    assert len(found.hooks) == sum(isinstance(handler, dict) for handler in handlers)
