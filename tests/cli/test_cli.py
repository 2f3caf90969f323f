"""`dsh-compat` as a process: what it prints, where, and with which exit code."""

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import dsh_compat_adapter
from tests.checkout import ROOT
from tests.cli.full_disk import SAID, on_full_disk
from tests.projects import BOM, command, fifo, grouped, project, unreadable

PACKAGE = Path(dsh_compat_adapter.__file__).parent
TEAM = ROOT / "examples/team"
ESCAPE = "\x1b[31m\x1b]0;owned\x07\x9b\r\u202e"


def environment(**changes: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "TERM")}
    return {
        **kept,
        "PYTHONPATH": str(PACKAGE.parent),
        "PYTHONSAFEPATH": "1",
        "COLUMNS": "100",
        "TERM": "xterm",
        **changes,
    }


def cli(*arguments: str | Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run the command line to its end."""
    return cli_in(Path.cwd(), *arguments, **changes)


def cli_in(folder: Path, *arguments: str | Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """The same from another folder."""
    return subprocess.run(
        [sys.executable, "-m", "dsh_compat_adapter", *[os.fspath(argument) for argument in arguments]],
        cwd=folder,
        env=environment(**changes),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def as_json(done: subprocess.CompletedProcess[str], schema: str | None = None) -> Any:
    """The one JSON document on stdout, of the published schema."""
    data = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    if schema is not None:
        Draft202012Validator(json.loads((PACKAGE / "schemas" / f"{schema}.json").read_text("utf-8"))).validate(data)
    return data


def fire(root: Path, event: str, *arguments: str) -> Any:
    done = cli("run", root, "--event", event, *arguments, "--format", "json")
    assert (done.returncode, done.stderr) == (0, "")
    return as_json(done, "run")


def clean(text: str) -> None:
    """Nothing in the text is a control character but the line end, and none turns the direction of writing."""
    assert [character for character in text if not character.isprintable() and character != "\n"] == []


# -- exit codes and where things are printed


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nothing",),
        ("check",),
        ("run", "."),
        ("run", ".", "--event"),
        ("check", ".", "--format", "yaml"),
        ("explain", "claude"),
        ("run", ".", "--event", "Stop", "--policy", "none"),
        ("run", ".", "--event", "Stop", "--bridge", "none"),
        ("audit", "--limit=-1"),
        ("audit", "--limit=1.5"),
        ("run", ".", "--event", "Stop", "--facts-days=x"),
    ],
    ids=" ".join,
)
def test_a_wrong_call_is_exit_2_with_the_usage_on_stderr(arguments: tuple[str, ...]) -> None:
    done = cli(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: dsh-compat")
    assert "invalid _" not in done.stderr  # the name of a function is no help


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("check", "nowhere"), "'nowhere' is no folder; give the folder of a project [INVALID_INPUT]"),
        (("check", "n" * 300), "is no folder"),
        (("check", __file__), "is no folder"),
        (
            ("run", ".", "--event", "Stopp"),
            "no vendor has an event 'Stopp'. Did you mean 'Stop'? `dsh-compat matrix` lists them. [UNKNOWN_EVENT]",
        ),
        (("run", ".", "--event", "Stop", "--vendor", "claud"), "Did you mean 'claude'?"),
        (("explain", "claud", "Stop"), "unknown vendor 'claud'. Did you mean 'claude'?"),
        (("explain", "claude", "Stopp"), "Claude Code has no event 'Stopp'. Did you mean 'Stop'?"),
        (("schema", "checks"), "no schema 'checks'. Did you mean 'check'?"),
        (("run", ".", "--event", "Stop", "--input", "{"), "--input is no JSON: "),
        (("run", ".", "--event", "Stop", "--input", ""), "--input is no JSON: "),
        (("run", ".", "--event", "Stop", "--input", "[1]"), "--input must be an object, found list"),
        (("run", ".", "--event", "Stop", "--input", "[" * 100_000), "--input is no JSON: "),
        (("run", ".", "--event", "Stop", "--input", "9" * 5000), "--input is no JSON: "),
    ],
    ids=lambda value: " ".join(value)[:50] if isinstance(value, tuple) else "",
)
def test_a_call_that_names_something_wrong_is_exit_2_with_one_line_on_stderr(
    arguments: tuple[str, ...], says: str
) -> None:
    done = cli(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("dsh-compat: ")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


COMMANDS = [
    ("matrix",),
    ("explain", "claude", "PreToolUse"),
    ("schema",),
    ("schema", "result"),
    ("check", "."),
    ("list",),
    ("dump",),
    ("validate",),
    ("run", ".", "--event", "PreToolUse"),
    ("--version",),
    ("--help",),
    ("check", "--help"),
]


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["at the end", "at once"])
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_no_command_takes_a_full_disk_for_a_defect_or_for_success(
    tmp_path: Path, arguments: tuple[str, ...], unbuffered: str
) -> None:
    assert on_full_disk(*arguments, cwd=tmp_path, PYTHONUNBUFFERED=unbuffered) == SAID


def test_a_full_disk_behind_stderr_leaves_the_exit_code_as_it_is(tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "dsh_compat_adapter", "explain", "nobody", "x"],
            cwd=tmp_path,
            env=environment(),
            stderr=full,
            check=False,
        )
    assert done.returncode == 2


def test_a_project_without_a_finding_is_exit_0(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("Stop", command())})
    done = cli("check", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 files: 1 hooks adapted, 0 rules carried, 0 unsupported, 0 refused; 0 errors" in done.stdout


def test_a_note_alone_is_exit_0(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": {"disableAllHooks": True, **grouped("Stop", command())}})
    done = cli("check", tmp_path)
    assert done.returncode == 0
    assert "note: 1:1: disableAllHooks is true" in done.stdout


@pytest.mark.parametrize(
    "files",
    [
        {".claude/settings.json": "{"},
        {".claude/settings.json": grouped("Stopp", command())},
        {".claude/settings.json": grouped("PreToolUse", command(), matcher="bash")},
        {"compat.yaml": "version: 2"},
        {"GEMINI.md": b"\xff"},
        {"opencode.json": {"plugin": ["x"]}},
    ],
    ids=[
        "broken JSON",
        "unknown event",
        "a warning only",
        "broken manifest",
        "rules that are no text",
        "a code plugin",
    ],
)
def test_a_project_with_a_finding_is_exit_1_and_the_finding_is_printed_with_a_way_out(
    tmp_path: Path, files: Mapping[str, object]
) -> None:
    done = cli("check", project(tmp_path, files))
    assert (done.returncode, done.stderr) == (1, "")
    assert re.search(r"^  (error|warning): (\d+:\d+: )?.", done.stdout, re.MULTILINE)
    [name] = files
    assert done.stdout.startswith(f"{name}\n")


def test_an_empty_folder_is_exit_0_and_asks_whether_it_is_the_right_one(tmp_path: Path) -> None:
    done = cli("check", tmp_path)
    assert (done.returncode, done.stdout) == (
        0,
        "no hooks, rules or compat.yaml found here; is this the root of a project?\n",
    )


def test_a_deny_is_an_answer_and_exit_0(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("PreToolUse", command("echo no >&2; exit 2"))})
    done = cli("run", tmp_path, "--event", "PreToolUse", "--tool", "Write")
    assert (done.returncode, done.stderr) == (0, "")
    assert "outcome: deny" in done.stdout
    assert "reason: no" in done.stdout


@pytest.mark.parametrize(
    "arguments", [("--help",), ("check", "--help"), ("run", "--help"), ("--version",)], ids=" ".join
)
def test_help_and_version_are_exit_0(arguments: tuple[str, ...]) -> None:
    done = cli(*arguments)
    assert (done.returncode, done.stderr) == (0, "")
    assert "dsh-compat" in done.stdout


def test_the_help_says_what_the_exit_codes_mean() -> None:
    assert "0 fine, 1 findings, 2 usage error, 3 a defect" in " ".join(cli("--help").stdout.split())


def test_the_users_files_are_checked_when_a_home_is_given(tmp_path: Path) -> None:
    project(tmp_path, {"home/.claude/settings.json": "{", "project/README.md": "x"})
    assert cli_in(tmp_path, "check", "project").returncode == 0
    done = cli_in(tmp_path, "check", "project", "--home", "home")
    assert done.returncode == 1
    assert done.stdout.startswith("home/.claude/settings.json\n  error: 1:2: no valid JSON")


def test_the_current_folder_is_a_project_like_any_other(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("Stop", command("pwd >&2; exit 2")), "GEMINI.md": "x"})
    checked = as_json(cli_in(tmp_path, "check", ".", "--format", "json"), "check")
    assert [item["file"] for item in checked["items"]] == [".claude/settings.json", "GEMINI.md"]
    done = cli_in(tmp_path, "run", ".", "--event", "Stop", "--format", "json")
    assert as_json(done)["outcome"]["reason"] == str(tmp_path.resolve())


# -- bad files end in findings, never in a traceback


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe{\x00",
        b" " * 10_000_000,
        b"[" * 100_000,
        BOM + b"{",
        b"a: *b",
        b'{"hooks": {"Stop": [{"hooks": [{"timeout": ' + b"9" * 5000 + b"}]}]}}",
        b"a = " + b"9" * 5000,
        b"version: !!int ''",
    ],
    ids=["empty", "UTF-16", "10 MB", "deep", "BOM", "alias", "5000 digits", "5000 digits of TOML", "tag"],
)
def test_a_bad_file_of_any_kind_is_no_defect(tmp_path: Path, content: bytes) -> None:
    names = [".claude/settings.json", ".codex/config.toml", ".opencode/plugin/a.ts", "opencode.json", "compat.yaml"]
    done = cli("check", project(tmp_path, dict.fromkeys(names, content)), "--format", "json")
    assert (done.returncode, done.stderr) == (1, "")
    named = {os.path.relpath(finding["file"], tmp_path) for finding in as_json(done, "check")["findings"]}
    assert named >= {".claude/settings.json", ".opencode/plugin/a.ts", "compat.yaml"}


def test_what_is_no_readable_file_is_no_defect_and_is_never_waited_for(tmp_path: Path) -> None:
    fifo(tmp_path / ".claude/settings.json")
    unreadable(tmp_path / ".codex/hooks.json")
    (tmp_path / "compat.yaml").mkdir()
    (tmp_path / ".claude/settings.local.json").symlink_to("settings.local.json")
    (tmp_path / ".codebuddy").symlink_to("nowhere")
    done = cli("check", tmp_path, "--format", "json")
    assert (done.returncode, done.stderr) == (1, "")
    assert [Path(finding["file"]).name for finding in as_json(done, "check")["findings"]] == [
        "settings.json",
        "hooks.json",
        "settings.local.json",
        "compat.yaml",
    ]


def test_a_name_that_is_not_utf_8_is_shown_escaped_and_its_rule_is_carried(tmp_path: Path) -> None:
    folder = tmp_path / ".claude/rules"
    folder.mkdir(parents=True)
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\xe9.md")).write_text("x")
    text = cli("check", tmp_path)
    assert (text.returncode, text.stderr) == (0, "")
    assert "\\udcff\\udce9.md" in text.stdout
    [item] = as_json(cli("check", tmp_path, "--format", "json"), "check")["items"]
    assert os.fsencode(item["file"]).endswith(b"/\xff\xe9.md")


def test_a_project_whose_own_name_is_not_utf_8_is_checked_and_run(tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    project(root, {".claude/settings.json": grouped("Stop", command("echo here >&2; exit 2"))})
    assert cli("check", root).returncode == 0
    assert fire(root, "Stop")["outcome"]["reason"] == "here"


# -- nothing of a project reaches the terminal raw


def test_no_control_character_of_a_project_reaches_the_terminal(tmp_path: Path) -> None:
    name = "\x1b[31m\x07\r\nx"
    project(
        tmp_path,
        {
            ".claude/settings.json": grouped("PreToolUse", command(**{ESCAPE: 1, "type": ESCAPE}), matcher=ESCAPE),
            ".claude/settings.local.json": grouped(f"Stop{ESCAPE}", command()),
            ".codex/hooks.json": grouped("PreToolUse", command(**{ESCAPE: 1}), matcher=ESCAPE),
            ".codebuddy/settings.json": f'{{"{name.encode("unicode_escape").decode()}'.replace("\\x", "\\u00"),
            ".github/hooks/\x1b[31m\na.json": {"version": 1, "hooks": {ESCAPE: [None]}},
            "opencode.json": {"plugin": [ESCAPE, {}]},
            f".opencode/plugin/{name}.js": "export default () => ({ event() {} })",
            f".claude/rules/{name}.md": b"\xff",
            "compat.yaml": 'version: 1\nhooks: [{vendor: "\\e[31m", event: x, handler: y, "\\e": 1}]\n',
        },
    )
    for arguments in (("check",), ("check", "--verbose"), ("run", "--event", "PreToolUse")):
        done = cli(arguments[0], tmp_path, *arguments[1:])
        clean(done.stdout)
        clean(done.stderr)
        assert "\\x1b[31m" in done.stdout or arguments[0] == "run"


def test_no_control_character_of_a_hooks_answer_reaches_the_terminal(tmp_path: Path) -> None:
    answer = {
        "systemMessage": ESCAPE,
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": f"one\ntwo {ESCAPE}",
            "additionalContext": ESCAPE,
        },
    }
    project(
        tmp_path, {"answer.json": answer, ".claude/settings.json": grouped("PreToolUse", command("cat answer.json"))}
    )
    done = cli("run", tmp_path, "--event", "PreToolUse", "--tool", ESCAPE)
    clean(done.stdout)
    assert "one two \\x1b[31m" in " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", f"nowhere{ESCAPE}"),
        ("run", ".", "--event", ESCAPE),
        ("run", ".", "--event", "Stop", "--vendor", ESCAPE),
        ("run", ".", "--event", "Stop", "--input", ESCAPE),
        ("explain", ESCAPE, "x"),
        ("explain", "claude", ESCAPE),
        ("schema", ESCAPE),
    ],
    ids=lambda value: value[0],
)
def test_no_control_character_of_an_argument_reaches_the_terminal(arguments: tuple[str, ...]) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    clean(done.stderr)


def test_a_rules_error_names_a_file_of_any_name_without_its_control_characters(tmp_path: Path) -> None:
    project(tmp_path, {".claude/rules/\x1b[2J.md": b"\xff"})
    done = cli("check", tmp_path)
    clean(done.stdout)
    assert "save it as UTF-8" in " ".join(done.stdout.split())


# -- pipes, encodings, terminals


@pytest.mark.parametrize(
    "arguments", [("check", str(TEAM)), ("matrix",), ("matrix", "--format", "json"), ("--help",)], ids=" ".join
)
def test_a_reader_that_leaves_early_is_no_error(arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)  # the reader has left before the first byte
    try:
        done = subprocess.run(
            [sys.executable, "-m", "dsh_compat_adapter", *arguments],
            env=environment(),
            stdout=write,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(write)
    assert done.stderr == ""
    assert done.returncode == 0


@pytest.mark.parametrize(
    "changes",
    [{"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, {"PYTHONIOENCODING": "ascii"}],
    ids=["LANG=C", "PYTHONIOENCODING=ascii"],
)
def test_a_terminal_without_unicode_gets_escapes_and_no_error(tmp_path: Path, changes: Mapping[str, str]) -> None:
    project(
        tmp_path,
        {
            ".claude/settings.json": grouped("Stop", command("cat reason >&2; exit 2"), matcher="日本"),
            ".claude/rules/日本.md": "好",
            "reason": "好 😀 é",
        },
    )
    for arguments in (["check", str(tmp_path)], ["run", str(tmp_path), "--event", "Stop"]):
        done = cli(*arguments, **changes)
        assert done.returncode in (0, 1)
        assert done.stderr == ""
        assert done.stdout.isascii()
        assert "\\u65e5\\u672c" in done.stdout or "reason: \\u597d \\U0001f600 \\xe9" in done.stdout


def test_a_command_reaches_its_shell_whole_whatever_the_locale(tmp_path: Path) -> None:
    """A guard that could not even be started would let everything pass."""
    project(tmp_path, {".claude/settings.json": grouped("Stop", command("echo '好' >&2; exit 2"))})
    changes = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = cli("run", tmp_path, "--event", "Stop", "--format", "json", **changes)
    assert as_json(done)["outcome"]["reason"] == "好"


def test_an_error_without_unicode_is_still_an_error_message() -> None:
    done = cli("check", "日本", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert "\\u65e5\\u672c" in done.stderr


def on_terminal(*arguments: str, **changes: str) -> str:
    """What a process writes to a real terminal."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "dsh_compat_adapter", *arguments],
        env=environment(**changes),
        stdin=slave,
        stdout=slave,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(slave)
        parts = []
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the last writer has left
                break
            if not part:
                break
            parts.append(part)
        os.close(master)
        process.wait()
    return b"".join(parts).decode()


def test_a_terminal_gets_colours_and_nothing_else_that_it_obeys(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("PreToolUse", command(), matcher=ESCAPE)})
    shown = on_terminal("check", str(tmp_path))
    assert "\x1b[" in shown
    clean(re.sub(r"\x1b\[\d*m", "", shown).replace("\r\n", "\n"))


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_terminal_that_wants_no_colour_gets_none(tmp_path: Path, changes: Mapping[str, str]) -> None:
    project(tmp_path, {".claude/settings.json": grouped("Stop", command())})
    assert "\x1b" not in on_terminal("check", str(tmp_path), **changes)


