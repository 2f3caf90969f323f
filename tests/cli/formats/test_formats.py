"""`cli.formats`: the table of formats, and the two that are JSON."""

import json
from importlib import import_module
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from dsh_compat_adapter.cli.formats import FORMATS, json_document, json_line
from tests.checkout import PACKAGE
from tests.findings import ODD, checked, finding, options

FOLDER = PACKAGE / "cli/formats"
BESIDE = {"__init__", "frame", "options", "places"}  # what formats share


def test_the_table_names_every_format_module_once() -> None:
    assert sorted(FORMATS.values()) == sorted({path.stem for path in FOLDER.glob("*.py")} - BESIDE)


@pytest.mark.parametrize("module", FORMATS.values())
def test_every_format_renders_a_check_without_a_finding(module: str, tmp_path: Path) -> None:
    render = import_module(f"dsh_compat_adapter.cli.formats.{module}").render
    assert "".join(render(checked([], tmp_path), options(tmp_path)))


@pytest.mark.parametrize(("format_", "schema"), [(json_document, "check"), (json_line, "check_line")])
def test_json_is_ascii_of_its_schema_with_the_names_as_they_are(format_: object, schema: str, tmp_path: Path) -> None:
    found = checked([finding(ODD, message=ODD)], tmp_path, [finding("b")])
    [text] = format_.render(found, options(tmp_path))  # type: ignore[attr-defined]  # a module
    assert text.isascii()
    data = json.loads(text)
    Draft202012Validator(json.loads((PACKAGE / f"schemas/{schema}.json").read_text("utf-8"))).validate(data)
    assert [one["file"] for one in data["findings"]] == [ODD]
    assert [one["file"] for one in data["ignored"]] == ["b"]
    assert ("\n" in text) == (schema == "check")
