"""`authoring.schemas`: each published schema is valid 2020-12, and what people write and commands print keeps to it."""

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from jsonschema import Draft202012Validator

from dsh_compat_adapter import CompatAdapter, EmbeddedHost
from dsh_compat_adapter.catalog.authoring import wire_manifest
from dsh_compat_adapter.catalog.authoring.models import Model
from dsh_compat_adapter.catalog.authoring.schemas import SCHEMAS, schema
from dsh_compat_adapter.catalog.authoring.sources import NO_VENDORS, surface_files
from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.matrix import describe, matrix
from dsh_compat_adapter.cli import main
from dsh_compat_adapter.declare import declaration, manifest
from dsh_compat_adapter.hooks.policy import OnError, Policy
from tests.checkout import PACKAGE, ROOT

CATALOG = Catalog.load()
TEAM = ROOT / "examples/team"


class AsWritten(yaml.CSafeLoader):
    """YAML with dates as the text that stands there, which is what JSON has."""


AsWritten.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


@cache
def validator(name: str) -> Draft202012Validator:
    """The validator of a schema as it is published."""
    text = (PACKAGE / f"schemas/{name}.json").read_text(encoding="utf-8")
    return Draft202012Validator(json.loads(text), format_checker=Draft202012Validator.FORMAT_CHECKER)


def errors(name: str, value: object) -> list[str]:
    """What the published schema has against a JSON value."""
    # through JSON, so that a tuple or an enum that a command prints counts as what the reader gets
    return [
        f"{list(error.path)}: {error.message}" for error in validator(name).iter_errors(json.loads(json.dumps(value)))
    ]


def written(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader=AsWritten)


