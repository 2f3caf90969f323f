"""The public names (DESIGN section 6, STYLE 6) and the four invariants of a result (DESIGN section 2)."""

import ast
import dataclasses
import inspect
import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dsh_compat_adapter
from dsh_compat_adapter import (
    Capability,
    CapabilityResult,
    CarriedFile,
    CompatAdapter,
    CompatError,
    EmbeddedHost,
    ErrorCode,
    Loss,
    Route,
    Status,
    Where,
)
from dsh_compat_adapter.capability import Warned, to_json
from tests.checkout import PACKAGE

ALL = dsh_compat_adapter.__all__
LOSS = Loss(code="sequential", loss="Hooks run one after another.", evidence="surface:sequential")


def type_checking_names() -> list[str]:
    """The names that a type checker sees, in the order of the source."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    return [
        alias.asname or alias.name for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]


def test_the_public_names_are_sorted_and_each_stands_once() -> None:
    assert sorted(set(ALL)) == ALL


def test_the_public_names_are_those_that_can_be_imported_and_that_a_type_checker_sees() -> None:
    namespace: dict[str, Any] = {}
    exec("from dsh_compat_adapter import *", namespace)  # the statement is what is tested
    assert sorted(set(namespace) - {"__builtins__"}) == ALL
    assert sorted(type_checking_names()) == ALL


def test_the_package_lists_its_public_names_to_whoever_looks() -> None:
    assert set(ALL) <= set(dir(dsh_compat_adapter))


@pytest.mark.parametrize("name", ALL)
def test_a_public_name_has_a_docstring_and_is_defined_in_the_package(name: str) -> None:
    value = getattr(dsh_compat_adapter, name)
    assert value.__module__.startswith("dsh_compat_adapter.")
    assert inspect.getdoc(value) == inspect.cleandoc(value.__doc__ or "")
    # a dataclass without one gets its signature
    assert not (value.__doc__ or "").startswith(f"{name}(")
    assert len(value.__doc__ or "") > 20


@pytest.mark.parametrize("name", ALL)
def test_a_public_name_is_one_object_however_it_is_reached(name: str) -> None:
    value = getattr(dsh_compat_adapter, name)
    assert getattr(import_module(value.__module__), name) is value
    assert getattr(dsh_compat_adapter, name) is value


def test_a_public_method_has_a_docstring() -> None:
    for name in ALL:
        for attribute, value in vars(getattr(dsh_compat_adapter, name)).items():
            # an enum or an exception also has the methods of its base, which explain themselves
            if inspect.isfunction(value) and not attribute.startswith("_"):
                assert value.__doc__, f"{name}.{attribute}"


@pytest.mark.parametrize("name", ["NoSuchName", "authoring", "_homes"])
def test_what_is_not_public_is_no_attribute(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        getattr(dsh_compat_adapter, name)


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").exists()


RESULTS = [
    CapabilityResult(
        vendor="claude",
        event="PreToolUse",
        capability=Capability.ADAPTED,
        route=Route.OFFICIAL_BRIDGE,
        seams=("tools/pre-execute",),
        degradations=(LOSS,),
        executable=True,
        warnings=(Warned(code="option-ignored", text="an option"),),
        id="0123456789ab",
    ),
    CapabilityResult(
        vendor="codex",
        event=None,
        capability=Capability.CARRY,
        route=Route.CARRY,
        degradations=(LOSS,),
        files=(CarriedFile(path="a\udce9.rules", sha256="0" * 64, bytes=3),),
    ),
    CapabilityResult(
        vendor="opencode", event="config", capability=Capability.UNSUPPORTED, code="no-seam-for", reason="no seam"
    ),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.capability)
def test_a_result_is_frozen_hashable_and_survives_json(result: CapabilityResult) -> None:
    for field in dataclasses.fields(result):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, field.name, None)
    with pytest.raises((AttributeError, TypeError)):
        result.further = 1  # type: ignore[attr-defined] # that is what must fail
    assert hash(result) == hash(dataclasses.replace(result))
    data = result.to_dict()
    assert json.loads(to_json(data)) == data
    assert set(data) == {field.name for field in dataclasses.fields(result)}


def test_what_a_result_returns_as_data_is_no_way_into_it() -> None:
    result = RESULTS[0]
    data: Any = result.to_dict()
    data["seams"].append("other")
    data["degradations"].clear()
    assert result == RESULTS[0]
    assert result.degradations == (LOSS,)
    assert result.to_dict() != data


def made(**fields: Any) -> CapabilityResult:
    return CapabilityResult(**{"vendor": "claude", "event": "Stop", **fields})


REFUSED = {
    "DIRECT": ({"capability": Capability.DIRECT}, "nothing may claim DIRECT"),
    "DIRECT that lists a loss": (
        {"capability": Capability.DIRECT, "degradations": (LOSS,)},
        "nothing may claim DIRECT",
    ),
    "ADAPTED without a loss": ({"capability": Capability.ADAPTED}, "at least one degradation"),
    "CARRY without a loss": ({"capability": Capability.CARRY, "route": Route.CARRY}, "at least one degradation"),
    "UNSUPPORTED without a reason": ({"capability": Capability.UNSUPPORTED, "code": "no-shell"}, "a code and a reason"),
    "UNSUPPORTED without a code": ({"capability": Capability.UNSUPPORTED, "reason": "no"}, "a code and a reason"),
    "UNSUPPORTED with an empty reason": (
        {"capability": Capability.UNSUPPORTED, "code": "no-shell", "reason": ""},
        "a code and a reason",
    ),
    "UNSUPPORTED that is executable": (
        {"capability": Capability.UNSUPPORTED, "code": "no-shell", "reason": "no", "executable": True},
        "mounts nothing",
    ),
    "UNSUPPORTED with a route": (
        {"capability": Capability.UNSUPPORTED, "code": "no-shell", "reason": "no", "route": Route.NATIVE_SEAM},
        "mounts nothing",
    ),
    "UNSUPPORTED with a seam": (
        {"capability": Capability.UNSUPPORTED, "code": "no-shell", "reason": "no", "seams": ("agent/created",)},
        "mounts nothing",
    ),
}


@pytest.mark.parametrize(("fields", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_a_result_that_would_break_an_invariant_cannot_be_made(fields: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        made(**fields)


def test_a_frozen_result_cannot_be_turned_into_one_that_breaks_an_invariant() -> None:
    with pytest.raises(ValueError, match="nothing may claim DIRECT"):
        dataclasses.replace(RESULTS[0], capability=Capability.DIRECT)
    with pytest.raises(ValueError, match="at least one degradation"):
        dataclasses.replace(RESULTS[0], degradations=())


texts = st.sampled_from([None, "", "a text"])
any_fields = st.fixed_dictionaries(
    {
        "capability": st.sampled_from(list(Capability)),
        "route": st.sampled_from([None, *Route]),
        "seams": st.sampled_from([(), ("agent/created",)]),
        "degradations": st.sampled_from([(), (LOSS,), (LOSS, LOSS)]),
        "executable": st.booleans(),
        "code": texts,
        "reason": texts,
    }
)


@given(any_fields)
def test_whatever_result_can_be_made_keeps_the_invariants(fields: dict[str, Any]) -> None:
    """DESIGN 2: nothing is DIRECT; ADAPTED lists a degradation; UNSUPPORTED has a reason and a code, mounts nothing."""
    right = {
        Capability.DIRECT: False,
        Capability.ADAPTED: bool(fields["degradations"]),
        Capability.CARRY: bool(fields["degradations"]),
        Capability.UNSUPPORTED: bool(fields["code"] and fields["reason"])
        and not (fields["executable"] or fields["route"] or fields["seams"]),
    }[fields["capability"]]
    if right:
        assert made(**fields).to_dict()["capability"] == fields["capability"]
    else:
        with pytest.raises(ValueError, match=r"nothing may claim|at least one|a code and a reason|mounts nothing"):
            made(**fields)


async def test_a_status_is_frozen_and_survives_json_while_the_adapter_lives_and_after(tmp_path: Path) -> None:
    async with CompatAdapter(EmbeddedHost(str(tmp_path))) as adapter:
        before = adapter.status()
        result = await adapter.register_hook(vendor="claude", event="Stop", handler="true")
        after = adapter.status()
    assert isinstance(before, Status)
    assert (before.hooks, after.hooks) == ((), (result,))
    for status in (before, after, adapter.status()):
        assert json.loads(to_json(status.to_dict())) == status.to_dict()
        for field in dataclasses.fields(status):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(status, field.name, None)


@pytest.mark.parametrize(
    ("where", "text"),
    [
        (None, "no such thing [UNKNOWN_NAME]"),
        (Where("a.json"), "a.json: no such thing [UNKNOWN_NAME]"),
        (Where("a.json", 3), "a.json:3: no such thing [UNKNOWN_NAME]"),
        (Where("a.json", 3, 7), "a.json:3:7: no such thing [UNKNOWN_NAME]"),
    ],
)
def test_an_error_says_its_place_its_message_and_its_code(where: Where | None, text: str) -> None:
    error = CompatError(ErrorCode.UNKNOWN_NAME, "no such thing", where=where)
    assert isinstance(error, ValueError)
    assert str(error) == text
    assert (error.code, error.message, error.where) == (ErrorCode.UNKNOWN_NAME, "no such thing", where)


def test_a_code_is_spelt_as_it_is_named() -> None:
    for code in ErrorCode:
        assert code.value == code.name


async def test_a_misspelt_vendor_raises_its_code_and_proposes_the_right_name(tmp_path: Path) -> None:
    async with CompatAdapter(EmbeddedHost(str(tmp_path))) as adapter:
        with pytest.raises(CompatError, match="Did you mean 'claude'") as raised:
            await adapter.register_hook(vendor="claud", event="PreToolUse", handler="true")
        assert raised.value.code is ErrorCode.UNKNOWN_VENDOR
        assert adapter.status().hooks == ()
