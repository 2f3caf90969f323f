"""`actions`: what runs for a handler, with placeholders as its vendor fills them, and what nobody fills.

Ids such as A19 name the case in `cases.md` that a test stands for.
"""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.declare.declaration import HookDeclaration
from dsh_compat_adapter.events import Capability
from dsh_compat_adapter.grading import Graded, grade
from dsh_compat_adapter.hooks.engine import Engine
from dsh_compat_adapter.hooks.hook import RunCommand
from dsh_compat_adapter.hooks.policy import Policy
from dsh_compat_adapter.hooks.process import LocalShell
from tests.projects import CATALOG, SURFACE

ODD = 'it\'s "x" $(touch pwned) `touch pwned`'
SHOW = "import json, sys; open(sys.argv[1], 'w').write(json.dumps(sys.argv[2:]))"


def graded(handler: object, root: Path | str = "/w", *, vendor: str = "claude", **more: Any) -> Graded:
    fields = {"bridge": "native", "plugin_root": None, **more}
    declaration = HookDeclaration(vendor=vendor, event="PreToolUse", handler=handler, **fields)
    return grade(declaration, CATALOG, SURFACE, str(root), has_shell=True)


def command(handler: object, **more: Any) -> RunCommand:
    hook = graded(handler, **more).hook
    assert hook is not None
    assert isinstance(hook.action, RunCommand)
    return hook.action


def warned(handler: object, **more: Any) -> list[str]:
    return [warning.text for warning in graded(handler, **more).result.warnings if warning.code == "placeholder-unset"]


async def shown(handler: object, root: Path, *, vendor: str = "claude", **more: Any) -> list[str]:
    """The arguments that the program of a hook was started with."""
    hook = graded(handler, root, vendor=vendor, **more).hook
    assert hook is not None
    engine = Engine(LocalShell(), policy=Policy.VENDOR, environment={"PATH": "/usr/bin:/bin"})
    values = {"session.project_dir": str(root), "tool.host_name": "bash", "tool.host_arguments": {}}
    dispatched = await engine.dispatch([hook], values, can_ask=False)
    assert dispatched.outcome.problems == ()
    shown: list[str] = json.loads((root / "shown").read_text())
    return shown


def ran_something(root: Path) -> bool:
    """Whether a shell took the name of a folder for a program."""
    return (root / "pwned").exists()


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    root = tmp_path / ODD
    root.mkdir()
    return root


async def test_arguments_reach_the_program_without_a_shell(odd: Path) -> None:
    arguments = ["a b", "", "'q'\"", "$HOME", "`x`", "*", "\n", "-n", "$CLAUDE_PROJECT_DIR", "${HOME}", "é"]
    handler = {"type": "command", "command": sys.executable, "args": ["-c", SHOW, "shown", *arguments]}
    assert await shown(handler, odd) == arguments
    assert not ran_something(odd)


async def test_placeholders_of_the_exec_form_are_replaced_in_the_program_and_in_each_argument(odd: Path) -> None:
    (odd / "python").symlink_to(sys.executable)
    handler = {
        "type": "command",
        "command": "${CLAUDE_PROJECT_DIR}/python",
        "args": ["-c", SHOW, "shown", "${CLAUDE_PROJECT_DIR}/x", "${CLAUDE_PLUGIN_ROOT}", "'${CLAUDE_PROJECT_DIR}'"],
    }
    assert await shown(handler, odd, plugin_root="/p 1") == [f"{odd}/x", "/p 1", f"'{odd}'"]


@pytest.mark.parametrize("vendor", ["claude", "codex", "workbuddy"])
async def test_a_path_of_a_plugin_stays_one_argument_in_double_quotes_whatever_its_name(vendor: str, odd: Path) -> None:
    show = shlex.join([sys.executable, "-c", SHOW, "shown"])
    handler = f'{show} "${{CLAUDE_PLUGIN_ROOT}}/h.sh"'
    assert await shown(handler, odd, vendor=vendor, plugin_root=str(odd)) == [f"{odd}/h.sh"]
    assert not ran_something(odd)


@pytest.mark.parametrize(("vendor", "name"), [("codex", "PLUGIN_ROOT"), ("workbuddy", "CODEBUDDY_PLUGIN_ROOT")])
async def test_a_vendor_that_replaces_text_fills_single_quotes_too(vendor: str, name: str, tmp_path: Path) -> None:
    """A19, A40."""
    plugin = tmp_path / "my plugin"
    plugin.mkdir()
    handler = f"{shlex.join([sys.executable, '-c', SHOW, 'shown'])} '${{{name}}}/h.sh'"
    assert await shown(handler, tmp_path, vendor=vendor, plugin_root=str(plugin)) == [f"{plugin}/h.sh"]
    assert warned(handler, vendor=vendor, plugin_root=str(plugin)) == []