# -- the machine-readable side


@pytest.mark.parametrize(
    ("arguments", "schema"),
    [
        (("check", str(TEAM)), "check"),
        (("matrix",), "matrix"),
        (("explain", "claude", "PreToolUse"), "described"),
        (("explain", "opencode", "chat.params"), "described"),
        (("run", str(TEAM), "--event", "Stop"), "run"),
    ],
    ids=lambda value: " ".join(value)[-30:] if isinstance(value, tuple) else value,
)
def test_every_json_output_is_one_ascii_document_of_its_published_schema(
    arguments: tuple[str, ...], schema: str
) -> None:
    done = cli(*arguments, "--format", "json")
    assert done.returncode in (0, 1)
    assert done.stderr == ""
    assert done.stdout.isascii()
    assert as_json(done, schema)


def test_every_published_schema_is_a_schema_and_is_listed_by_name() -> None:
    names = as_json(cli("schema", "--format", "json"))["schemas"]
    assert names == sorted(path.stem for path in (PACKAGE / "schemas").glob("*.json"))
    assert {"check", "manifest", "matrix", "result", "run", "vendor"} <= set(names)
    for name in names:
        Draft202012Validator.check_schema(json.loads((PACKAGE / "schemas" / f"{name}.json").read_text("utf-8")))


