"""`declare.handler`: a handler in a vendor's own words, as one that runs here or as an error that says why not."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.catalog.model import HandlerDialect
from dsh_compat_adapter.declare.handler import MAX_ARGUMENT, Handler, check_environment, read_handler, read_timeout
from dsh_compat_adapter.errors import Where
from tests.projects import CATALOG, command, vendor

HERE = Where("settings.json", 4, 7)
VENDORS = ["claude", "codex", "copilot", "native", "workbuddy"]


def dialect(name: str) -> HandlerDialect:
    return vendor(name).dialect.handlers


def read(name: str, raw: object) -> Handler:
    return read_handler(raw, dialect(name), HERE)


def refused(name: str, raw: object) -> str:
    with pytest.raises(CompatError) as caught:
        read(name, raw)
    assert caught.value.code is ErrorCode.INVALID_HANDLER
    assert caught.value.where == HERE
    return caught.value.message


@pytest.mark.parametrize("name", VENDORS)
def test_a_command_text_runs_in_the_shell_of_the_vendor(name: str) -> None:
    handler = read(name, "echo 'a  b'")
    assert (handler.kind, handler.command) == ("shell", "echo 'a  b'")
    assert handler.shell == next(iter(dialect(name).command_keys.values()))


@pytest.mark.parametrize("name", VENDORS)
def test_the_text_of_a_command_is_kept_to_the_byte(name: str) -> None:
    text = """ bash -c 'x="${x%/*}"; jq -r ".a // .b" <<<"$x"; printf "%s\\n" "\\$(id)"' # ${CLAUDE_PROJECT_DIR}\n"""
    assert read(name, {"type": "command", "command": text}).command == text


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize(
    "raw",
    [
        None,
        5,
        True,
        [],
        ["echo", "a"],
        "",
        "  \n",
        {},
        {"type": None},
        {"type": "command"},
        {"type": "command", "command": ""},
        {"type": "command", "command": " "},
        {"type": "command", "command": None},
        {"type": "command", "command": 5},
        {"type": "command", "command": ["echo", "a"]},
        {"type": "Command", "command": "true"},
        {"type": ["command"], "command": "true"},
        {"type": {"command": 1}, "command": "true"},
        {"type": 1, "command": "true"},
        {"type": "", "command": "true"},
    ],
    ids=repr,
)
def test_what_is_no_command_is_refused(name: str, raw: object) -> None:
    assert refused(name, raw)


@pytest.mark.parametrize("name", ["claude", "codex", "workbuddy"])
def test_a_handler_without_a_type_is_refused_with_the_line_to_write(name: str) -> None:
    assert "write `type: command`" in refused(name, {"command": "true"})


@pytest.mark.parametrize("name", ["copilot", "native"])
def test_a_handler_without_a_type_is_a_command_where_the_vendor_takes_it_for_one(name: str) -> None:
    assert read(name, {"command": "true"}).kind == "shell"


@pytest.mark.parametrize("name", ["claude", "codex", "copilot", "workbuddy"])
@pytest.mark.parametrize("kind", ["http", "prompt", "agent", "mcp_tool", "function"])
def test_a_handler_of_another_kind_is_refused_by_name_and_no_secret_of_it_is_repeated(name: str, kind: str) -> None:
    raw = {
        "type": kind,
        "url": "https://user:hunter2@example.invalid/",
        "headers": {"Authorization": "Bearer hunter2"},
        "prompt": "hunter2",
        "command": "true",
    }
    message = refused(name, raw)
    assert repr(kind) in message
    assert "write it as a command" in message
    assert "hunter2" not in message


@pytest.mark.parametrize(
    ("raw", "kind"),
    [
        ({"command": "true"}, "shell"),
        ({"type": "shell", "command": "true"}, "shell"),
        ({"type": "webhook", "url": "http://127.0.0.1:1/"}, "webhook"),
        ({"type": "http", "url": "http://127.0.0.1:1/"}, "webhook"),
        ({"type": "oracle", "baseUrl": "http://127.0.0.1:1/", "prompt": "ok?"}, "oracle"),
        ({"type": "prompt", "url": "http://127.0.0.1:1/", "prompt": "ok?"}, "oracle"),
        ({"type": "agent", "command": "runner", "prompt": "look"}, "proxy"),
        ({"type": "subagent", "command": "runner"}, "proxy"),
    ],
    ids=str,
)
def test_the_native_dialect_runs_all_four_kinds(raw: object, kind: str) -> None:
    assert read("native", raw).kind == kind


