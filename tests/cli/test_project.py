"""`dsh-compat validate`, `list` and `dump`: what a project's files have wrong, which they are, and what would run."""

import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from dsh_compat_adapter.cli import main
from tests.checkout import PACKAGE, ROOT
from tests.projects import BOM, command, grouped, project, without_home

COMMANDS = ["validate", "list", "dump"]
NATIVE = {
    "version": 1,
    "events": {
        "tool:before": [
            {"command": "true", "matcher": "bash", "timeout": 5, "onError": "block"},
            {"type": "webhook", "url": "https://ci.example.invalid/x", "headers": {"Authorization": "Bearer $KEY"}},
            {
                "type": "oracle",
                "baseUrl": "https://llm.example.invalid/v1",
                "prompt": "judge",
                "model": "m",
                "keyVariable": "KEY",
            },
            {"type": "proxy", "command": "runner", "prompt": "judge"},
        ]
    },
}


class Done(NamedTuple):
    code: int
    out: str
    err: str


class Cli:
    """The command line in this process, with the user's files below `home`."""

    def __init__(self, root: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self.home = home
        self._capsys = capsys

    def __call__(self, name: str, *arguments: str | Path) -> Done:
        code = main([name, "--root", str(self.root), "--home", str(self.home), *map(str, arguments)])
        return Done(code, *self._capsys.readouterr())

    def json(self, name: str, *arguments: str | Path) -> Any:
        """The document of a command, which is one of its published schema."""
        data = json.loads(self(name, "--format", "json", *arguments).out)
        Draft202012Validator(json.loads((PACKAGE / f"schemas/{name}.json").read_text("utf-8"))).validate(data)
        return data


@pytest.fixture
def cli(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Cli:
    (tmp_path / "root").mkdir()
    return Cli(tmp_path / "root", tmp_path / "home", capsys)


@pytest.mark.parametrize("name", COMMANDS)
def test_an_empty_project_is_fine(cli: Cli, name: str) -> None:
    done = cli(name)
    assert (done.code, done.err) == (0, "")
    assert done.out
    assert cli.json(name)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_example_of_a_team_can_be_shown(cli: Cli, name: str) -> None:
    cli.root = ROOT / "examples/team"
    done = cli(name)
    assert (done.code, done.err) == (1 if name == "validate" else 0, "")
    assert cli.json(name)


@pytest.mark.parametrize("name", [*COMMANDS, "listen"])
def test_they_all_take_the_same_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([name, "--help"])
    text = capsys.readouterr().out
    for option in (
        "--root",
        "--home",
        "--config",
        "--vendor",
        "--bridge {official,native}",
        "--policy {vendor,strict}",
    ):
        assert option in text


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--root", "nowhere"), "'nowhere' is no folder; give the folder of a project"),
        (("--config", "nowhere.json"), "'nowhere.json' is no file"),
        (("--config", __file__), "whose file is "),
        (("--config", __file__, "--vendor", "claud"), "Did you mean 'claude'?"),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_a_call_that_names_something_wrong_is_exit_2(
    cli: Cli, name: str, arguments: tuple[str, ...], says: str
) -> None:
    done = cli(name, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("dsh-compat: ")
    assert says in done.err
    assert done.err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="an account of Windows always has a home")
@pytest.mark.parametrize("name", COMMANDS)
def test_an_account_without_a_home_has_the_files_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    without_home(monkeypatch)
    project(tmp_path, {".claude/settings.json": grouped("Stop", command())})
    assert main([name, "--root", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


# -- validate


def test_validate_names_file_line_place_and_code_of_each_finding(cli: Cli) -> None:
    text = '{\n  "hooks": {\n    "Stopp": [{"hooks": [{"type": "command", "command": "true"}]}]\n  }\n}\n'
    project(cli.root, {".claude/settings.json": text})
    done = cli("validate")
    assert done.code == 1
    assert f"{cli.root}/.claude/settings.json:3:" in done.out.replace("\n  ", " ")
    assert "[unknown-event]" in done.out
    (finding,) = cli.json("validate")["findings"]
    assert (finding["code"], finding["severity"], finding["line"]) == ("unknown-event", "error", 3)
    assert finding["file"] == str(cli.root / ".claude/settings.json")


def test_validate_lists_what_cannot_run_with_its_reason(cli: Cli) -> None:
    project(cli.root, {".opencode/plugins/a.js": "export const A = async () => ({event: async () => {}})"})
    done = cli("validate")
    assert done.code == 1
    assert "unsupported: opencode event: " in done.out
    assert {entry["code"] for entry in cli.json("validate")["unsupported"]} == {"handler-is-code"}


@pytest.mark.parametrize(
    ("settings", "severity", "code"),
    [
        (grouped("Stop", command("true")), None, 0),
        ({"disableAllHooks": True, **grouped("Stop", command("true"))}, "note", 0),
        (grouped("PreToolUse", command("true"), matcher="bash"), "warning", 1),
        ("{", "error", 1),
        ({"hooks": None}, "error", 1),
        ({"hooks": []}, "error", 1),
        (BOM + b'{"hooks": {} /* none */}', "warning", 1),
    ],
    ids=["fine", "a note", "a warning", "an error", "hooks: null", "hooks: []", "BOM and comment"],
)
def test_validate_is_exit_1_from_a_warning_on(cli: Cli, settings: object, severity: str | None, code: int) -> None:
    project(cli.root, {".claude/settings.json": settings})
    assert cli("validate").code == code
    severities = {finding["severity"] for finding in cli.json("validate")["findings"]}
    assert severities == ({severity} if severity else set())


def test_validate_counts_what_is_ready(cli: Cli) -> None:
    project(cli.root, {".claude/settings.json": grouped("Stop", command("true"), command("false"))})
    assert cli("validate").out == "2 hooks ready, 0 unsupported, 0 findings\n"


# -- list


def test_list_names_the_files_in_the_order_in_which_they_count(cli: Cli) -> None:
    hooks = grouped("Stop", command("true"))
    project(cli.home, {".claude/settings.json": hooks})
    project(cli.root, {".claude/settings.json": hooks, ".claude/settings.local.json": hooks})
    expected = [
        str(cli.home / ".claude/settings.json"),
        str(cli.root / ".claude/settings.json"),
        str(cli.root / ".claude/settings.local.json"),
    ]
    assert cli("list").out.splitlines() == expected
    assert cli.json("list") == {"files": expected}


def test_list_says_when_there_is_no_file(cli: Cli) -> None:
    assert cli("list").out == "no hook file, rules file or compat.yaml was found\n"
    assert cli.json("list") == {"files": []}


def test_list_shows_a_name_that_is_no_text_without_harm(cli: Cli) -> None:
    project(cli.root, {".github/hooks/a.json": {"version": 1, "hooks": {}}})
    (cli.root / ".github/hooks/a.json").rename(cli.root / ".github/hooks" / os.fsdecode(b"\x1b[31m\xff.json"))
    out = cli("list").out
    assert "\x1b" not in out
    assert out.endswith("\\x1b[31m\\udcff.json\n")
    assert cli.json("list")["files"][0].endswith("\udcff.json")


def test_a_named_file_is_the_only_one(cli: Cli) -> None:
    project(cli.root, {".claude/settings.json": grouped("Stop", command("true"))})
    config = project(cli.root / "else", {".dsh-hooks.json": NATIVE}) / ".dsh-hooks.json"
    assert cli.json("list", "--config", config) == {"files": [str(config)]}
    assert {hook["vendor"] for hook in cli.json("dump", "--config", config)["hooks"]} == {"native"}


# -- dump


def test_dump_shows_every_hook_that_would_run_in_order(cli: Cli) -> None:
    project(cli.home, {".claude/settings.json": grouped("PreToolUse", command("user"), matcher="Write")})
    project(cli.root, {".claude/settings.json": grouped("PreToolUse", command("project", timeout=5))})
    assert cli("dump").out.splitlines() == [
        "failure policy: vendor",
        "claude PreToolUse matcher 'Write': user (600 s)",
        "claude PreToolUse: project (5 s)",
    ]
    first, second = cli.json("dump")["hooks"]
    assert (first["handler"], first["matcher"], first["timeout_s"]) == ("user", "Write", 600)
    assert (second["handler"], second["matcher"], second["timeout_s"]) == ("project", None, 5)
    assert first["source"].startswith(f"{cli.home}/.claude/settings.json:1:")
    assert first["canonical"] == "tool:before"
    assert first["id"] != second["id"]


def test_dump_shows_handlers_of_every_kind_without_keys_and_headers(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY", "s3cret")
    project(cli.root, {".dsh-hooks.json": NATIVE})
    text, data = cli("dump").out, cli.json("dump")
    assert [(hook["handler"], hook["timeout_s"], hook["on_error"]) for hook in data["hooks"]] == [
        ("true", 5, "block"),
        ("POST https://ci.example.invalid/x", 600, None),
        ("ask m at https://llm.example.invalid/v1", 30, None),
        ("runner", 60, None),
    ]
    for shown in (text, json.dumps(data)):
        assert "s3cret" not in shown
        assert "Bearer" not in shown


def test_dump_leaves_out_what_cannot_run_and_what_is_switched_off(cli: Cli) -> None:
    project(
        cli.root,
        {
            ".claude/settings.json": {"disableAllHooks": True, **grouped("Stop", command("true"))},
            ".codex/hooks.json": grouped("Stop", command("kept"), {"type": "http", "url": "https://x.invalid"}),
        },
    )
    assert [hook["handler"] for hook in cli.json("dump")["hooks"]] == ["kept"]


@pytest.mark.parametrize(
    ("arguments", "routes"),
    [((), {"official-bridge"}), (("--bridge", "native"), {"native-translate"})],
    ids=["by default", "native"],
)
def test_dump_shows_the_route_that_was_chosen(cli: Cli, arguments: tuple[str, ...], routes: set[str]) -> None:
    project(cli.root, {".claude/settings.json": grouped("PreToolUse", command("true"))})
    assert {hook["route"] for hook in cli.json("dump", *arguments)["hooks"]} == routes


@pytest.mark.parametrize(
    ("arguments", "manifest", "policy"),
    [
        ((), None, "vendor"),
        (("--policy", "strict"), None, "strict"),
        ((), "strict", "strict"),
        (("--policy", "vendor"), "strict", "vendor"),
    ],
)
def test_dump_shows_the_failure_policy_of_the_option_or_else_of_the_manifest(
    cli: Cli, arguments: tuple[str, ...], manifest: str | None, policy: str
) -> None:
    if manifest:
        project(cli.root, {"compat.yaml": f"version: 1\npolicy: {manifest}\n"})
    assert cli.json("dump", *arguments)["policy"] == policy
    assert cli("dump", *arguments).out.startswith(f"failure policy: {policy}\n")


def test_a_command_with_control_characters_is_shown_without_harm(cli: Cli) -> None:
    project(cli.root, {".claude/settings.json": grouped("Stop", command("echo \x1b[31m\n\u202eover"))})
    assert "\\x1b[31m\\n\\u202eover" in cli("dump").out
    assert cli.json("dump")["hooks"][0]["handler"] == "echo \x1b[31m\n\u202eover"