WRITTEN = {
    **{path: "vendor" for path in (ROOT / "vendors").glob("*.yaml") if path.stem not in NO_VENDORS},
    **dict.fromkeys((ROOT / "rules").glob("*.yaml"), "rules"),
    **dict.fromkeys(surface_files(ROOT), "surface"),
    ROOT / "vendors/losses.yaml": "losses",
    ROOT / "vendors/points.yaml": "points",
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_valid_2020_12_and_says_its_name(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema(name)["title"] == f"dsh-compat {name}"


@pytest.mark.parametrize(("path", "name"), WRITTEN.items(), ids=[path.name for path in WRITTEN])
def test_a_file_that_people_write_validates_against_its_schema(path: Path, name: str) -> None:
    assert errors(name, written(path)) == []


CLAUDE = written(ROOT / "vendors/claude.yaml")
EVENT = CLAUDE["events"]["PreToolUse"]
BAD = {
    "a misspelt key": CLAUDE | {"titel": "Claude Code"},
    "a missing key": {key: value for key, value in CLAUDE.items() if key != "title"},
    "a wrong type": CLAUDE | {"aliases": "claude-code"},
    "DIRECT": CLAUDE | {"events": {"PreToolUse": EVENT | {"capability": "DIRECT"}}},
    "an unknown route": CLAUDE | {"events": {"PreToolUse": EVENT | {"route": "teleport"}}},
    "an unknown effect": CLAUDE | {"events": {"PreToolUse": EVENT | {"honours": ["explode"]}}},
    "no evidence": CLAUDE | {"events": {"PreToolUse": EVENT | {"degradations": [{"code": "sequential"}]}}},
    "a date that is none": CLAUDE
    | {"events": {"PreToolUse": EVENT | {"checked": EVENT["checked"] | {"date": "soon"}}}},
    "no time": CLAUDE | {"dialect": CLAUDE["dialect"] | {"timeout_s": 0}},
}


@pytest.mark.parametrize("value", BAD.values(), ids=BAD.keys())
def test_an_editor_that_validates_against_the_schema_refuses(value: object) -> None:
    assert errors("vendor", value)


def test_the_matrix_keeps_to_its_schema() -> None:
    assert errors("matrix", matrix(CATALOG).to_dict()) == []


def test_the_description_of_each_event_keeps_to_its_schema() -> None:
    for vendor in CATALOG.vendors.values():
        for row in vendor.rows.values():
            assert errors("described", describe(CATALOG, vendor, row).to_dict()) == [], row.event


@pytest.fixture
def team(tmp_path: Path) -> Path:
    """A copy of the example project, with a manifest and one file that cannot be read."""
    root = tmp_path / "team"
    shutil.copytree(TEAM, root)
    (root / ".codebuddy/settings.json").write_text('{"hooks": {"NoSuchEvent": 3}', encoding="utf-8")
    (root / "compat.yaml").write_text(
        "version: 1\n"
        "hooks:\n"
        "  - {vendor: claude, event: PreToolUse, matcher: Bash, handler: cat, timeout: 5, env: {A: b}}\n"
        "  - {vendor: codex, event: Stop, handler: {type: command, command: cat}, bridge: native}\n"
        "rules:\n"
        "  - {vendor: claude, source: CLAUDE.md}\n",
        encoding="utf-8",
    )
    return root


CALLS = {
    "matrix": ("matrix", ["matrix"], 0),
    "described, bridged": ("described", ["explain", "claude", "PreToolUse"], 0),
    "described, by a spelling": ("described", ["explain", "copilot", "PreToolUse"], 0),
    "described, unsupported": ("described", ["explain", "claude", "PreSkillShellCommand"], 0),
    "check": ("check", ["check", "TEAM"], 1),
    "run, a deny": (
        "run",
        [
            "run",
            "TEAM",
            "--event",
            "PreToolUse",
            "--vendor",
            "claude",
            "--tool",
            "Write",
            "--input",
            '{"file_path": "a"}',
        ],
        0,
    ),
    "run, every vendor": ("run", ["run", "TEAM", "--event", "tool:before", "--tool", "Bash", "--input", "{}"], 0),
    "run, nothing": ("run", ["run", "TEAM", "--event", "SessionEnd"], 0),
}


@pytest.mark.parametrize(("name", "argv", "code"), CALLS.values(), ids=CALLS.keys())
def test_what_a_command_prints_keeps_to_its_schema(
    name: str, argv: list[str], code: int, team: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*(str(team) if word == "TEAM" else word for word in argv), "--format", "json"]) == code
    assert errors(name, json.loads(capsys.readouterr().out)) == []


@pytest.mark.parametrize("name", SCHEMAS)
def test_the_command_prints_the_schema_that_the_models_make(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out) == schema(name)


async def test_results_and_status_keep_to_their_schemas(team: Path) -> None:
    async with CompatAdapter(EmbeddedHost(str(team))) as adapter:
        results = [
            await adapter.register_hook(vendor="claude", event="PreToolUse", matcher="Nope", handler="cat"),
            await adapter.register_hook(vendor="claude", event="PreToolUse", handler=print),
            await adapter.register_hook(vendor="claude", event="PreSkillShellCommand", handler="cat"),
            await adapter.register_rules(vendor="claude", source="CLAUDE.md", base_dir=str(team)),
        ]
        assert [str(result.capability) for result in results] == ["ADAPTED", "UNSUPPORTED", "UNSUPPORTED", "CARRY"]
        for result in results:
            assert errors("result", result.to_dict()) == []
        assert errors("status", adapter.status().to_dict()) == []
    assert errors("status", adapter.status().to_dict()) == []


def test_the_manifest_of_the_example_and_of_this_test_keep_to_the_schema(team: Path) -> None:
    assert errors("manifest", written(team / "compat.yaml")) == []
    assert manifest.read_manifest(team / "compat.yaml").hooks


# what the schema refuses, the reader refuses as well
BAD_MANIFESTS = {
    "no version": {"hooks": []},
    "another version": {"version": 2},
    "an unknown key": {"version": 1, "hook": []},
    "hooks that are no list": {"version": 1, "hooks": {}},
    "a hook that is no mapping": {"version": 1, "hooks": ["cat"]},
    "a hook without a handler": {"version": 1, "hooks": [{"vendor": "claude", "event": "Stop"}]},
    "a hook with an unknown key": {
        "version": 1,
        "hooks": [{"vendor": "claude", "event": "Stop", "handler": "cat", "matchers": "a"}],
    },
    "an environment that is no mapping of texts": {
        "version": 1,
        "hooks": [{"vendor": "claude", "event": "Stop", "handler": "cat", "env": {"A": 1}}],
    },
    "rules without a source": {"version": 1, "rules": [{"vendor": "claude"}]},
    "a policy that is no text": {"version": 1, "policy": 1},
}


@pytest.mark.parametrize("value", BAD_MANIFESTS.values(), ids=BAD_MANIFESTS.keys())
def test_what_the_manifest_schema_refuses_the_reader_refuses_as_well(value: object, tmp_path: Path) -> None:
    assert errors("manifest", value)
    path = tmp_path / "compat.yaml"
    path.write_text(yaml.safe_dump(value), encoding="utf-8")
    with pytest.raises(ValueError, match="INVALID_DECLARATION"):
        manifest.read_manifest(path)


def words(model: type[Model], field: str) -> set[str]:
    """The words of an optional closed vocabulary."""
    return {word for part in get_args(model.model_fields[field].annotation) for word in get_args(part)}


def test_the_schema_of_the_manifest_has_the_keys_and_words_that_the_reader_knows() -> None:
    assert set(wire_manifest.Manifest.model_fields) == set(manifest.KEYS)
    assert set(wire_manifest.ManifestHook.model_fields) == set(declaration.HOOK_KEYS)
    assert set(wire_manifest.ManifestRules.model_fields) == set(declaration.RULES_KEYS)
    assert words(wire_manifest.ManifestHook, "bridge") == set(get_args(declaration.Bridge))
    assert words(wire_manifest.ManifestHook, "on_error") == set(OnError)
    assert words(wire_manifest.Manifest, "policy") == set(Policy)