@pytest.mark.parametrize(
    ("raw", "missing"),
    [
        ({"type": "webhook"}, "url"),
        ({"type": "webhook", "url": ""}, "url"),
        ({"type": "webhook", "url": 5}, "url"),
        ({"type": "webhook", "url": "http://x", "headers": ["a"]}, "headers"),
        ({"type": "webhook", "url": "http://x", "headers": {"a": 1}}, "headers"),
        ({"type": "oracle", "baseUrl": "http://x"}, "prompt"),
        ({"type": "oracle", "prompt": "ok?"}, "url"),
        ({"type": "oracle", "baseUrl": "http://x", "prompt": "ok?", "model": 5}, "model"),
        ({"type": "oracle", "baseUrl": "http://x", "prompt": "ok?", "keyVariable": 5}, "keyVariable"),
        ({"type": "agent", "prompt": "look"}, "command"),
    ],
    ids=str,
)
def test_a_native_handler_without_what_its_kind_needs_is_refused(raw: object, missing: str) -> None:
    assert missing in refused("native", raw)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(None, None), (1, 1.0), (0.5, 0.5), (5000, 5000.0), (1e-9, 1e-9), (2**62, float(2**62))],
    ids=repr,
)
def test_a_time_limit_is_a_number_of_seconds(value: object, seconds: float | None) -> None:
    assert read_timeout(value, HERE) == seconds


@pytest.mark.parametrize("value", [0, 0.0, -0.0])
def test_a_time_limit_of_0_is_what_the_vendor_takes_it_for(value: float) -> None:
    assert read_timeout(value, HERE, zero_s=1) == 1
    assert read_handler({"type": "command", "command": "x", "timeout": value}, dialect("codex"), HERE).timeout_s == 1
    with pytest.raises(CompatError):
        read_timeout(False, HERE, zero_s=1)  # noqa: FBT003 - the wrong type


@pytest.mark.parametrize(
    "value",
    [0, 0.0, -1, -0.5, math.nan, math.inf, -math.inf, True, False, "5", "", [], {}, 10**400, -(10**400), b"5"],
    ids=lambda value: repr(value)[:12],
)
def test_a_time_limit_that_is_no_positive_number_is_refused(value: object) -> None:
    with pytest.raises(CompatError, match="timeout must be a number of seconds above 0") as caught:
        read_timeout(value, HERE)
    assert caught.value.code is ErrorCode.INVALID_HANDLER
    assert caught.value.where == HERE
    assert len(caught.value.message) < 200


@pytest.mark.parametrize("name", VENDORS)
def test_each_vendors_own_word_for_the_time_limit_counts(name: str) -> None:
    for key in dialect(name).timeout_keys:
        assert read(name, command(**{key: 7})).timeout_s == 7
        assert "timeout must be" in refused(name, command(**{key: "7"}))


@pytest.mark.parametrize(
    ("name", "key"),
    [("claude", "timeout_ms"), ("codex", "timeoutSec"), ("claude", "timeoutSec"), ("workbuddy", "timeout_ms")],
)
def test_a_time_limit_under_a_name_that_the_vendor_does_not_know_is_listed_as_an_option(name: str, key: str) -> None:
    handler = read(name, command(**{key: 5}))
    assert handler.timeout_s is None
    assert handler.options == (key,)


def test_copilots_own_time_limit_stands_above_the_common_one() -> None:
    assert read("copilot", command(timeoutSec=5, timeout=9)).timeout_s == 5


def test_copilots_bash_stands_above_its_shell_neutral_command() -> None:
    raw = {"bash": "echo bash", "command": "echo neutral", "powershell": "Write-Host windows"}
    handler = read("copilot", raw)
    assert (handler.shell, handler.command) == ("bash", "echo bash")
    assert handler.options == ()


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("copilot", {"powershell": "Write-Host $env:X"}),
        ("copilot", {"windows": "x.cmd"}),
        ("codex", {"type": "command", "commandWindows": 'powershell -Command "& { $x = 1 }" 2>$null'}),
    ],
)
def test_a_command_for_windows_alone_does_not_run_here(name: str, raw: object) -> None:
    assert "needs one of" in refused(name, raw)


def test_a_windows_twin_is_neither_run_nor_counted_as_unknown() -> None:
    raw = command("true", commandWindows='powershell -Command "$null"', command_windows="x")
    handler = read("codex", raw)
    assert (handler.command, handler.options) == ("true", ())


@pytest.mark.parametrize("name", VENDORS)
@pytest.mark.parametrize(
    ("key", "value"),
    [("env", ["A=b"]), ("env", {"A": 1}), ("env", []), ("env", False), ("env", ""), ("cwd", 5), ("cwd", ["a"])],
    ids=str,
)
def test_a_folder_or_an_environment_of_the_wrong_type_is_refused_by_its_key(name: str, key: str, value: object) -> None:
    assert refused(name, command(**{key: value})).startswith(f"{key} must ")


def test_folder_and_environment_arrive() -> None:
    handler = read("copilot", command(cwd=".github/hooks", env={"A": "b"}))
    assert (handler.cwd, handler.env) == (".github/hooks", {"A": "b"})


def test_every_further_key_is_listed_in_its_order() -> None:
    raw = command(blocking=True, **{"if": "Bash(git *)", "async": True, "asyncRewake": True})
    assert read("claude", raw).options == ("blocking", "if", "async", "asyncRewake")