def test_a_schema_is_printed_as_json_even_without_unicode() -> None:
    printed = as_json(cli("schema", "vendor", PYTHONIOENCODING="ascii"))
    assert printed == json.loads((PACKAGE / "schemas/vendor.json").read_text("utf-8"))


# -- explain


@pytest.mark.parametrize(
    ("vendor", "event"),
    [("claude", "PreToolUse"), ("codebuddy", "Stop"), ("copilot", "PreToolUse"), ("opencode", "config")],
)
def test_an_event_is_explained_with_its_losses_and_what_they_rest_on(vendor: str, event: str) -> None:
    done = cli("explain", vendor, event)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Evidence: " in done.stdout
    assert "checked against" in done.stdout
    clean(done.stdout)


# -- run


def test_the_hook_of_the_example_denies_a_write() -> None:
    data = fire(TEAM, "PreToolUse", "--vendor", "claude", "--tool", "Write", "--input", '{"file_path":"a"}')
    assert data["outcome"]["decision"] == "deny"
    assert data["outcome"]["reason"]
    assert [run["outcome"]["decision"] for run in data["runs"]] == ["deny"]
    assert data["runs"][0]["hook"]["source"].startswith(f"{TEAM}/.claude/settings.json:")


TOLD = {
    "claude": ("PreToolUse", "Write", "tool_name", "tool_input", {"file_path": "a", "content": "x"}),
    "codex": ("PreToolUse", "apply_patch", "tool_name", "tool_input", {"file_path": "a", "content": "x"}),
    "workbuddy": ("PreToolUse", "Write", "tool_name", "tool_input", {"file_path": "a", "content": "x"}),
    "copilot": ("preToolUse", "create", "toolName", "toolArgs", {"path": "a", "file_text": "x"}),
    "native": ("tool:before", "write", "tool_name", "tool_input", {"file_path": "a", "content": "x"}),
}
FILES = {
    "claude": (".claude/settings.json", grouped("PreToolUse", command("cat > told"), matcher="Write")),
    "codex": (".codex/hooks.json", grouped("PreToolUse", command("cat > told"), matcher="Write")),
    "workbuddy": (".codebuddy/settings.json", grouped("PreToolUse", command("cat > told"), matcher="Write")),
    "copilot": (
        ".github/hooks/a.json",
        {"version": 1, "hooks": {"preToolUse": [{"bash": "cat > told", "matcher": "create"}]}},
    ),
    "native": (
        ".dsh-hooks.json",
        {"version": 1, "events": {"tool:before": [{"command": "cat > told", "matcher": "write"}]}},
    ),
}


