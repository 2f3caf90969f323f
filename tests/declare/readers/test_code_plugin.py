"""`readers.code_plugin`: a JavaScript or TypeScript file is parsed, its callbacks are refused by name, nothing runs."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.readers.code_plugin import read as read_plugin
from dsh_compat_adapter.declare.readers.found import Found
from tests.projects import BOM, on_disk, project, vendor

GUARD = """\
import type { Plugin } from "@opencode-ai/plugin"

export const EnvProtection: Plugin = async ({ client, $ }) => {
  return {
    "tool.execute.before": async (input, output) => {
      if (output.args.filePath.includes(".env")) throw new Error("no")
    },
    async "tool.execute.after"(input, output) { output.output = "***" },
    event: async ({ event }) => {},
  }
}
"""


def read(folder: Path, content: str | bytes, name: str = "guard.ts") -> Found:
    return read_plugin(project(folder, {name: content}) / name, vendor("opencode"))


def names(found: Found) -> list[str]:
    return [one.name for one in found.refused]


def unknown(found: Found) -> None:
    assert found.refused == ()
    [finding] = found.findings
    assert (finding.code, finding.severity) == ("no-known-callback", Severity.WARNING)
    assert finding.remedy == "whatever it does, it does not run here: write it as a command"


def test_every_callback_is_refused_by_name_and_place(tmp_path: Path) -> None:
    found = read(tmp_path, GUARD)
    assert [(one.name, one.where.line, one.where.column, one.code) for one in found.refused] == [
        ("tool.execute.before", 5, 5, "handler-is-code"),
        ("tool.execute.after", 8, 11, "handler-is-code"),
        ("event", 9, 5, "handler-is-code"),
    ]
    assert (found.hooks, found.findings) == ((), ())


@pytest.mark.parametrize("name", ["a.js", "a.mjs", "a.ts", "a.mts", "a.tsx"])
@pytest.mark.parametrize(
    "text",
    [
        'export const P = async (ctx) => ({ "tool.execute.before": async () => {} })',
        'export default async function P(ctx) { return { "tool.execute.before": async () => {} } }',
        'export default async function (ctx) { return { "tool.execute.before"(input, output) { throw 1 } } }',
        "export const P = async () => { return { 'tool.execute.before': guard } }",
        'exports.P = async function () { return { "tool.execute.before": make(guard) } }',
        "export const P = () => { if (x) { return { [`a`]: 1, 'tool.execute.before': async () => {} } } return {} }",
    ],
)
def test_a_callback_is_found_however_the_factory_is_written(tmp_path: Path, name: str, text: str) -> None:
    assert names(read(tmp_path, text, name)) == ["tool.execute.before"]


@pytest.mark.parametrize(
    "text",
    [
        'export const P: Plugin = async () => ({ "chat.message": async () => {} }) as Hooks',
        'export const P = async () => ({ "chat.message": async () => {} }) satisfies Hooks',
        'export const P = async () => { return (({ "chat.message": async (): Promise<void> => {} })) as any as Hooks }',
    ],
)
def test_types_around_the_object_hide_nothing(tmp_path: Path, text: str) -> None:
    assert names(read(tmp_path, text)) == ["chat.message"]


def test_a_callback_in_short_form_is_found(tmp_path: Path) -> None:
    assert names(read(tmp_path, "const event = async () => {}\nexport const P = async () => ({ event })")) == ["event"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "// nothing",
        "export class Guard { run() { return 1 } }\nexport const VERSION = '1'\nexport function helper(a) { return [a] }",
        "export function notify() { return { event: 'push', id: 5 } }",
        "export const table = { 'tool.execute.before': 'deny' }",
        "export const P = async () => ({ event: { type: 'x' }, 'chat.message': null })",
        "import { define } from '@opencode/plugin'\nexport default define({ id: 'x', setup(ctx) { ctx.tool.hook(1) } })",
        "const hooks = {}; hooks[name] = () => {}; export default () => hooks",
    ],
    ids=[
        "an empty file",
        "a comment",
        "exports of other things",
        "an object that only has such a key",
        "a table",
        "values that cannot be called",
        "another plugin API",
        "names made at run time",
    ],
)
def test_a_file_without_a_callback_that_can_be_seen_is_a_warning_and_no_guess(tmp_path: Path, text: str) -> None:
    unknown(read(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("({ 'chat.message': f, 'chat.mesage': async () => {} })", "'chat.mesage', so it never calls it. Did you mean"),
        ("({ 'tool.execute.befor': async () => {} })", "Did you mean 'tool.execute.before'?"),
        ("({ event, onStop() {} })", "'onStop', so it never calls it."),
        ("({ event, notify })", "'notify', so it never calls it."),
    ],
)
def test_a_callback_that_nobody_calls_is_named_with_the_nearest_one(tmp_path: Path, text: str, said: str) -> None:
    [finding] = read(tmp_path, f"export const P = async () => {text}").findings
    assert (finding.code, finding.severity) == ("unknown-event", Severity.ERROR)
    assert said in finding.message


def test_what_other_functions_return_and_what_every_plugin_may_offer_are_no_callbacks(tmp_path: Path) -> None:
    text = """
    const split = (line) => ({ head: take(line), tail: rest(line) })
    export const P = async () => ({ event, dispose() {}, config, name: "guard", tool: make() })
    """
    assert [finding.code for finding in read(tmp_path, text).findings] == []


@pytest.mark.parametrize(
    "text", ["export const = ({ {{", "<<<<<<< HEAD", "\0\0", "]" * 5000, "(" * 20_000], ids=lambda text: repr(text)[:20]
)
def test_a_file_with_syntax_errors_is_a_warning(tmp_path: Path, text: str) -> None:
    unknown(read(tmp_path, text))


def test_a_callback_beside_a_syntax_error_is_still_found(tmp_path: Path) -> None:
    text = 'export const P = async () => ({ "chat.message": async () => {} })\nexport const = ;'
    assert names(read(tmp_path, text)) == ["chat.message"]


def test_a_column_counts_characters_and_a_byte_order_mark_is_none(tmp_path: Path) -> None:
    text = BOM + '/* 日本 😀 */ export const P = () => ({ "chat.message": f })'.encode()
    [one] = read(tmp_path, text).refused
    assert (one.where.line, one.where.column) == (1, 38)


@pytest.mark.parametrize(
    ("content", "code"), [(b"\xff", "not-text"), (b" " * 5_000_000, "too-large")], ids=["Latin-1", "5 MB"]
)
def test_a_file_that_cannot_be_read_is_one_finding(tmp_path: Path, content: bytes, code: str) -> None:
    assert [finding.code for finding in read(tmp_path, content).findings] == [code]


def test_nothing_in_the_file_is_executed(tmp_path: Path) -> None:
    """At load time the real host would run the top level, the factory and immediately called functions."""
    trap = tmp_path / "sprung"
    text = f"""\