json_like: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
KEYS = sorted(
    {
        key
        for one in (*CATALOG.vendors.values(), CATALOG.native)
        for handlers in [one.dialect.handlers]
        for key in (*handlers.command_keys, *handlers.windows_command_keys, *handlers.timeout_keys, *handlers.options)
    }
    | {"url", "baseUrl", "prompt", "model", "headers", "env", "cwd", "onError", "keyVariable", "matcher"}
)
KINDS = ["command", "http", "prompt", "agent", "mcp_tool", "shell", "webhook", "oracle", "proxy", "subagent"]
handlers_of_all_kinds = st.fixed_dictionaries(
    {}, optional={"type": st.sampled_from(KINDS) | json_like, **{key: st.just("true") | json_like for key in KEYS}}
)


@given(raw=json_like | handlers_of_all_kinds, name=st.sampled_from(VENDORS))
def test_any_value_is_a_handler_that_runs_here_or_a_coded_error(raw: object, name: str) -> None:
    try:
        handler = read(name, raw)
    except CompatError as error:
        assert error.code is ErrorCode.INVALID_HANDLER  # noqa: PT017 - either of the two is right
        return
    assert handler.kind in dialect(name).runs
    if handler.kind in ("shell", "proxy"):
        assert handler.command.strip()
        assert handler.shell or dialect(name).exec_form  # a program in exec form has no shell
    assert handler.timeout_s is None or 0 < handler.timeout_s < math.inf


@pytest.mark.parametrize(
    ("name", "raw", "program", "arguments"),
    [
        (
            "claude",
            {"type": "command", "command": "node", "args": ["a b.js", "", "$HOME"]},
            "node",
            ("a b.js", "", "$HOME"),
        ),
        ("claude", {"type": "command", "command": "my tool", "args": []}, "my tool", ()),
        ("copilot", {"exec": "node", "args": ["guard.js"]}, "node", ("guard.js",)),
        ("copilot", {"exec": "guard"}, "guard", ()),
    ],
)
def test_the_exec_form_is_a_program_with_its_arguments_as_they_stand(
    name: str, raw: object, program: str, arguments: tuple[str, ...]
) -> None:
    handler = read_handler(raw, dialect(name), HERE)
    assert (handler.kind, handler.command, handler.arguments, handler.options) == ("shell", program, arguments, ())


@pytest.mark.parametrize("arguments", ["guard.sh", ["guard.sh", 1], [None], {"0": "guard.sh"}, True, 5])
def test_arguments_that_are_no_list_of_strings_are_refused_since_without_them_the_payload_would_be_executed(
    arguments: object,
) -> None:
    with pytest.raises(CompatError, match="args must be a list of strings") as caught:
        read_handler({"type": "command", "command": "bash", "args": arguments}, dialect("claude"), HERE)
    assert caught.value.code is ErrorCode.INVALID_HANDLER


def test_a_vendor_without_the_exec_form_reads_args_as_an_option_that_it_does_not_know() -> None:
    handler = read_handler({"type": "command", "command": "true", "args": ["x"]}, dialect("codex"), HERE)
    assert (handler.arguments, handler.options) == (None, ("args",))


def test_a_program_of_the_exec_form_must_be_named() -> None:
    with pytest.raises(CompatError, match="needs one of exec as a string"):
        read_handler({"exec": 5, "bash": "true"}, dialect("copilot"), HERE)


# what no process can be given


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("true\0", "a NUL character"),
        ("echo \ud800", "half a surrogate pair"),
        ("x" * (MAX_ARGUMENT + 1), "into a script"),
    ],
    ids=["NUL", "surrogate", "too long"],
)
def test_a_text_that_no_process_can_be_given_is_refused_when_it_is_read(text: str, why: str) -> None:
    for raw in (text, command(text), command(cwd=text), command(env={"A": text})):
        assert why in refused("claude", raw)


@pytest.mark.parametrize("text", ["x" * MAX_ARGUMENT, "echo 好 \udcff"], ids=["longest", "a byte that is no text"])
def test_a_text_that_a_process_can_be_given_is_taken(text: str) -> None:
    assert read("claude", command(text)).command == text


@pytest.mark.parametrize("name", ["", "A=B", "="])
def test_a_variable_that_no_environment_can_hold_is_refused(name: str) -> None:
    assert "no name of an environment variable" in refused("claude", command(env={name: "x"}))
    with pytest.raises(CompatError, match="no name of an environment variable"):
        check_environment({name: "x"}, None)


@pytest.mark.parametrize(("name", "seconds"), [("codex", 1), ("workbuddy", 60)])
def test_a_time_limit_of_zero_is_what_the_vendor_makes_of_it(name: str, seconds: int) -> None:
    assert read(name, command(timeout=0)).timeout_s == seconds


def test_a_time_limit_of_zero_is_refused_where_the_vendor_refuses_it() -> None:
    assert "timeout must be" in refused("claude", command(timeout=0))