@pytest.mark.parametrize("owner", TOLD)
def test_a_vendors_own_event_and_tool_name_reach_its_hook(tmp_path: Path, owner: str) -> None:
    event, tool, name_key, input_key, arguments = TOLD[owner]
    project(tmp_path, dict([FILES[owner]]))
    call = ["--vendor", owner, "--tool", tool, "--input", json.dumps(arguments), "--bridge", "native"]
    data = fire(tmp_path, event, *call)
    assert len(data["runs"]) == 1
    assert data["canonical"] == "tool:before"
    told = json.loads((tmp_path / "told").read_text())
    assert told[name_key] == tool
    member = told[input_key]
    assert (json.loads(member) if isinstance(member, str) else member) == arguments


@pytest.mark.parametrize(
    ("event", "tool"), [("tool:before", "write"), ("PreToolUse", "Write"), ("preToolUse", "create")]
)
def test_hooks_of_several_vendors_on_one_event_become_one_outcome(tmp_path: Path, event: str, tool: str) -> None:
    two = {"permissionDecision": "deny", "permissionDecisionReason": "two"}
    project(
        tmp_path,
        {
            ".claude/settings.json": grouped("PreToolUse", command("echo one >&2; exit 2"), matcher="Write"),
            ".codebuddy/settings.json": grouped("PreToolUse", command("true"), matcher="Write"),
            ".github/hooks/a.json": {
                "version": 1,
                "hooks": {"preToolUse": [{"bash": f"echo '{json.dumps(two)}'", "matcher": "create"}]},
            },
        },
    )
    data = fire(tmp_path, event, "--tool", tool, "--input", '{"file_path": "a"}')
    assert data["outcome"]["decision"] == "deny"
    assert set(data["outcome"]["reason"].split("\n\n")) == {"one", "two"}
    assert {run["hook"]["vendor"] for run in data["runs"]} == {"claude", "copilot", "workbuddy"}


