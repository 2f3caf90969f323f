"""`hosts.dsh.adapter`: a project's hooks as patches for DSH's Python SDK."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from dsh_compat_adapter import Capability, CompatError, DshAdapter, ErrorCode
from dsh_compat_adapter.hosts.dsh import adapter as module
from dsh_compat_adapter.hosts.dsh.adapter import installed_version
from tests.live.bundles import manifest

COPILOT = {"vendor": "copilot", "event": "preToolUse", "handler": "sh a.sh"}


def test_patches_writes_the_bundle_of_the_project_and_of_what_was_registered(tmp_path: Path) -> None:
    (tmp_path / "rules.md").write_text("be kind", encoding="utf-8")
    adapter = DshAdapter(manifest(tmp_path / "project", [COPILOT]), dsh="0.2.1-rc.2", policy="strict")
    hook = adapter.register_hook(vendor="claude", event="Stop", handler="sh b.sh", bridge="native")
    rules = adapter.register_rules(vendor="codex", source=str(tmp_path / "rules.md"))
    assert (hook.capability, rules.capability) == (Capability.ADAPTED, Capability.CARRY)
    assert adapter.patches(tmp_path / "out") == (str(tmp_path / "out/cordis.patch.yml"),)
    written = (tmp_path / "out/manifest.json").read_text(encoding="utf-8")
    assert all(part in written for part in ("sh a.sh", "sh b.sh", "rules.md", '"policy": "strict"'))


def test_status_says_what_everything_comes_to(tmp_path: Path) -> None:
    adapter = DshAdapter(manifest(tmp_path, [COPILOT]), dsh="0.2.1-rc.2")
    adapter.register_hook(vendor="claude", event="Stop", handler="true")
    status = adapter.status()
    assert [result.capability for result in status.hooks] == [Capability.ADAPTED, Capability.UNSUPPORTED]
    assert (status.host, status.policy) == ("DSH 0.2.1-rc.2", "vendor")
    assert adapter.matrix().rows


def test_a_declaration_that_cannot_be_processed_is_raised_and_not_kept(tmp_path: Path) -> None:
    adapter = DshAdapter(tmp_path, dsh="0.2.1-rc.2")
    with pytest.raises(CompatError) as caught:
        adapter.register_hook(vendor="nobody", event="Stop", handler="true")
    assert caught.value.code is ErrorCode.UNKNOWN_VENDOR
    assert adapter.status().hooks == ()


def test_a_wrong_policy_is_an_error_of_the_constructor(tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="unknown policy 'strickt'"):
        DshAdapter(tmp_path, dsh="0.2.1-rc.2", policy="strickt")


@pytest.mark.parametrize(
    ("python", "dsh"), [("0.2.1rc2", "0.2.1-rc.2"), ("0.1.2a3", "0.1.2-alpha.3"), ("0.3.0", "0.3.0")]
)
def test_the_installed_runtime_is_named_as_dsh_names_it(python: str, dsh: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version", lambda _: python)
    assert installed_version() == dsh


def test_without_a_runtime_it_is_for_the_newest_version_that_is_known(tmp_path: Path) -> None:
    assert installed_version() is None
    assert DshAdapter(tmp_path).status().host == "DSH 0.2.1-rc.2"


WRONG: list[object] = [None, 3, b"\xff", "a\0b", "\ud800", [], {}, object(), 10**5000]


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_no_value_makes_a_call_raise_anything_but_the_one_exception(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: object
) -> None:
    monkeypatch.chdir(tmp_path)
    make: Any = DshAdapter
    adapter = make(tmp_path)
    calls = [partial(make, value), *(partial(make, tmp_path, **{key: value}) for key in ("dsh", "home", "catalog"))]
    calls += [partial(make, tmp_path, **{key: value}) for key in ("policy", "bridge")]
    calls += [partial(adapter.register_hook, value), partial(adapter.register_rules, value)]
    calls += [partial(adapter.register_rules, vendor=value, source=value), partial(adapter.patches, value)]
    calls.append(partial(adapter.patches, tmp_path / "out", python=value))
    for call in calls:
        with suppress(CompatError):
            call()
