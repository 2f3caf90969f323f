"""`declare.manifest`: a `compat.yaml`, read whole or refused whole with file, line and column."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatAdapter, CompatError, ErrorCode
from dsh_compat_adapter.declare.manifest import NAME, POLICIES, Manifest, read_manifest
from dsh_compat_adapter.hooks.policy import Policy
from dsh_compat_adapter.hosts.embedded.host import EmbeddedHost
from tests.projects import BOM, fifo, on_disk, project, unreadable


def read(folder: Path, content: str | bytes) -> Manifest:
    return read_manifest(project(folder, {NAME: content}) / NAME)


def refused(folder: Path, content: str | bytes) -> CompatError:
    with pytest.raises(CompatError) as caught:
        read(folder, content)
    return caught.value


GOOD = """\
version: 1
policy: strict
hooks:
  - {vendor: claude, event: PreToolUse, matcher: Write, handler: 'echo "a b"', timeout: 5}
  - vendor: codex
    event: Stop
    handler: {type: command, command: 'true'}
    bridge: native
    on_error: block
    env: {A: b}
rules:
  - {vendor: codex, source: 'rules/*.rules'}
  - {vendor: claude, source: CLAUDE.md, base_dir: docs}
"""


def test_hooks_and_rules_arrive_in_order_with_their_places(tmp_path: Path) -> None:
    manifest = read(tmp_path, GOOD)
    assert manifest.policy == "strict"
    assert [(hook.vendor, hook.event, hook.handler) for hook in manifest.hooks] == [
        ("claude", "PreToolUse", 'echo "a b"'),
        ("codex", "Stop", {"type": "command", "command": "true"}),
    ]
    assert [str(hook.where) for hook in manifest.hooks] == [f"{tmp_path / NAME}:4:5", f"{tmp_path / NAME}:5:5"]
    assert (manifest.hooks[1].bridge, manifest.hooks[1].on_error, manifest.hooks[1].env) == (
        "native",
        "block",
        {"A": "b"},
    )
    assert [str(rule.where) for rule in manifest.rules] == [f"{tmp_path / NAME}:12:5", f"{tmp_path / NAME}:13:5"]


def test_paths_of_rules_are_relative_to_the_manifest_and_not_to_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, {f"sub/{NAME}": GOOD})
    monkeypatch.chdir(tmp_path)
    manifest = read_manifest(Path("sub") / NAME)
    assert [rule.base_dir for rule in manifest.rules] == [str(tmp_path / "sub"), str(tmp_path / "sub/docs")]


@pytest.mark.parametrize("text", ["version: 1", "version: 1\nhooks:\nrules: []", "version: 1\npolicy: ~"])
def test_a_manifest_may_declare_nothing(tmp_path: Path, text: str) -> None:
    manifest = read(tmp_path, text)
    assert (manifest.hooks, manifest.rules, manifest.policy) == ((), (), None)


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    assert read(tmp_path, BOM + GOOD.encode()) == read(tmp_path, GOOD)


def test_a_manifest_says_whether_the_vendors_files_count_and_where_it_says_so(tmp_path: Path) -> None:
    assert read(tmp_path, "version: 1\ndiscover: true").alone is None
    assert str(read(tmp_path, "version: 1\ndiscover: false").alone) == f"{tmp_path / NAME}:2:11"


def test_what_is_ignored_is_a_code_or_a_code_in_some_files(tmp_path: Path) -> None:
    manifest = read(tmp_path, "version: 1\nignore:\n  - a-code\n  - {code: b-code, file: '.claude/*'}")
    assert [(one.code, one.file, one.where.line) for one in manifest.ignore] == [
        ("a-code", None, 3),
        ("b-code", ".claude/*", 4),
    ]


def test_the_plugin_of_a_hook_is_relative_to_the_manifest(tmp_path: Path) -> None:
    text = "version: 1\nhooks: [{vendor: claude, event: Stop, handler: x, plugin_root: plugins/a}]"
    assert read(tmp_path, text).hooks[0].plugin_root == str(tmp_path / "plugins/a")


def test_the_policies_are_those_that_the_engine_knows() -> None:
    assert sorted(POLICIES) == sorted(Policy)


HOOK = "vendor: claude, event: Stop, handler: 'true'"


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("version: 1\ndiscover: no way", 2, 11, "discover must be true or false, found 'no way'"),
        ("version: 1\nignore: x", 2, 9, "ignore must be a list, found str"),
        ("version: 1\nignore: [1]", 2, 10, "an entry of ignore is a code or a mapping, found int"),
        ("version: 1\nignore: [{code: 1}]", 2, 10, "an entry of ignore has a code and perhaps a file"),
        ("version: 1\nignore: [{file: x}]", 2, 10, "an entry of ignore has a code and perhaps a file"),
        (
            "version: 1\nignore: [{code: x, fil: y}]",
            2,
            10,
            "unknown key 'fil' in an entry of ignore. Did you mean 'file'?",
        ),
        (
            "version: 1\nhooks: [{vendor: a, event: b, handler: c, plugin_root: 1}]",
            2,
            9,
            "plugin_root is a folder, found 1",
        ),
        ("", 1, 1, "a manifest is a mapping with version, policy, discover, ignore, hooks, rules; found NoneType"),
        ("- a", 1, 1, "found list"),
        ("text", 1, 1, "found str"),
        ("{}", 1, 1, "version must be 1, found None"),
        ("hooks: []", 1, 1, "version must be 1, found None"),
        ("version: 2", 1, 10, "version must be 1, found 2"),
        ("version: '1'", 1, 10, "version must be 1, found '1'"),
        ("version: true", 1, 10, "version must be 1, found True"),
        ("version: [1]", 1, 10, "version must be 1, found [1]"),
        ("version: 1\nhook: []", 2, 7, "unknown key 'hook'. Did you mean 'hooks'?"),
        ("version: 1\n5: []", 2, 4, "unknown key 5"),
        ("version: 1\npolicy: [strict]", 2, 9, "policy must be strict or vendor, found ['strict']"),
        ("version: 1\npolicy: stric", 2, 9, "policy must be strict or vendor, found 'stric'"),
        ("version: 1\nhooks: {}", 2, 8, "hooks must be a list, found dict"),
        ("version: 1\nhooks: text", 2, 8, "hooks must be a list, found str"),
        ("version: 1\nrules: {}", 2, 8, "rules must be a list, found dict"),
        ("version: 1\nhooks:\n  - text", 3, 5, "an entry of hooks is a mapping, found str"),
        ("version: 1\nhooks:\n  - ~", 3, 5, "an entry of hooks is a mapping, found NoneType"),
        (f"version: 1\nhooks:\n  - {{{HOOK}, env: []}}", 3, 5, "env must map names to strings"),
        (f"version: 1\nhooks:\n  - {{{HOOK}}}\n  - {{vendor: claude}}", 4, 5, "a declaration needs 'event'"),
        (f"version: 1\nhooks:\n  - {{{HOOK}, matchr: x}}", 3, 5, "Did you mean 'matcher'?"),
        ("version: 1\nrules:\n  - {vendor: codex, sorce: x}", 3, 5, "Did you mean 'source'?"),
        ("version: 1\nrules:\n  - {vendor: codex, source: x, base_dir: 5}", 3, 5, "base_dir must be a folder, found 5"),
        ("version: 1\nrules:\n  - {vendor: codex, source: x, base_dir: []}", 3, 5, "base_dir must be a folder"),
    ],
    ids=repr,
)
def test_a_wrong_manifest_is_refused_at_its_line_and_column(
    tmp_path: Path, text: str, line: int, column: int, message: str
) -> None:
    error = refused(tmp_path, text)
    assert error.code is ErrorCode.INVALID_DECLARATION
    assert message in error.message
    assert str(error).startswith(f"{tmp_path / NAME}:{line}:{column}: ")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("version: 1\nversion: 1", ErrorCode.INVALID_FILE),
        (f"version: 1\nhooks:\n  - {{{HOOK}, event: Stop}}", ErrorCode.INVALID_FILE),
        (f"version: 1\nhooks:\n  - &a {{{HOOK}}}\n  - *a", ErrorCode.INVALID_FILE),
        ("version: !!int 1", ErrorCode.INVALID_FILE),
        ("version: 1\nhooks: " + "[" * 500, ErrorCode.INVALID_FILE),
        ("version: 1\nhooks: [", ErrorCode.INVALID_FILE),
        ("version: 1 # " + "x" * 10_000_000, ErrorCode.TOO_LARGE),
        (b"version: 1 # \xff", ErrorCode.NOT_TEXT),
        ("version: 1".encode("utf-16"), ErrorCode.NOT_TEXT),
    ],
    ids=[
        "a key twice",
        "a key twice in a hook",
        "an alias",
        "a tag",
        "deep",
        "cut short",
        "10 MB",
        "Latin-1",
        "UTF-16",
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_a_code_and_its_name(
    tmp_path: Path, content: str | bytes, code: ErrorCode
) -> None:
    error = refused(tmp_path, content)
    assert error.code is code
    assert str(error).startswith(f"{tmp_path / NAME}:" if code is not ErrorCode.TOO_LARGE else f"{tmp_path / NAME}: ")


@pytest.mark.parametrize("make", [Path.mkdir, fifo, unreadable], ids=["folder", "pipe", "unreadable"])
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path: Path, make: Any) -> None:
    make(tmp_path / NAME)
    with pytest.raises(CompatError) as caught:
        read_manifest(tmp_path / NAME)
    assert caught.value.code is ErrorCode.INVALID_FILE
    assert str(caught.value).startswith(f"{tmp_path / NAME}: ")


@pytest.mark.parametrize(
    "entry",
    [
        "{vendor: claud, event: Stop, handler: 'true'}",
        "{vendor: claude, event: Stopp, handler: 'true'}",
        "{vendor: claude, event: PreToolUse, matcher: '(', handler: 'true'}",
        "{vendor: claude, event: Stop, handler: {type: http, url: 'http://127.0.0.1:1'}}",
        "{vendor: claude, event: Stop, handler: 'true', timeout: -1}",
        "{vendor: claude, event: Stop, handler: 'true', on_error: no}",
    ],
)
async def test_a_manifest_with_one_bad_hook_registers_nothing(tmp_path: Path, entry: str) -> None:
    project(tmp_path, {NAME: f"version: 1\nhooks:\n  - {{{HOOK}}}\n  - {entry}\n", "AGENTS.md": "x"})
    async with CompatAdapter(EmbeddedHost(str(tmp_path))) as adapter:
        with pytest.raises(CompatError) as caught:
            await adapter.register_manifest(tmp_path / NAME)
        assert str(caught.value).startswith(f"{tmp_path / NAME}:4:5: ")
        assert adapter.status().hooks == ()


async def test_a_manifest_whose_rules_are_missing_registers_no_hook(tmp_path: Path) -> None:
    project(tmp_path, {NAME: f"version: 1\nhooks:\n  - {{{HOOK}}}\nrules:\n  - {{vendor: codex, source: no.md}}\n"})
    async with CompatAdapter(EmbeddedHost(str(tmp_path))) as adapter:
        with pytest.raises(CompatError) as caught:
            await adapter.register_manifest(tmp_path / NAME)
        assert caught.value.code is ErrorCode.RULES_NOT_FOUND
        assert str(caught.value).startswith(f"{tmp_path / NAME}:5:5: ")
        assert adapter.status().hooks == ()


anything: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.text(st.characters(exclude_categories=["Cs"]), max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["vendor", "event", "handler", "source", "env", "base_dir"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)


@on_disk
@given(
    data=anything
    | st.fixed_dictionaries(
        {"version": st.just(1)}, optional={"hooks": anything, "rules": anything, "policy": anything}
    )
)
def test_any_yaml_is_a_manifest_or_a_coded_error_with_a_place(tmp_path: Path, data: object) -> None:
    try:
        manifest = read(tmp_path, yaml.safe_dump(data))
    except CompatError as error:
        refusal = error
    else:
        assert isinstance(data, dict)
        assert len(manifest.hooks) == len(data.get("hooks") or ())
        assert len(manifest.rules) == len(data.get("rules") or ())
        return
    assert refusal.code in (ErrorCode.INVALID_DECLARATION, ErrorCode.INVALID_FILE)
    assert refusal.where is not None
    assert refusal.where.column is not None