def test_without_a_tool_the_input_is_the_payload(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("UserPromptSubmit", command("cat > told"))})
    fire(tmp_path, "UserPromptSubmit", "--input", '{"prompt": "好", "session_id": "s"}')
    told = json.loads((tmp_path / "told").read_text())
    assert (told["prompt"], told["session_id"]) == ("好", "s")


def test_only_the_hooks_of_the_event_run(tmp_path: Path) -> None:
    trap = command("touch sprung")
    other = {event: [{"hooks": [trap]}] for event in ("SessionStart", "PreToolUse", "UserPromptSubmit", "SessionEnd")}
    project(
        tmp_path,
        {
            ".claude/settings.json": {"hooks": {**other, "Stop": [{"hooks": [command("touch ran")]}]}},
            ".opencode/plugin/a.js": "require('child_process').execSync('touch sprung')",
            "CLAUDE.md": "!`touch sprung`",
        },
    )
    fire(tmp_path, "Stop")
    assert (tmp_path / "ran").exists()
    assert not (tmp_path / "sprung").exists()


def test_files_that_cannot_be_read_are_named_and_no_silence(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": "{", "compat.yaml": "version: 1\npolicy: stric\n"})
    data = fire(tmp_path, "PreToolUse", "--tool", "Write")
    assert {Path(finding["file"]).name for finding in data["findings"]} == {"settings.json", "compat.yaml"}
    text = cli("run", tmp_path, "--event", "PreToolUse", "--tool", "Write")
    assert "[invalid-file]" in text.stdout


def test_a_declaration_that_does_not_run_is_named(tmp_path: Path) -> None:
    hooks = {
        "PreToolUse": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:1"}, command("exit 2")]}],
        "PreSkillShellCommand": [{"hooks": [command()]}],
    }
    project(tmp_path, {".claude/settings.json": {"hooks": hooks}})
    data = fire(tmp_path, "PreToolUse", "--tool", "Write")
    assert (data["outcome"]["decision"], len(data["runs"])) == ("deny", 1)
    assert [finding["code"] for finding in data["findings"]] == ["invalid-handler"]
    data = fire(tmp_path, "PreSkillShellCommand")
    assert [result["capability"] for result in data["unsupported"]] == ["UNSUPPORTED"]


@pytest.mark.parametrize(
    ("manifest", "argument", "decision"),
    [("vendor", [], "none"), ("strict", [], "deny"), ("strict", ["--policy", "vendor"], "none")],
    ids=["vendor", "strict", "the argument stands above the manifest"],
)
def test_the_policy_decides_what_a_hook_that_fails_does(
    tmp_path: Path, manifest: str, argument: list[str], decision: str
) -> None:
    handler = command("exec sleep 60", timeout=0.1)
    settings = grouped("PreToolUse", handler)
    project(tmp_path, {".claude/settings.json": settings, "compat.yaml": f"version: 1\npolicy: {manifest}"})
    data = fire(tmp_path, "PreToolUse", "--tool", "Write", *argument)
    assert data["outcome"]["decision"] == decision
    assert data["runs"][0]["outcome"]["problems"]


def test_a_rewrite_that_is_no_json_number_does_not_break_the_report(tmp_path: Path) -> None:
    answer = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"a":NaN,"b":1e400}}}'
    project(tmp_path, {".claude/settings.json": grouped("PreToolUse", command(f"echo '{answer}'"))})
    fire(tmp_path, "PreToolUse", "--tool", "Write", "--bridge", "native")


def test_a_hook_of_the_project_does_not_get_the_callers_secrets(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("Stop", command("env > told"))})
    done = cli("run", tmp_path, "--event", "Stop", MY_API_TOKEN="hunter2", MY_SETTING="kept")
    assert done.returncode == 0
    told = (tmp_path / "told").read_text()
    assert "hunter2" not in told
    assert "MY_SETTING=kept" in told
