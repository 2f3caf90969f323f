"""`grading`: what a declaration comes to on a host, and the hook to run if it comes to one."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.catalog.model import Row, Vendor
from dsh_compat_adapter.catalog.surface import Surface
from dsh_compat_adapter.declare.declaration import HookDeclaration
from dsh_compat_adapter.errors import Where
from dsh_compat_adapter.events import Capability, Route
from dsh_compat_adapter.grading import Graded, grade
from dsh_compat_adapter.hooks.hook import AskOracle, Hook, PostWebhook, RunCommand
from dsh_compat_adapter.hooks.policy import OnError
from tests.projects import CATALOG, SURFACE, command, vendor

HERE = Where("settings.json", 4, 7)
ROOT = "/project"
VENDORS = [*CATALOG.vendors.values(), CATALOG.native]
ROWS = [(one, row) for one in VENDORS for row in one.rows.values()]
NO_BRIDGES = CATALOG.surfaces["dsh-0.2.1-rc.2"]
# the class of a callable is what a Python caller passes by mistake as often as a function
CALLABLES = [lambda payload: payload, print, dict, Path.exists]


def declared(owner: object = "claude", event: object = "PreToolUse", **more: Any) -> HookDeclaration:
    return HookDeclaration(**{"vendor": owner, "event": event, "handler": command(), "where": HERE, **more})


def graded(declaration: HookDeclaration, surface: Surface = SURFACE, *, has_shell: bool = True) -> Graded:
    return grade(declaration, CATALOG, surface, ROOT, has_shell=has_shell)


def hook(declaration: HookDeclaration) -> Hook:
    found = graded(declaration).hook
    assert found is not None
    return found


def action(declaration: HookDeclaration) -> RunCommand:
    found = hook(declaration).action
    assert isinstance(found, RunCommand)
    return found


def refused(declaration: HookDeclaration) -> CompatError:
    with pytest.raises(CompatError) as caught:
        graded(declaration)
    return caught.value


@pytest.mark.parametrize(("owner", "row"), ROWS, ids=[f"{one.name}-{row.event}" for one, row in ROWS])
def test_every_row_is_graded_as_the_catalog_says(owner: Vendor, row: Row) -> None:
    for surface in CATALOG.surfaces.values():
        for bridge in ("official", "native"):
            result, made = vars_of(graded(declared(owner.name, row.event, bridge=bridge), surface))
            assert result.capability is not Capability.DIRECT
            assert (made is not None) is result.executable is (result.capability is Capability.ADAPTED)
            if made is None:
                assert result.capability is Capability.UNSUPPORTED
                assert result.code in CATALOG.losses
                assert result.reason
                assert (result.route, result.seams) == (None, ())
            else:
                assert result.degradations
                assert set(result.seams) <= set(surface.seams)
                assert (result.route, result.seams) == (made.plan.route, made.plan.seams)
                assert result.id == made.id


def vars_of(found: Graded) -> tuple[Any, Hook | None]:
    return found.result, found.hook


@pytest.mark.parametrize("handler", CALLABLES, ids=["a function", "a built-in", "a class", "a method"])
def test_a_python_callable_is_unsupported_and_not_an_error(handler: object) -> None:
    found = graded(declared(handler=handler))
    assert (found.result.capability, found.result.code, found.hook) == (
        Capability.UNSUPPORTED,
        "handler-is-code",
        None,
    )


def test_a_callable_does_not_hide_a_wrong_vendor_or_event() -> None:
    assert refused(declared("claud", handler=print)).code is ErrorCode.UNKNOWN_VENDOR
    assert refused(declared(event="Stopp", handler=print)).code is ErrorCode.UNKNOWN_EVENT


def test_a_host_without_a_shell_supports_no_command() -> None:
    found = graded(declared(), has_shell=False)
    assert (found.result.code, found.hook) == ("no-shell", None)
    assert SURFACE.title in str(found.result.reason)


def test_a_host_without_the_official_bridge_gets_no_silent_substitute() -> None:
    found = graded(declared(), NO_BRIDGES)
    assert (found.result.code, found.hook) == ("no-official-bridge", None)
    assert "@deepseek-ai/dsh-hooks-claude-code" in str(found.result.reason)


def test_the_native_way_of_a_bridged_event_is_taken_when_it_is_asked_for_and_lists_its_own_losses() -> None:
    bridged, native = graded(declared()), graded(declared(bridge="native"), NO_BRIDGES)
    assert bridged.result.route is Route.OFFICIAL_BRIDGE
    assert native.result.route is Route.NATIVE_TRANSLATE
    assert bridged.result.degradations != native.result.degradations


def test_a_seam_that_the_host_lacks_is_named() -> None:
    poor = replace_seams(SURFACE, {})
    found = graded(declared("copilot", "preToolUse"), poor)
    assert (found.result.code, found.hook) == ("seam-missing", None)
    assert "tools/pre-execute" in str(found.result.reason)


def replace_seams(surface: Surface, seams: Mapping[str, Any]) -> Surface:
    return surface._replace(seams=seams)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"owner": "claud"}, ErrorCode.UNKNOWN_VENDOR),
        ({"owner": None}, ErrorCode.UNKNOWN_VENDOR),
        ({"owner": ["claude"]}, ErrorCode.UNKNOWN_VENDOR),
        ({"event": "PreToolUsed"}, ErrorCode.UNKNOWN_EVENT),
        ({"event": 5}, ErrorCode.UNKNOWN_EVENT),
        ({"event": {}}, ErrorCode.UNKNOWN_EVENT),
        ({"event": "preToolUse"}, ErrorCode.UNKNOWN_EVENT),
        ({"matcher": "("}, ErrorCode.INVALID_MATCHER),
        ({"matcher": 5}, ErrorCode.INVALID_MATCHER),
        ({"matcher": {}}, ErrorCode.INVALID_MATCHER),
        ({"matcher": False}, ErrorCode.INVALID_MATCHER),
        ({"handler": None}, ErrorCode.INVALID_HANDLER),
        ({"handler": 5}, ErrorCode.INVALID_HANDLER),
        ({"handler": {"type": "http", "url": "x"}}, ErrorCode.INVALID_HANDLER),
        ({"timeout": 0}, ErrorCode.INVALID_HANDLER),
        ({"timeout": True}, ErrorCode.INVALID_HANDLER),
        ({"timeout": "5"}, ErrorCode.INVALID_HANDLER),
        ({"on_error": "deny"}, ErrorCode.INVALID_DECLARATION),
        ({"on_error": False}, ErrorCode.INVALID_DECLARATION),
        ({"on_error": ["warn"]}, ErrorCode.INVALID_DECLARATION),
        ({"bridge": "nativ"}, ErrorCode.INVALID_DECLARATION),
        ({"bridge": False}, ErrorCode.INVALID_DECLARATION),
        ({"bridge": ["native"]}, ErrorCode.INVALID_DECLARATION),
    ],
    ids=str,
)
def test_what_cannot_be_processed_is_an_error_at_the_place_of_the_declaration(
    change: dict[str, Any], code: ErrorCode
) -> None:
    error = refused(declared(**change))
    assert error.code is code
    assert error.where == HERE


def test_a_wrong_time_limit_is_refused_even_where_the_event_does_not_run() -> None:
    assert refused(declared(event="PreSkillShellCommand", timeout=-1)).code is ErrorCode.INVALID_HANDLER


def test_an_alias_of_a_vendor_means_the_vendor() -> None:
    assert graded(declared("claude-code")).result.vendor == "claude"


def test_another_spelling_of_an_event_is_kept_in_the_result() -> None:
    found = graded(declared("copilot", "PreToolUse"))
    assert found.result.event == "PreToolUse"
    assert found.hook is not None
    assert (found.hook.spelling, found.hook.row.event) == ("PreToolUse", "preToolUse")


@pytest.mark.parametrize(
    ("spelling", "matcher", "tool", "fires"),
    [
        ("preToolUse", "bash", "bash", True),
        ("preToolUse", "ba.h", "bash", True),
        ("preToolUse", "as", "bash", False),
        ("PreToolUse", "Bash", "Bash", True),
        ("PreToolUse", "*", "anything", True),
    ],
)
def test_the_matcher_is_read_in_the_dialect_of_the_spelling(
    spelling: str,
    matcher: str,
    tool: str,
    fires: bool,  # noqa: FBT001
) -> None:
    assert hook(declared("copilot", spelling, matcher=matcher)).matcher.matches([tool]) is fires


def test_the_time_limit_is_the_declarations_then_the_handlers_then_the_events() -> None:
    handler = command(timeout=20)
    assert hook(declared(handler=handler, timeout=7)).timeout_s == 7
    assert hook(declared(handler=handler)).timeout_s == 20
    row = CATALOG.row(vendor("claude"), "PreToolUse")
    assert hook(declared()).timeout_s == row.timeout_s


def test_a_native_handler_of_each_kind_has_its_own_usual_time_limit() -> None:
    kinds: dict[str, dict[str, Any]] = {
        "shell": {"command": "true"},
        "webhook": {"url": "http://127.0.0.1:1"},
        "oracle": {"url": "http://127.0.0.1:1", "prompt": "ok?"},
        "proxy": {"command": "runner"},
    }
    limits = {
        kind: hook(declared("native", "tool:before", handler={"type": kind, **more})).timeout_s
        for kind, more in kinds.items()
    }
    assert limits == {"shell": 600, "webhook": 600, "oracle": 30, "proxy": 60}


def test_each_native_kind_becomes_its_own_action() -> None:
    webhook = {"type": "webhook", "url": "http://127.0.0.1:1/x", "headers": {"A": "$B"}}
    oracle = {"type": "oracle", "url": "http://127.0.0.1:1/v1", "prompt": "ok?", "model": "m", "keyVariable": "K"}
    proxy = {"type": "proxy", "command": "runner", "prompt": "look"}
    actions = [hook(declared("native", "tool:before", handler=raw)).action for raw in (webhook, oracle, proxy)]
    assert actions[:2] == [
        PostWebhook(url="http://127.0.0.1:1/x", headers={"A": "$B"}),
        AskOracle(prompt="ok?", base_url="http://127.0.0.1:1/v1", model="m", key_variable="K"),
    ]
    assert isinstance(actions[2], RunCommand)
    assert actions[2].env == {"DSH_COMPAT_PROMPT": "look"}


def test_what_to_do_on_failure_is_the_declarations_then_the_handlers() -> None:
    handler = {"command": "true", "onError": "ignore"}
    assert hook(declared("native", "tool:before", handler=handler)).on_error is OnError.IGNORE
    assert hook(declared("native", "tool:before", handler=handler, on_error="block")).on_error is OnError.BLOCK
    assert hook(declared()).on_error is None


def test_the_command_is_one_argument_of_the_vendors_shell() -> None:
    text = "echo \"$HOME\" 'a  b' \\. `id` ${x%/*}"
    assert action(declared(handler=text)).argv == ("/bin/sh", "-c", text)
    assert action(declared("copilot", "preToolUse", handler={"bash": text})).argv == ("bash", "-c", text)


def test_a_command_runs_in_the_project_and_its_own_folder_is_relative_to_that() -> None:
    assert action(declared()).cwd == ROOT
    assert action(declared("copilot", "preToolUse", handler=command(cwd=".github"))).cwd == f"{ROOT}/.github"
    assert action(declared("copilot", "preToolUse", handler=command(cwd="/tmp"))).cwd == "/tmp"


def test_the_environment_of_the_declaration_stands_above_the_handlers() -> None:
    handler = command(env={"A": "handler", "B": "handler"})
    found = action(declared("copilot", "preToolUse", handler=handler, env={"A": "declaration"}))
    assert found.env == {"A": "declaration", "B": "handler"}


def test_an_id_is_the_same_for_the_same_declaration_and_says_nothing_of_the_command() -> None:
    first, again = hook(declared(handler=command("secret word"))), hook(declared(handler=command("secret word")))
    assert first.id == again.id
    assert "secret" not in first.id


@pytest.mark.parametrize(
    "change",
    [
        {"handler": command("false")},
        {"event": "PostToolUse"},
        {"owner": "codex"},
        {"matcher": "Write"},
        {"handler": command(**{"if": "Bash(git *)"})},
        {"env": {"A": "b"}},
    ],
    ids=str,
)
def test_another_declaration_has_another_id(change: dict[str, Any]) -> None:
    assert hook(declared(**change)).id != hook(declared()).id


def test_the_same_command_is_one_identity_whatever_its_matcher_and_its_time_limit() -> None:
    first = hook(declared(matcher="Write", handler=command(timeout=5)))
    assert first.identity == hook(declared(matcher="Edit", handler=command(timeout=9))).identity
    assert first.identity != hook(declared(handler=command(**{"if": "Bash(git *)"}))).identity


def test_the_same_condition_with_another_value_is_another_identity() -> None:
    one, other = (hook(declared(handler=command(**{"if": value}))) for value in ("Bash(git *)", "Bash(rm *)"))
    assert one.identity != other.identity


@pytest.mark.parametrize(
    ("rule", "bridge", "evaluated", "codes"),
    [
        ("Bash(git *)", "native", True, []),
        ("Write(src/*)", "native", True, []),
        ("Grep(TODO*)", "native", True, ["condition-not-evaluated"]),
        ("Bash(git *", "native", True, ["condition-broken"]),
        ("Bash(git *)", "official", False, ["condition-not-evaluated"]),
    ],
)
def test_a_condition_is_evaluated_on_this_projects_own_route_and_what_is_not_is_warned_about(
    *, rule: str, bridge: str, evaluated: bool, codes: list[str]
) -> None:
    found = graded(declared(handler=command(**{"if": rule}), bridge=bridge))
    assert found.hook is not None
    assert (found.hook.condition is not None) is evaluated
    assert [warning.code for warning in found.result.warnings] == codes


def test_a_condition_on_an_event_without_a_tool_is_not_evaluated() -> None:
    found = graded(declared(event="Stop", handler=command(**{"if": "Bash(git *)"}), bridge="native"))
    assert found.hook is not None
    assert found.hook.condition is None
    assert "condition-without-tool" in [warning.code for warning in found.result.warnings]


def test_an_option_that_does_not_decide_whether_the_command_runs_is_no_part_of_the_identity() -> None:
    """Claude Code 2.1.332 compares shell, command, args and `if`, and nothing else."""
    assert hook(declared(handler=command(statusMessage="x"))).identity == hook(declared()).identity


def test_a_time_limit_that_looks_like_milliseconds_is_kept_and_warned_about() -> None:
    found = graded(declared(handler=command("secret word", timeout=5000)))
    assert found.hook is not None
    assert found.hook.timeout_s == 5000
    [warning] = [warning for warning in found.result.warnings if "5000" in warning.text]
    assert "seconds" in warning.text
    assert "secret" not in warning.text


def test_a_long_time_limit_that_people_really_use_is_no_warning() -> None:
    assert graded(declared(handler=command(timeout=600))).result.warnings == ()


def test_a_matcher_on_an_event_without_one_is_ignored_and_said() -> None:
    found = graded(declared(event="UserPromptSubmit", matcher="("))
    assert found.hook is not None
    assert found.hook.matcher.text is None
    assert [warning.code for warning in found.result.warnings] == ["matcher-ignored"]


def test_a_setting_that_a_bridge_has_no_place_for_is_a_warning() -> None:
    codes = {warning.code for warning in graded(declared(env={"A": "b"}, on_error="block")).result.warnings}
    assert codes == {"bridge-drops-setting"}
    assert graded(declared(env={"A": "b"}, on_error="block", bridge="native")).result.warnings == ()


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)
owners = st.sampled_from([one.name for one in VENDORS]) | anything
events = st.sampled_from(sorted({name for _, row in ROWS for name in (row.event, *row.spellings)})) | anything
environments = st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=2)


@settings(max_examples=300)
@given(
    declaration=st.builds(
        HookDeclaration,
        vendor=owners,
        event=events,
        handler=anything | st.just(command()) | st.just(print) | st.just("true"),
        matcher=anything | st.sampled_from(["Write", "Bash(x)", "mcp__.*"]),
        timeout=st.none() | anything,
        on_error=st.none() | st.sampled_from(list(OnError)) | anything,
        env=environments,
        bridge=st.sampled_from(["official", "native"]) | anything,
        where=st.just(HERE),
    ),
    surface=st.sampled_from(list(CATALOG.surfaces.values())),
    has_shell=st.booleans(),
)
def test_any_declaration_is_a_result_or_a_coded_error_with_its_place(
    declaration: HookDeclaration,
    surface: Surface,
    has_shell: bool,  # noqa: FBT001
) -> None:
    try:
        found = graded(declaration, surface, has_shell=has_shell)
    except CompatError as error:
        refusal = error
    else:
        assert found.result.to_dict()
        assert (found.hook is None) is (found.result.capability is Capability.UNSUPPORTED)
        return
    assert refusal.where == HERE
    assert refusal.message
    assert graded_again(declaration, surface, has_shell=has_shell) is refusal.code


def graded_again(declaration: HookDeclaration, surface: Surface, *, has_shell: bool) -> ErrorCode:
    """The code of the same declaration from nowhere; it does not depend on the place."""
    with pytest.raises(CompatError) as caught:
        graded(replace(declaration, where=None), surface, has_shell=has_shell)
    assert caught.value.where is None
    return caught.value.code


@pytest.mark.parametrize(
    ("vendor", "option", "once"),
    [("workbuddy", True, True), ("workbuddy", False, False), ("workbuddy", "yes", False), ("claude", True, False)],
)
def test_a_handler_runs_once_a_session_where_the_vendor_keeps_to_it(vendor: str, option: object, *, once: bool) -> None:
    handler = {"type": "command", "command": "true", "once": option}
    assert hook(HookDeclaration(vendor=vendor, event="PreToolUse", handler=handler, bridge="native")).once is once


def test_an_official_bridge_runs_a_handler_every_time() -> None:
    handler = {"type": "command", "command": "true", "once": True}
    assert hook(HookDeclaration(vendor="workbuddy", event="PreToolUse", handler=handler)).once is False
