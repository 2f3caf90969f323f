"""`hosts.dsh.bundle`: what of a project can run in which version of DSH, and how it is written down."""

import json
from pathlib import Path

import pytest

from dsh_compat_adapter import Capability, CompatError, ErrorCode
from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.hosts.dsh.bundle import (
    MANIFEST,
    Bundle,
    collect,
    read_bundle,
    surface_of,
    unsupported,
)
from tests.live.bundles import manifest

CATALOG = Catalog.load()
OLD, NEW = "0.1.5-rc.1", "0.2.1-rc.2"
DENY = {"vendor": "claude", "event": "PreToolUse", "matcher": "Write", "handler": "sh deny.sh"}


def bundle(root: Path, version: str = NEW, *, bridge: str = "official", policy: str | None = None) -> Bundle:
    return collect(scan(root, CATALOG), CATALOG, surface_of(CATALOG, version), bridge=bridge, policy=policy)


def test_without_an_official_bridge_an_event_is_unsupported_with_the_reason_and_the_remedy(tmp_path: Path) -> None:
    made = bundle(manifest(tmp_path, [DENY]))
    assert (made.hooks, made.bridges, made.seams) == ((), {}, ())
    (item,) = unsupported(made)
    assert (item.result.code, item.result.capability) == ("no-official-bridge", Capability.UNSUPPORTED)
    assert "0.2.1-rc.2" in str(item.result.reason)
    assert "native" in str(item.result.remedy)


def test_native_is_the_way_without_the_bridge_and_says_so(tmp_path: Path) -> None:
    made = bundle(manifest(tmp_path, [DENY]), bridge="native")
    assert [item.result.route for item in made.items] == ["native-translate"]
    assert made.seams == ("tools/pre-execute", "agent/pre-step")


def test_the_old_version_runs_it_on_the_official_bridge_with_a_generated_configuration(tmp_path: Path) -> None:
    made = bundle(manifest(tmp_path, [DENY]), OLD)
    (group,) = made.bridges["claude"]["hooks"]["PreToolUse"]  # type: ignore[index]  # JSON
    assert group["hooks"][0]["command"] == "sh deny.sh"
    assert made.seams == ()


def test_rules_need_the_seam_at_which_agents_begin(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("be kind", encoding="utf-8")
    made = bundle(tmp_path)
    assert {rule.vendor for rule in made.rules} >= {"codex"}
    assert made.seams == ("agent/created",)


def test_what_is_written_reads_back_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("be kind", encoding="utf-8")
    event = {"vendor": "copilot", "event": "preToolUse", "handler": {"type": "command", "bash": "x"}, "timeout": 3}
    made = bundle(manifest(tmp_path, [DENY, event]), OLD, policy="strict")
    (tmp_path / MANIFEST).write_text(made.manifest(), encoding="utf-8")
    read = read_bundle(tmp_path, CATALOG)
    for name in ("project", "surface", "policy", "hooks", "rules", "bridges", "seams"):
        assert getattr(read, name) == getattr(made, name)
    assert bundle(tmp_path, OLD, policy="strict").manifest() == made.manifest()


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"hooks": [{}], "rules": []}', '{"hooks": 1, "rules": []}'])
def test_a_manifest_that_cannot_be_read_says_how_to_make_it_again(text: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(text, encoding="utf-8")
    with pytest.raises(CompatError, match="dsh-compat build") as caught:
        read_bundle(tmp_path, CATALOG)
    assert caught.value.code is ErrorCode.INVALID_FILE


def test_an_unknown_version_is_refused_with_the_known_ones() -> None:
    with pytest.raises(CompatError, match=r"0\.2\.1-rc\.2.*0\.1\.5-rc\.1") as caught:
        surface_of(CATALOG, "0.2.1")
    assert caught.value.code is ErrorCode.UNKNOWN_NAME
    assert surface_of(CATALOG, None).version == NEW


def test_a_broken_declaration_is_a_finding_and_the_others_stay(tmp_path: Path) -> None:
    made = bundle(manifest(tmp_path, [{**DENY, "matcher": "("}, DENY]), bridge="native")
    assert len(made.hooks) >= 1
    assert json.loads(made.manifest())["hooks"]
