"""`declare.declaration`: a mapping that somebody wrote, as a declaration or as an error that names the key."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, ErrorCode
from dsh_compat_adapter.declare.declaration import HOOK_KEYS, RULES_KEYS, hook_declaration, rules_declaration
from dsh_compat_adapter.errors import Where

HERE = Where("compat.yaml", 3, 5)
HOOK = {"vendor": "claude", "event": "Stop", "handler": "true"}
RULES = {"vendor": "codex", "source": "AGENTS.md"}
anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=5), st.lists(st.text(), max_size=2), st.binary(max_size=2)
)


def test_what_is_left_out_has_the_usual_value() -> None:
    declared = hook_declaration(HOOK, HERE)
    assert (declared.matcher, declared.timeout, declared.on_error, declared.bridge) == (None, None, None, "official")
    assert declared.env == {}
    assert declared.where == HERE


def test_every_key_arrives() -> None:
    given_values = {
        **HOOK,
        "matcher": "Write",
        "timeout": 5,
        "on_error": "block",
        "env": {"A": "b"},
        "bridge": "native",
        "plugin_root": "/plugin",
    }
    assert set(given_values) == set(HOOK_KEYS)
    declared = hook_declaration(given_values)
    assert {key: getattr(declared, key) for key in HOOK_KEYS} == given_values


def test_the_environment_is_a_copy() -> None:
    env = {"A": "b"}
    declared = hook_declaration({**HOOK, "env": env})
    env["A"] = "c"
    assert declared.env == {"A": "b"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"matchr": "Write"}, "unknown key 'matchr' in a declaration. Did you mean 'matcher'?"),
        ({"timeout_ms": 5}, "unknown key 'timeout_ms' in a declaration. Did you mean 'timeout'?"),
        ({"xyz": 1}, "unknown key 'xyz' in a declaration. Known: vendor, event"),
        ({1: 2}, "unknown key 1 in a declaration"),
        ({None: 2}, "unknown key None in a declaration"),
        ({"vendor": None}, "a declaration needs 'vendor'"),
        ({"event": None}, "a declaration needs 'event'"),
        ({"handler": None}, "a declaration needs 'handler'"),
        ({"env": ["A=b"]}, "env must map names to strings, found ['A=b']"),
        ({"env": []}, "env must map names to strings, found []"),
        ({"env": ""}, "env must map names to strings, found ''"),
        ({"env": False}, "env must map names to strings, found False"),
        ({"env": {"A": 1}}, "env must map names to strings, found {'A': 1}"),
        ({"env": {1: "a"}}, "env must map names to strings, found {1: 'a'}"),
    ],
    ids=str,
)
def test_a_hook_with_a_wrong_key_or_type_is_refused_by_name(change: dict[Any, object], message: str) -> None:
    with pytest.raises(CompatError) as caught:
        hook_declaration({**HOOK, **change}, HERE)
    assert caught.value.code is ErrorCode.INVALID_DECLARATION
    assert message in caught.value.message
    assert caught.value.where == HERE


def test_an_environment_of_nothing_is_none() -> None:
    assert hook_declaration({**HOOK, "env": None}).env == {}


@pytest.mark.parametrize("bridge", ["", False, 0, [], "nativ"], ids=repr)
def test_a_wrong_bridge_is_kept_for_grading_to_refuse_and_never_read_as_the_usual_one(bridge: object) -> None:
    assert hook_declaration({**HOOK, "bridge": bridge}).bridge == bridge


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sorce": "x"}, "Did you mean 'source'?"),
        ({"event": "Stop"}, "Known: vendor, source, base_dir"),
        ({"vendor": None}, "a declaration needs 'vendor'"),
        ({"source": None}, "a declaration needs 'source'"),
    ],
    ids=str,
)
def test_rules_with_a_wrong_key_are_refused_by_name(change: dict[str, object], message: str) -> None:
    with pytest.raises(CompatError) as caught:
        rules_declaration({**RULES, **change}, HERE)
    assert caught.value.code is ErrorCode.INVALID_DECLARATION
    assert message in caught.value.message
    assert caught.value.where == HERE


@given(data=st.dictionaries(st.sampled_from([*HOOK_KEYS, *RULES_KEYS, "else"]) | st.text(max_size=3), anything))
def test_any_mapping_is_a_declaration_or_a_coded_error(data: dict[str, object]) -> None:
    for read in (hook_declaration, rules_declaration):
        try:
            declared = read(data)
        except CompatError as error:
            assert error.code is ErrorCode.INVALID_DECLARATION  # noqa: PT017 - either of the two is right
        else:
            assert declared.vendor == data["vendor"]
