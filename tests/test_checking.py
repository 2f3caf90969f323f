"""`checking`: what will happen to every hook and rule of a project, without running any of it."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import dsh_compat_adapter
from dsh_compat_adapter.checking import Checked, Item, check
from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.findings import Finding
from dsh_compat_adapter.events import Capability
from tests.projects import CATALOG, SURFACE, command, fifo, grouped, on_disk, project

SCHEMAS = Path(dsh_compat_adapter.__file__).parent / "schemas"
VALIDATOR = Draft202012Validator(json.loads((SCHEMAS / "check.json").read_text("utf-8")))
TRAP = "touch sprung"
# a file of every kind that `check` opens, each of which would leave a trace if anything ran it
TRAPS: dict[str, object] = {
    ".claude/settings.json": grouped("SessionStart", command(TRAP)),
    ".codex/hooks.json": grouped("SessionStart", command(TRAP)),
    ".codex/config.toml": f"notify = ['sh', '-c', '{TRAP}']\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = '{TRAP}'\n",
    ".codex/rules/default.rules": f"import os\nos.system('{TRAP}')\nprefix_rule(pattern=['git'], decision='allow')\n",
    ".github/hooks/guard.json": {"version": 1, "hooks": {"sessionStart": [{"bash": TRAP}]}},
    ".codebuddy/settings.json": grouped("SessionStart", command(TRAP)),
    ".dsh-hooks.json": {"version": 1, "events": {"session:start": [{"command": TRAP}]}},
    "opencode.json": {"plugin": ["./evil.js"]},
    "evil.js": f"require('child_process').execSync('{TRAP}')",
    ".opencode/plugins/guard.js": f"require('child_process').execSync('{TRAP}')\nexport default () => ({{ event() {{}} }})",
    ".opencode/plugins/guard.ts": f"require('child_process').execSync('{TRAP}')\nexport default () => ({{ event() {{}} }})",
    "compat.yaml": f"version: 1\nhooks: [{{vendor: claude, event: Stop, handler: '{TRAP}'}}]\n",
    "CLAUDE.md": f"@AGENTS.md\n\n!`{TRAP}`\n$({TRAP})\n",
    "AGENTS.md": f"Run `{TRAP}` at every start.\n",
    ".claude/rules/shell.md": f"---\npaths: $({TRAP})\n---\n!`{TRAP}`\n",
    "package.json": {"scripts": {"postinstall": TRAP}},
    "conftest.py": f"import os\nos.system('{TRAP}')\n",
    "sitecustomize.py": f"import os\nos.system('{TRAP}')\n",
    "yaml.py": f"import os\nos.system('{TRAP}')\n",
    ".envrc": TRAP,
}


def checked(root: Path) -> Checked:
    return check(root, CATALOG, SURFACE)


def by_code(found: Checked, code: str) -> Finding:
    [finding] = [finding for finding in found.findings if finding.code == code]
    return finding


def only(found: Checked) -> Item:
    [item] = found.items
    return item


def test_every_hook_and_rule_is_an_item_with_its_grade_and_place(tmp_path: Path) -> None:
    project(
        tmp_path,
        {
            ".claude/settings.json": grouped("PreToolUse", command(), matcher="Write"),
            ".opencode/plugins/a.js": "export default () => ({ event: async () => {} })",
            "GEMINI.md": "x",
        },
    )
    found = checked(tmp_path)
    assert [
        (item.name, item.matcher, item.result and item.result.capability, os.path.relpath(item.where.file, tmp_path))
        for item in found.items
    ] == [
        ("claude PreToolUse", "Write", Capability.ADAPTED, ".claude/settings.json"),
        ("copilot rules", None, Capability.CARRY, "GEMINI.md"),
        ("opencode event", None, Capability.UNSUPPORTED, ".opencode/plugins/a.js"),
    ]
    assert found.items[0].where.line == 1


EVENTS = ["PreToolUse", "PostToolUse", "SessionStart", "TeammateIdle", "TaskCompleted", "ConfigChange", "Setup", "Stop"]


def test_no_event_vanishes_from_the_check(tmp_path: Path) -> None:
    hooks = {event: [{"hooks": [command()]}] for event in [*EVENTS, "PreSkillShellCommand", "NoSuchEvent"]}
    project(tmp_path, {".claude/settings.json": {"hooks": hooks}})
    found = checked(tmp_path)
    grades = {item.name.split()[1]: item.result.capability if item.result else None for item in found.items}
    assert grades == {
        **dict.fromkeys(EVENTS, Capability.ADAPTED),
        "PreSkillShellCommand": Capability.UNSUPPORTED,
        "NoSuchEvent": None,
    }


def test_an_event_that_no_host_knows_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    entries = [{"bash": "true"}]
    project(
        tmp_path, {".github/hooks/a.json": {"version": 1, "hooks": {"postSession": entries, "preToolUse": entries}}}
    )
    found = checked(tmp_path)
    finding = by_code(found, "unknown-event")
    assert "has no event 'postSession'. Did you mean 'sessionEnd'?" in finding.message
    assert [item.result is None for item in found.items] == [True, False]


def test_an_unsupported_event_says_why_and_is_an_error(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("PreSkillShellCommand", command())})
    found = checked(tmp_path)
    result = only(found).result
    assert result is not None
    assert (result.capability, result.executable) == (Capability.UNSUPPORTED, False)
    finding = by_code(found, str(result.code))
    assert finding.severity is Severity.ERROR
    assert str(result.reason) in finding.message


@pytest.mark.parametrize(
    ("matcher", "code", "says"),
    [
        ("(", "invalid-matcher", "'(' is no valid pattern, so it never matches"),
        ("*x*", "invalid-matcher", "'*x*' is no valid pattern, so it never matches"),
        (5, "invalid-matcher", "matcher must be a string, found a number: 5"),
        ({"toolName": "bash"}, "invalid-matcher", "matcher must be a string, found an object: {'toolName': 'bash'}"),
        (["Write"], "invalid-matcher", "matcher must be a string, found a list: ['Write']"),
        (True, "invalid-matcher", "matcher must be a string, found a boolean: True"),
        ("Bash(git push*)", "matcher-never-fires", "write 'Bash' and decide about the rest in the hook"),
        ("bash", "matcher-never-fires", "Did you mean 'Bash'?"),
        ("Writ", "matcher-never-fires", "Did you mean 'Write'?"),
        ("x" * 5000, "matcher-never-fires", "selects no known tool"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_a_matcher_that_selects_nothing_is_a_finding_at_its_hook(
    tmp_path: Path, matcher: object, code: str, says: str
) -> None:
    project(tmp_path, {".claude/settings.json": grouped("PreToolUse", command(), matcher=matcher)})
    finding = by_code(checked(tmp_path), code)
    assert says in finding.message
    assert finding.where.line == 1
    assert finding.where.column is not None
    assert len(finding.message) < 600


@pytest.mark.parametrize(
    "matcher", [None, "", "*", "Write", "rit.", "^(Edit|Write)$", "mcp__.*", "Edit,Write"], ids=repr
)
def test_a_matcher_that_may_select_something_is_no_finding(tmp_path: Path, matcher: object) -> None:
    project(tmp_path, {".claude/settings.json": grouped("PreToolUse", command(), matcher=matcher)})
    found = checked(tmp_path)
    assert found.findings == ()
    assert only(found).matcher == matcher


def test_a_null_matcher_is_not_shown_as_a_text(tmp_path: Path) -> None:
    project(tmp_path, {".codex/hooks.json": grouped("PreToolUse", command(), matcher=None)})
    found = checked(tmp_path)
    assert only(found).to_dict()["matcher"] is None
    assert found.findings == ()


def test_a_matcher_where_the_event_has_none_is_a_warning(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("UserPromptSubmit", command(), matcher="never")})
    finding = by_code(checked(tmp_path), "matcher-ignored")
    assert finding.severity is Severity.WARNING
    assert "the hook always runs" in finding.message


@pytest.mark.parametrize("kind", ["http", "prompt", "agent", "mcp_tool", "funktion", None, 5])
def test_a_handler_of_another_kind_is_refused_and_nothing_secret_of_it_is_repeated(
    tmp_path: Path, kind: object
) -> None:
    handler = {
        "type": kind,
        "url": "https://u:hunter2@example.invalid/$HOOK_URL",
        "headers": {"Authorization": "Bearer hunter2"},
        "allowedEnvVars": ["T"],
        "prompt": "hunter2",
        "timeout": 5,
    }
    project(tmp_path, {".claude/settings.json": grouped("PreToolUse", handler, command())})
    found = checked(tmp_path)
    assert by_code(found, "invalid-handler").severity is Severity.ERROR
    assert [item.result is None for item in found.items] == [True, False]
    assert "hunter2" not in json.dumps(found.to_dict())


@pytest.mark.parametrize(
    "timeout", ["0", "-1", "NaN", "true", '"5"', "1e400", "[]", "{}", "9" * 400], ids=lambda text: text[:8]
)
def test_a_time_limit_that_is_no_positive_number_refuses_the_hook_and_only_it(tmp_path: Path, timeout: str) -> None:
    bad = f'{{"type": "command", "command": "true", "timeout": {timeout}}}'
    good = '{"type": "command", "command": "true", "timeout": 0.5}'
    project(tmp_path, {".claude/settings.json": f'{{"hooks": {{"Stop": [{{"hooks": [{bad},\n {good}]}}]}}}}'})
    found = checked(tmp_path)
    finding = by_code(found, "invalid-handler")
    assert "timeout must be a number of seconds above 0" in finding.message
    assert finding.where.line == 1
    assert [item.result is None for item in found.items] == [True, False]


def test_an_option_that_has_no_effect_is_named(tmp_path: Path) -> None:
    handler = command(blocking=True, timeout_ms=5, **{"async": True})
    project(tmp_path, {".claude/settings.json": grouped("Stop", handler)})
    found = [(finding.code, finding.message) for finding in checked(tmp_path).findings if "option" in finding.message]
    assert [code for code, _ in found] == ["option-unknown", "option-unknown", "background-decides-nothing"]
    assert [message.split("'")[1] for _, message in found] == ["blocking", "timeout_ms", "async"]
    assert "Did you mean 'timeout'?" in found[1][1]


def test_an_argv_list_is_refused_and_never_joined(tmp_path: Path) -> None:
    project(tmp_path, {".claude/settings.json": grouped("Stop", command(command=["sh", "-c", "true"]))})
    found = checked(tmp_path)
    assert only(found).result is None
    assert "needs one of command as a string" in by_code(found, "invalid-handler").message


def test_rules_are_carried_with_hash_and_size_and_a_listed_loss(tmp_path: Path) -> None:
    text = "\ufeffUse tabs.\n".encode()
    project(tmp_path, {"GEMINI.md": text})
    result = only(checked(tmp_path)).result
    assert result is not None
    [file] = result.files
    assert (file.path, file.bytes) == (str(tmp_path / "GEMINI.md"), len(text))
    assert file.sha256 == hashlib.sha256(text).hexdigest()
    assert result.degradations


def test_rules_that_cannot_be_carried_are_findings_of_their_file(tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("secret")
    root = tmp_path / "project"
    project(
        root, {".claude/rules/a.md": b"\xff\xfe", ".claude/rules/b.md": b"x" * 2_000_000, ".claude/rules/[id].md": "x"}
    )
    (root / ".claude/rules/c.md").symlink_to(outside)
    fifo(root / ".claude/rules/d.md")
    found = checked(root)
    assert {(Path(finding.where.file).name, finding.code) for finding in found.findings} == {
        ("a.md", "not-text"),
        ("b.md", "too-large"),
        ("c.md", "outside-base-dir"),
        ("d.md", "invalid-file"),
    }
    carried = [item for item in found.items if item.result is not None]
    assert [Path(item.where.file).name for item in carried] == ["[id].md"]


def test_a_broken_manifest_is_one_error_with_its_place_and_other_files_are_still_checked(tmp_path: Path) -> None:
    project(tmp_path, {"compat.yaml": "version: 1\nversion: 1\n", ".codex/hooks.json": grouped("Stop", command())})
    found = checked(tmp_path)
    assert str(by_code(found, "invalid-file").where) == f"{tmp_path / 'compat.yaml'}:2:1"
    assert len(found.items) == 1


def test_the_entries_of_a_manifest_are_graded_one_by_one_at_their_lines(tmp_path: Path) -> None:
    text = (
        "version: 1\nhooks:\n"
        "  - {vendor: claud, event: Stop, handler: 'true'}\n"
        "  - {vendor: claude, event: Stop, handler: 'true'}\n"
        "rules:\n"
        "  - {vendor: codex, source: ../x.md}\n"
        "  - {vendor: codex, source: no.md}\n"
    )
    project(tmp_path / "p", {"compat.yaml": text})
    (tmp_path / "x.md").write_text("x")
    found = checked(tmp_path / "p")
    assert [(finding.code, finding.where.line) for finding in found.findings] == [
        ("unknown-vendor", 3),
        ("outside-base-dir", 6),
        ("rules-not-found", 7),
    ]
    assert "Did you mean 'claude'?" in found.findings[0].message


def test_an_empty_project_has_nothing_to_say(tmp_path: Path) -> None:
    found = checked(tmp_path)
    assert (found.files, found.items, found.findings) == ((), (), ())
    assert set(found.counts().values()) == {0}


def test_the_counts_are_those_of_the_lists(tmp_path: Path) -> None:
    hooks = {event: [{"hooks": [command()]}] for event in ("Stop", "PreSkillShellCommand", "Nope")}
    project(tmp_path, {".claude/settings.json": {"hooks": hooks}, "GEMINI.md": "x"})
    assert checked(tmp_path).counts() == {
        "files": 2,
        "adapted": 1,
        "carried": 1,
        "unsupported": 1,
        "refused": 1,
        "errors": 2,
        "warnings": 0,
        "notes": 0,
        "ignored": 0,
    }


def test_a_finding_that_the_manifest_ignores_is_counted_apart(tmp_path: Path) -> None:
    hooks = {"Nope": [{"hooks": [command()]}], "Stop": [{"matcher": "x", "hooks": [command()]}]}
    manifest = "version: 1\nignore: [unknown-event]"
    found = checked(project(tmp_path, {".claude/settings.json": {"hooks": hooks}, "compat.yaml": manifest}))
    assert [finding.code for finding in found.findings] == ["matcher-ignored"]
    assert [finding.code for finding in found.ignored] == ["unknown-event"]
    assert (found.counts()["errors"], found.counts()["ignored"]) == (0, 1)


def test_progress_is_told_after_each_hook_and_each_rules_file(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    project(tmp_path, {".claude/settings.json": grouped("Stop", command(), command()), "GEMINI.md": "x"})
    check(tmp_path, CATALOG, SURFACE, progress=lambda done, every: told.append((done, every)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_nothing_of_the_tree_is_executed_imported_or_written(tmp_path: Path) -> None:
    """An audit hook ends the interpreter at the first process, the first import from the tree, the first write."""
    project(tmp_path, TRAPS)
    program = """
