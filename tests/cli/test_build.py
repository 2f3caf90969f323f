"""`dsh-compat build`: what it prints, and its exit code."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from dsh_compat_adapter.cli import main
from tests.checkout import PACKAGE
from tests.live.bundles import manifest
from tests.projects import command, grouped

HOOK = {"vendor": "claude", "event": "PreToolUse", "matcher": "Write", "handler": "sh deny.sh"}
COPILOT = {"vendor": "copilot", "event": "preToolUse", "handler": "sh deny.sh"}


def build(tmp_path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    code = main(["build", str(tmp_path / "project"), "-o", str(tmp_path / "out"), *options])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def as_json(text: str) -> Any:
    data = json.loads(text)
    Draft202012Validator(json.loads((PACKAGE / "schemas/build.json").read_text(encoding="utf-8"))).validate(data)
    return data


def test_it_prints_each_grade_with_its_losses_and_how_to_run_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest(tmp_path / "project", [COPILOT])
    code, out, err = build(tmp_path, capsys)
    assert (code, err) == (0, "")
    assert "ADAPTED copilot preToolUse by builtin-bridge" in out
    assert "loses: " in out
    assert f"dsh --patch {tmp_path / 'out/cordis.patch.yml'}" in out


def test_what_cannot_run_is_refused_with_the_reason_and_the_remedy_and_exit_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest(tmp_path / "project", [HOOK, COPILOT])
    code, out, _ = build(tmp_path, capsys)
    assert code == 1
    assert "UNSUPPORTED claude PreToolUse 'Write'" in out
    assert "[no-official-bridge]" in out
    assert "do: " in out
    assert "ADAPTED copilot preToolUse" in out


def test_bridge_native_runs_it_and_names_the_route(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest(tmp_path / "project", [HOOK])
    code, out, _ = build(tmp_path, capsys, "--bridge", "native", "--format", "json")
    data = as_json(out)
    assert (code, data["dsh"], data["seams"]) == (0, "0.2.1-rc.2", ["tools/pre-execute", "agent/pre-step"])
    assert [item["result"]["route"] for item in data["items"]] == ["native-translate"]


def test_a_project_with_nothing_in_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "project").mkdir()
    code, out, _ = build(tmp_path, capsys)
    assert code == 0
    assert "the bundle is empty" in out


@pytest.mark.parametrize(
    ("options", "says"),
    [(("--dsh", "9"), "unknown DSH version '9'"), (("--python", "nosuchprogram"), "names no program")],
)
def test_a_wrong_option_is_a_usage_error_and_writes_nothing(
    options: tuple[str, ...], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest(tmp_path / "project", [COPILOT])
    code, _, err = build(tmp_path, capsys, *options)
    assert code == 2
    assert says in err
    assert not (tmp_path / "out").exists()


def test_the_program_of_python_is_written_as_an_absolute_path(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest(tmp_path / "project", [COPILOT])
    build(tmp_path, capsys, "--python", "env python3 -X utf8")
    patch = (tmp_path / "out/cordis.patch.yml").read_text(encoding="utf-8")
    assert '/env", "python3", "-X", "utf8", "-P", "-m", "dsh_compat_adapter", "connect"]' in patch


def test_a_single_manifest_is_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = manifest(tmp_path / "project", [COPILOT]) / "compat.yaml"
    assert main(["build", str(file), "-o", str(tmp_path / "out")]) == 0
    assert "ADAPTED copilot" in capsys.readouterr().out


def test_a_hook_file_under_another_name_is_built_as_that_of_the_vendor_that_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "guard.json"
    file.write_text(json.dumps(grouped("PreToolUse", command("sh deny.sh"))))
    arguments = ["build", str(file), "-o", str(tmp_path / "out")]
    assert main(arguments) == 2
    assert "Say it with --vendor" in capsys.readouterr().err
    assert main([*arguments, "--vendor", "claude", "--bridge", "native"]) == 0
    assert "ADAPTED claude PreToolUse" in capsys.readouterr().out
