"""`readers.toml_hooks`: the grouped shape in TOML, with the lines of its table headers."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.readers.found import Found
from dsh_compat_adapter.declare.readers.toml_hooks import read as read_toml
from tests.projects import BOM, command, on_disk, project, vendor

TEXT = """\
model = "x"
# notify = ["python3", "notify.py"]

[[hooks.PreToolUse]]
matcher = "^(apply_patch|Bash)$"

  [[hooks.PreToolUse.hooks]]
  type = "command"
  command = "one"

  [[hooks.PreToolUse.hooks]]
  type = "command"
  command = 'two'

[[hooks.PreToolUse]]
[[ hooks . "PreToolUse" . hooks ]]
type = "command"
command = "three"

[[hooks.Stop]]
hooks = [{ type = "command", command = "four" }]
"""


def read(folder: Path, content: str | bytes) -> Found:
    return read_toml(project(folder, {"config.toml": content}) / "config.toml", vendor("codex"))


def test_every_handler_is_a_declaration_with_the_place_of_its_table(tmp_path: Path) -> None:
    found = read(tmp_path, TEXT)
    assert found.findings == ()
    assert [
        (hook.event, hook.matcher, hook.handler, hook.where and (hook.where.line, hook.where.column))
        for hook in found.hooks
    ] == [
        ("PreToolUse", "^(apply_patch|Bash)$", command("one"), (7, 3)),
        ("PreToolUse", "^(apply_patch|Bash)$", command("two"), (11, 3)),
        ("PreToolUse", None, command("three"), (16, 1)),
        ("Stop", None, command("four"), (21, 1)),
    ]


def test_a_hook_that_is_only_a_comment_is_none(tmp_path: Path) -> None:
    assert read(tmp_path, '# [[hooks.Stop]]\n# hooks = [{ type = "command", command = "x" }]\n') == Found()


def test_a_header_inside_a_text_or_a_comment_moves_no_place(tmp_path: Path) -> None:
    text = '''\
note = """
[[hooks.Stop]]
\\"""
"""
other = \'\'\'
[[hooks.Stop]]
\'\'\'
# """ [[hooks.Stop]]
[[hooks.Stop]] # the first
[[hooks.Stop.hooks]]
type = "command"
command = "a # b"
'''
    [hook] = read(tmp_path, text).hooks
    assert str(hook.where).endswith("config.toml:10:1")


def test_a_hook_in_one_line_has_the_place_of_its_key(tmp_path: Path) -> None:
    [hook] = read(tmp_path, 'model = "x"\n  hooks.Stop = [{ hooks = [{ type = "command", command = "a" }] }]').hooks
    assert str(hook.where).endswith("config.toml:2:3")


def test_a_key_of_settings_below_another_table_has_its_own_line(tmp_path: Path) -> None:
    text = "[features]\n# hooks = true\nhooks = false\n[[x.y]]\n[[x.y]]\nhooks = 1\n[hooks]\n"
    found = read(tmp_path, 'notify = ["a"]\n' + text)
    assert [(one.code, one.where.line) for one in found.findings] == [("program-not-started", 1)]
    assert (found.disables, found.switch) == (True, "features.hooks is false")


def test_a_list_of_hooks_of_another_program_is_one_finding_and_no_hook(tmp_path: Path) -> None:
    """The schema of a fork: entries with argv lists. They are not joined to a command, and not run."""
    entry = (
        '[[hooks]]\nid = "a"\nwhen = "pre_tool"\nblocking = true\ncommand = ["sh", "-c", "exit 2"]\ntimeout_ms = 5\n'
    )
    found = read(tmp_path, entry * 22)
    assert found.hooks == ()
    [finding] = found.findings
    assert (finding.where.line, finding.code, finding.message) == (
        1,
        "wrong-shape",
        "hooks should be an object of events, found a list of 22, none of which is loaded: " + ", ".join(["'a'"] * 22),
    )


def test_an_argv_list_arrives_as_it_stands_and_is_never_joined(tmp_path: Path) -> None:
    [hook] = read(tmp_path, '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype="command"\ncommand=["a", "b c"]').hooks
    assert hook.handler == {"type": "command", "command": ["a", "b c"]}


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("a = 1\nb = \n", 2, 5, "no valid TOML"),
        ("a = 1\na = 2\n", 2, 6, "Cannot overwrite a value"),
        ("[[hooks.Stop]\n", 1, 13, "no valid TOML"),
        ("a = " + "9" * 5000, None, None, "no valid TOML: Exceeds the limit"),
        ("a = " + "[" * 5000, None, None, "no valid TOML"),
        ("a = 1979-02-31", 1, 5, "Invalid date"),
        ("a = [1,\n", 2, 1, "no valid TOML"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_broken_toml_is_one_finding_at_its_line_and_column(
    tmp_path: Path, text: str, line: int | None, column: int | None, message: str
) -> None:
    found = read(tmp_path, text)
    [finding] = found.findings
    assert finding.code == "invalid-file"
    assert message in finding.message
    assert (finding.where.line, finding.where.column) == (line, column)


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("hooks = 5", 1, "hooks should be an object of events"),
        ("[hooks]\nStop = 5", 2, "hooks.Stop should be a list"),
        ("[[hooks.Stop]]\nhooks = 5", 2, "hooks should be a list of handlers"),
        ("[[hooks.Stop]]\nmatcher = 'x'", 1, "hooks should be a list of handlers, found nothing"),
        ("\n[[hooks.Stop]]\nhooks = [5]", 3, "a handler should be an object"),
    ],
    ids=str,
)
def test_a_value_of_the_wrong_shape_is_named_at_the_nearest_table(
    tmp_path: Path, text: str, line: int | None, message: str
) -> None:
    found = read(tmp_path, text)
    [finding] = found.findings
    assert (finding.code, finding.where.line) == ("wrong-shape", line)
    assert message in finding.message


def test_a_byte_order_mark_hides_nothing(tmp_path: Path) -> None:
    assert len(read(tmp_path, BOM + TEXT.encode()).hooks) == 4


def test_a_file_that_is_no_text_is_one_finding(tmp_path: Path) -> None:
    assert [finding.code for finding in read(tmp_path, b"a = '\xff'").findings] == ["not-text"]


@on_disk
@given(
    text=st.lists(
        st.sampled_from(
            [
                "[[hooks.Stop]]\n",
                "[[hooks.Stop.hooks]]\n",
                "[[hooks]]\n",
                "[hooks]\n",
                'type = "command"\n',
                "x = '''[[hooks.Stop]]\n'''\n",
                "hooks = []\n",
                '"',
                "# '\n",
            ]
        )
        | st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
        max_size=6,
    ).map("".join)
)
def test_any_text_is_read_or_is_a_finding(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text)
    lines = text.count("\n") + 1
    assert all(hook.where is not None and (hook.where.line or 1) <= lines for hook in found.hooks)
    assert all((finding.where.line or 1) <= lines for finding in found.findings)


@pytest.mark.parametrize("line", ["{} = 1", "[{}]", "x = {{ {} = 1 }}", "[[{}]]"])
def test_a_key_of_more_parts_than_any_configuration_has_is_too_large_and_the_rest_is_not_read(
    tmp_path: Path, line: str
) -> None:
    found = read(tmp_path, "a = 1\n" + line.format(" . ".join(["a", '"b"'] * 20_000)) + "\n")
    assert [(finding.code, finding.where.line) for finding in found.findings] == [("too-large", 2)]
    assert found.hooks == ()


def test_a_long_word_and_a_long_sentence_are_no_long_key(tmp_path: Path) -> None:
    assert read(tmp_path, f'a = "{"x" * 1_000_000}"\nb = "{"so it goes. " * 100_000}"\n').findings == ()