def test_a_vendor_that_leaves_placeholders_to_the_shell_keeps_the_command_byte_for_byte_and_names_dead_quotes() -> None:
    """A19: the engine of the vendor was run, and does not fill single quotes either."""
    text = "sh '${CLAUDE_PLUGIN_ROOT}/h.sh'\t\"${CLAUDE_PROJECT_DIR}\""
    assert command(text, plugin_root="/p").argv[-1] == text
    assert warned(text, plugin_root="/p") == [
        "${CLAUDE_PLUGIN_ROOT} stands in single quotes, where nobody fills it in; write double quotes"
    ]


def test_a_single_quoted_path_with_more_than_blanks_is_said_not_to_be_filled() -> None:
    found = warned("sh '${PLUGIN_ROOT}/h.sh'", vendor="codex", plugin_root="/p/$x")
    assert [text.split(" stands")[0] for text in found] == ["${PLUGIN_ROOT}"]


@pytest.mark.parametrize(
    ("vendor", "handler", "name"),
    [
        ("codex", "node ${PLUGIN_ROOT}/dist/x.js", "PLUGIN_ROOT"),  # A30
        ("codex", 'node "$CLAUDE_PLUGIN_ROOT/dist/x.js"', "CLAUDE_PLUGIN_ROOT"),
        ("copilot", "pwsh ${workspaceFolder}/x.ps1", "workspaceFolder"),  # A50
        ("claude", "echo $CLAUDE_TOOL_INPUT | jq .", "CLAUDE_TOOL_INPUT"),  # A07
        ("claude", "npx flow ${CLAUDE_FLOW_MODE}", "CLAUDE_FLOW_MODE"),  # A10
        ("claude", {"type": "command", "command": "node", "args": ["${CLAUDE_PLUGIN_ROOT}/x"]}, "CLAUDE_PLUGIN_ROOT"),
    ],
)
def test_a_variable_that_nobody_sets_is_a_warning_at_registration(vendor: str, handler: object, name: str) -> None:
    event = "preToolUse" if vendor == "copilot" else "PreToolUse"
    declaration = HookDeclaration(vendor=vendor, event=event, handler=handler, bridge="native")
    result = grade(declaration, CATALOG, SURFACE, "/w", has_shell=True).result
    assert [(w.code, name in w.text) for w in result.warnings] == [("placeholder-unset", True)]


def test_what_the_dialect_the_declaration_or_the_command_sets_is_no_finding() -> None:
    text = "TOOL_X=1; echo $TOOL_X $CLAUDE_PROJECT_DIR ${CLAUDE_SESSION:-none} $CLAUDE_MINE $HOME"
    assert warned(text, env={"CLAUDE_MINE": "1"}) == []


async def test_on_a_bridge_the_variables_of_a_plugin_stand_in_the_command(odd: Path) -> None:
    """Its configuration has no place for an environment, and an empty root would switch the guard off."""
    show = shlex.join([sys.executable, "-c", SHOW, "shown"])
    handler = f'{show} "$CLAUDE_PLUGIN_ROOT"'
    assert await shown(handler, odd, bridge="official", plugin_root=str(odd)) == [str(odd)]
    assert warned(handler, bridge="official", plugin_root=str(odd)) == []


@pytest.mark.parametrize(
    ("vendor", "option", "value"), [("claude", "args", ["x"]), ("claude", "args", []), ("codex", "async", True)]
)
def test_what_a_bridge_cannot_run_is_unsupported_there_and_runs_natively(
    vendor: str, option: str, value: object
) -> None:
    handler = {"type": "command", "command": "sh", option: value}
    refused = graded(handler, vendor=vendor, bridge="official")
    assert (refused.result.capability, refused.result.code) == (Capability.UNSUPPORTED, "bridge-refuses-handler")
    assert refused.hook is None
    assert graded(handler, vendor=vendor).hook is not None


def test_a_bridge_waits_for_the_asynchronous_hooks_that_it_runs() -> None:
    handler = {"type": "command", "command": "true", "async": True}
    official, native = graded(handler, bridge="official").hook, graded(handler).hook
    assert official is not None
    assert native is not None
    assert (official.detached, native.detached) == (False, True)


def test_every_bridge_refuses_only_options_that_its_vendor_knows() -> None:
    for vendor in Catalog.load().vendors.values():
        for option in vendor.bridge.refuses if vendor.bridge else ():
            assert option in vendor.dialect.handlers.options