import os, sys, pathlib
root = pathlib.Path(sys.argv[1])
os.chdir(root)
STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.spawn")
def audit(event, arguments):
    path = arguments[0] if arguments else None
    writes = event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    if event in STARTS or event.startswith(("os.remove", "os.rename", "os.mkdir", "socket.")) or writes:
        os.write(2, f"{event} {arguments}".encode())
        os._exit(99)
import dsh_compat_adapter
from dsh_compat_adapter.checking import check
from dsh_compat_adapter.catalog.load import Catalog
catalog = Catalog.load()
sys.addaudithook(audit)
found = check(root, catalog, catalog.surfaces["embedded-0.1"])
loaded = [name for name, one in sys.modules.items() if str(getattr(one, "__file__", "")).startswith(str(root))]
print(found.counts()["files"], loaded)
"""
    package = Path(dsh_compat_adapter.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-P", "-B", "-c", program, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    files, loaded = done.stdout.split(" ", 1)
    assert int(files) >= 12
    assert loaded.strip() == "[]"
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()) == sorted(TRAPS)


def test_each_trap_is_really_read(tmp_path: Path) -> None:
    """The test above would prove nothing about a file that `check` never opens."""
    project(tmp_path, TRAPS)
    read = {os.path.relpath(file, tmp_path) for file in checked(tmp_path).files}
    never_read = {"evil.js", "package.json", "conftest.py", "sitecustomize.py", "yaml.py", ".envrc"}
    assert read == set(TRAPS) - never_read


json_like: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=4)
    | st.sampled_from(["Write", "(", "*"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["type", "command", "timeout", "env", "cwd", "matcher", "bash"]), inner, max_size=4
        )
    ),
    max_leaves=6,
)
handlers = json_like | st.builds(
    lambda more: {**command(), **more},
    st.dictionaries(
        st.sampled_from(["timeout", "timeoutSec", "env", "cwd", "async", "if", "type"]), json_like, max_size=2
    ),
)
names = st.sampled_from(["PreToolUse", "preToolUse", "Stop", "SessionStart", "agentStop", "PreSkillShellCommand", "x"])
hook_files = st.dictionaries(
    names,
    st.lists(handlers | st.fixed_dictionaries({"matcher": json_like, "hooks": st.lists(handlers, max_size=2)})),
    max_size=2,
)


@on_disk
@given(
    files=st.dictionaries(
        st.sampled_from(
            [".claude/settings.json", ".codex/hooks.json", ".github/hooks/a.json", ".codebuddy/settings.json"]
        ),
        hook_files,
        max_size=3,
    )
)
def test_any_project_is_checked_and_the_report_is_json_of_its_schema(tmp_path: Path, files: dict[str, Any]) -> None:
    for path in tmp_path.rglob("*.json"):
        path.unlink()
    project(tmp_path, {name: {"hooks": hooks} for name, hooks in files.items()})
    found = checked(tmp_path)
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    VALIDATOR.validate(data)
    refused = [item for item in found.items if item.result is None]
    errors = [finding for finding in found.findings if finding.severity is Severity.ERROR]
    assert len(refused) <= len(errors)
    for item in found.items:
        assert item.result is None or item.result.capability is not Capability.DIRECT
        assert item.result is None or item.result.degradations or item.result.reason
    for finding in found.findings:
        assert finding.where.file in found.files
        assert finding.where.line is not None
        assert finding.where.column is not None
        assert finding.message


def test_a_variable_that_nobody_sets_is_a_finding(tmp_path: Path) -> None:
    """A30: the root of a plugin, in a file of a project."""
    files = {".codex/hooks.json": grouped("PreToolUse", command("node ${PLUGIN_ROOT}/dist/x.js"))}
    checked = check(project(tmp_path, files), CATALOG, SURFACE)
    assert [finding.code for finding in checked.findings if finding.severity is not Severity.NOTE] == [
        "placeholder-unset"
    ]


@pytest.mark.parametrize(
    ("manifest", "named"),
    [
        ("version: 1\n", True),
        ("version: 1\npolicy: vendor\n", True),
        ("version: 1\npolicy: strict\n", False),
    ],
    ids=["no policy", "vendor", "strict"],
)
def test_a_guard_that_would_fail_open_is_named_unless_the_policy_makes_it_fail_closed(
    tmp_path: Path, manifest: str, *, named: bool
) -> None:
    guard = grouped("PreToolUse", command("echo no >&2; exit 2"))
    found = check(project(tmp_path, {".claude/settings.json": guard, "compat.yaml": manifest}), CATALOG, SURFACE)
    assert ("fails-open" in [finding.code for finding in found.findings]) is named


@pytest.mark.parametrize(
    "text",
    [
        "exit 2",
        "grep -q x ||  exit  2",
        "python3 -c 'import sys; sys.exit(2 if sys.argv[1:] else 0)'",
        "python3 -c 'raise SystemExit(2)'",
        "node -e 'process.exitCode = 2'",
        """echo '{"decision": "block", "reason": "no"}'""",
        """echo "{\\"decision\\":\\"deny\\"}" """,
        """node -e 'console.log(JSON.stringify({decision: "block"}))'""",
        """python3 -c 'print(__import__("json").dumps(dict(behavior="deny")))'""",
    ],
)
def test_a_hook_that_refuses_is_known_by_whatever_says_so(tmp_path: Path, text: str) -> None:
    found = check(project(tmp_path, {".claude/settings.json": grouped("PreToolUse", command(text))}), CATALOG, SURFACE)
    assert "fails-open" in [finding.code for finding in found.findings]


@pytest.mark.parametrize("text", ["exit 20", "exit 1", "echo decision: blocked", "echo 'the decision is made'"])
def test_one_that_does_not_is_not_taken_for_one(tmp_path: Path, text: str) -> None:
    found = check(project(tmp_path, {".claude/settings.json": grouped("PreToolUse", command(text))}), CATALOG, SURFACE)
    assert "fails-open" not in [finding.code for finding in found.findings]
