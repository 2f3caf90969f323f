"""`scripts/check_vendors`: a published list with something new, something renamed, or nothing where it was."""

from dataclasses import replace
from pathlib import Path

import pytest

from scripts.oracles.watch import BlindError, Watched, compare, watched
from tests.projects import CATALOG

CLAUDE = next(one for one in watched() if one.vendor == "claude")
EVENTS = list(CATALOG.vendor("claude").rows)
TYPE = "export declare type PreToolUseHookInput = BaseHookInput & {{\n    tool_name: string;\n{more}}};\n"


def published(folder: Path, events: list[str], more: str = "", one: Watched = CLAUDE) -> Path:
    listed = ", ".join(f"'{event}'" for event in events)
    text = f"export declare const HOOK_EVENTS: readonly [{listed}];\n" + TYPE.format(more=more)
    (folder / one.file).write_text(text, "utf-8")
    return folder


def found(folder: Path, events: list[str], more: str = "") -> list[str]:
    return list(compare(CLAUDE, published(folder, events, more), CATALOG))


def test_a_package_that_has_what_the_catalog_has_gives_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, EVENTS) == []


def test_an_added_event_is_named(tmp_path: Path) -> None:
    assert found(tmp_path, [*EVENTS, "PreSleep"]) == ["the event PreSleep stands in sdk.d.ts and has no row"]


def test_a_renamed_event_is_named_by_both_names(tmp_path: Path) -> None:
    assert found(tmp_path, ["BeforeTool", *[event for event in EVENTS if event != "PreToolUse"]]) == [
        "the event BeforeTool stands in sdk.d.ts and has no row",
        "the event PreToolUse has a row and stands no longer in sdk.d.ts",
    ]


def test_an_added_field_is_named(tmp_path: Path) -> None:
    assert found(tmp_path, EVENTS, "    tool_mood?: string;\n") == [
        "PreToolUse sends tool_mood, which no payload and no listed loss of the row names"
    ]


@pytest.mark.parametrize("one", watched(), ids=lambda one: one.vendor)
def test_a_missing_file_is_no_silence(one: Watched, tmp_path: Path) -> None:
    with pytest.raises(BlindError, match="has no file"):
        list(compare(one, tmp_path, CATALOG))


@pytest.mark.parametrize("one", watched(), ids=lambda one: one.vendor)
def test_an_empty_file_is_no_silence(one: Watched, tmp_path: Path) -> None:
    path = tmp_path / one.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", "utf-8")
    with pytest.raises(BlindError):
        list(compare(one, tmp_path, CATALOG))


def test_an_empty_list_is_no_silence(tmp_path: Path) -> None:
    with pytest.raises(BlindError, match="is empty"):
        found(tmp_path, [])


def test_types_that_are_gone_are_no_silence(tmp_path: Path) -> None:
    package = published(tmp_path, EVENTS)
    with pytest.raises(BlindError, match="no type"):
        list(compare(replace(CLAUDE, fields="^nowhere$"), package, CATALOG))


def test_a_name_in_kebab_case_is_read_as_the_event_that_it_is(tmp_path: Path) -> None:
    codex = next(one for one in watched() if one.vendor == "codex")
    path = tmp_path / codex.file
    path.parent.mkdir(parents=True)
    path.write_bytes(b'\0"title": "pre-tool-use.command.input"\0"title": "pre-sleep.command.input"\0')
    assert "the event PreSleep stands in" in next(iter(compare(codex, tmp_path, CATALOG)))
