"""`scripts/check_vendors`: a published list with something new, something renamed, or nothing where it was."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from scripts.oracles.watch import BlindError, Listed, Watched, compare, watched
from tests.projects import CATALOG

BY_VENDOR = {one.vendor: one for one in watched()}
CLAUDE = BY_VENDOR["claude"]
EVENTS = list(CATALOG.vendor("claude").rows)
# the parts of a package, as far as the watcher reads them; `{}` is where a test adds something
SDK = """\
export declare const HOOK_EVENTS: readonly [%(events)s];
export declare type BaseHookInput = {
    session_id: string;
%(base)s};
export declare type PreToolUseHookInput = BaseHookInput & {
    tool_name: string;
%(field)s};
            hooks: ({
                type: 'command';
                command: string;
%(option)s            })[];
"""
CODEBUDDY = (
    "x={{timeout:a.z.number().optional(),once:a.z.boolean().optional(),asyncRewake:a.z.boolean().optional(){option}}},"
    'y=a.z.object({{type:a.z.literal("command"),command:a.z.string()}}),z=a.z.discriminatedUnion("type",[y]);'
)
CALLBACKS = 'interface Hooks {{\n    "tool.execute.before"?: (input: {{\n        tool: string;{field}\n    }}, output: {{\n        args: any;\n    }}) => Promise<void>;\n}}\n'
COPILOT = "export interface BaseHookInput {{\n    sessionId: string;\n}}\nexport interface AgentStopHookInput extends BaseHookInput {{\n    stopReason?: string;\n{field}}}\n"


def only(vendor: str, kind: str) -> Watched:
    """The watched lists of one kind."""
    one = BY_VENDOR[vendor]
    return replace(one, lists=tuple(listed for listed in one.lists if listed.of == kind))


def put(folder: Path, one: Watched, text: str) -> Path:
    """A package whose one watched file holds this text."""
    (path,) = {folder / listed.file for listed in one.lists}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return folder


def found(folder: Path, one: Watched, text: str) -> list[str]:
    return list(compare(one, put(folder, one, text), CATALOG))


def sdk(*, events: list[str] = EVENTS, base: str = "", field: str = "", option: str = "") -> str:
    listed = ", ".join(f"'{event}'" for event in events)
    return SDK % {"events": listed, "base": base, "field": field, "option": option}


def schema(name: str, *properties: str) -> str:
    """A JSON schema of what a hook is sent, as it stands in a binary."""
    data = {"$schema": "draft-07", "properties": {key: {} for key in properties}, "title": f"{name}.command.input"}
    return "\0" + json.dumps(data, indent=2) + "\0"


def test_a_package_that_has_what_the_catalog_has_gives_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, CLAUDE, sdk()) == []


def test_an_added_event_is_named(tmp_path: Path) -> None:
    assert found(tmp_path, CLAUDE, sdk(events=[*EVENTS, "PreSleep"])) == [
        "the event PreSleep stands in sdk.d.ts and has no row"
    ]


def test_a_renamed_event_is_named_by_both_names(tmp_path: Path) -> None:
    events = ["BeforeTool", *[event for event in EVENTS if event != "PreToolUse"]]
    assert found(tmp_path, CLAUDE, sdk(events=events)) == [
        "the event BeforeTool stands in sdk.d.ts and has no row",
        "the event PreToolUse has a row and stands no longer in sdk.d.ts",
    ]


def test_an_added_field_of_one_event_or_of_all_and_an_added_option_are_named(tmp_path: Path) -> None:
    text = sdk(base="    mood: string;\n", field="    tool_mood?: string;\n", option="                mood?: string;\n")
    assert found(tmp_path, CLAUDE, text) == [
        "PreToolUse sends tool_mood, which no payload and no listed loss of the row names",
        "every event sends mood, which no row names",
        "the handler option mood stands in sdk.d.ts, and the dialect does not name it",
    ]


@pytest.mark.parametrize(
    ("vendor", "kind", "text", "more", "finding"),
    [
        (
            "workbuddy",
            "options",
            CODEBUDDY,
            {"option": ",mood:a.z.string().optional()"},
            "the handler option mood stands in cli/dist/codebuddy-headless.js, and the dialect does not name it",
        ),
        (
            "opencode",
            "fields",
            CALLBACKS,
            {"field": "\n        mood?: string;"},
            "tool.execute.before sends mood, which no payload and no listed loss of the row names",
        ),
        (
            "copilot",
            "fields",
            COPILOT,
            {"field": "    mood?: string;\n"},
            "agentStop sends mood, which no payload and no listed loss of the row names",
        ),
    ],
    ids=["option of CodeBuddy", "field of OpenCode", "field of Copilot"],
)
def test_what_another_vendor_adds_is_named(  # noqa: PLR0913, PLR0917 - one case
    tmp_path: Path, vendor: str, kind: str, text: str, more: Mapping[str, str], finding: str
) -> None:
    one = only(vendor, kind)
    assert found(tmp_path, one, text.format(**dict.fromkeys(more, ""))) == []
    assert found(tmp_path, one, text.format(**more)) == [finding]


def test_a_field_that_is_added_to_a_schema_in_a_binary_is_named(tmp_path: Path) -> None:
    one = only("codex", "fields")
    known = schema("pre-tool-use", "tool_name", "session_id")
    assert found(tmp_path, one, known + schema("stop", "stop_hook_active")) == []
    assert found(tmp_path, one, known + schema("stop", "stop_hook_active", "mood")) == [
        "Stop sends mood, which no payload and no listed loss of the row names"
    ]


def test_a_handler_that_gained_a_member_is_named_by_the_number(tmp_path: Path) -> None:
    one = only("codex", "numbers")
    text = "variant HookHandlerConfig::Command with 6 elements, variant HookHandlerConfig::McpTool with 5 elements"
    assert found(tmp_path, one, text) == []
    (finding,) = found(tmp_path, one, text.replace("6", "7"))
    assert "Command with 7 elements" in finding
    with pytest.raises(BlindError, match="nothing like"):
        found(tmp_path, one, "")


def test_a_name_in_kebab_case_is_read_as_the_event_that_it_is(tmp_path: Path) -> None:
    findings = found(tmp_path, only("codex", "events"), schema("pre-tool-use") + schema("pre-sleep"))
    assert "the event PreSleep stands in" in findings[0]


EVERY_LIST = [(one, listed) for one in watched() for listed in one.lists]
every_list = pytest.mark.parametrize(
    ("one", "listed"), EVERY_LIST, ids=[f"{one.vendor} {listed.of}" for one, listed in EVERY_LIST]
)


@every_list
def test_a_missing_file_is_no_silence(one: Watched, listed: Listed, tmp_path: Path) -> None:
    with pytest.raises(BlindError, match="there is no"):
        list(compare(replace(one, lists=(listed,)), tmp_path, CATALOG))


@every_list
@pytest.mark.parametrize("text", ["", "another file altogether\n"], ids=["empty", "other"])
def test_a_file_that_holds_nothing_of_it_is_no_silence(one: Watched, listed: Listed, text: str, tmp_path: Path) -> None:
    with pytest.raises(BlindError):
        found(tmp_path, replace(one, lists=(listed,)), text)


def test_an_empty_list_is_no_silence(tmp_path: Path) -> None:
    with pytest.raises(BlindError, match="is empty"):
        found(tmp_path, CLAUDE, sdk(events=[]))


def test_types_without_a_member_are_no_silence(tmp_path: Path) -> None:
    with pytest.raises(BlindError, match="none with a member"):
        found(tmp_path, only("copilot", "fields"), COPILOT.format(field="").replace("stopReason", "'stop-reason'"))


def test_a_schema_that_cannot_be_read_is_no_silence(tmp_path: Path) -> None:
    with pytest.raises(BlindError, match="cannot be read"):
        found(tmp_path, only("codex", "fields"), schema("stop", "stop_hook_active").replace("properties", "members"))


def test_a_base_that_is_gone_is_no_silence(tmp_path: Path) -> None:
    with pytest.raises(BlindError, match="all hooks are sent"):
        found(tmp_path, CLAUDE, sdk().replace("BaseHookInput = {", "AnyHookInput = {"))