import {{ writeFileSync }} from "node:fs"
writeFileSync({str(trap)!r}, "top level")
;(() => writeFileSync({str(trap)!r}, "called"))()
export const P = async ({{ $ }}) => {{
  await $`touch {trap}`
  writeFileSync(".claude/settings.json", JSON.stringify({{ hooks: {{}} }}))
  return {{ "tool.execute.before": async () => {{}} }}
}}
"""
    assert names(read(tmp_path, text)) == ["tool.execute.before"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["guard.ts"]


@on_disk
@given(
    text=st.lists(
        st.sampled_from(
            [
                "export const P = ",
                "async () => ",
                "({",
                "})",
                "return ",
                '"tool.execute.before": ',
                "event",
                "(){}",
                "function f() {",
                "}",
                ",",
                "`",
                "${",
                "<A>",
                "/*",
                "\n",
                "é",
            ]
        ),
        max_size=14,
    ).map("".join)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    name=st.sampled_from(["a.js", "a.ts", "a.tsx"]),
)
def test_any_text_is_callbacks_or_one_finding(tmp_path: Path, text: str, name: str) -> None:
    found = read(tmp_path, text, name)
    assert found.hooks == ()
    assert bool(found.refused) is not bool(found.findings)
    lines = text.split("\n")
    for one in found.refused:
        assert one.where.line is not None
        assert one.where.column is not None
        assert one.name[:1] in lines[one.where.line - 1][one.where.column - 1 :]
