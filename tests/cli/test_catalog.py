"""`dsh-compat catalog`: rows that nobody has checked for long are listed, and only those."""

import json

import pytest
from jsonschema import Draft202012Validator

from dsh_compat_adapter.catalog.authoring.schemas import schema
from dsh_compat_adapter.cli import main
from tests.projects import CATALOG

ROWS = [(name, event) for name, vendor in CATALOG.vendors.items() for event in vendor.rows]


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(("catalog", *arguments))
    return code, capsys.readouterr().out


def test_every_row_is_listed_with_its_version_date_and_basis(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = printed(capsys, "--format", "json")
    data = json.loads(out)
    Draft202012Validator(schema("catalog")).validate(data)
    assert code == 0
    assert [(row["vendor"], row["event"]) for row in data["rows"]] == ROWS


def test_with_an_age_that_every_row_exceeds_all_are_stale_and_that_is_exit_1(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out = printed(capsys, "--stale", "--days", "-1")
    assert code == 1
    assert out.splitlines()[-1] == f"{len(ROWS)} of {len(ROWS)} rows were last checked more than -1 days ago"


def test_with_an_age_that_no_row_has_none_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = printed(capsys, "--stale", "--days", "100000")
    assert (code, out) == (0, f"0 of {len(ROWS)} rows were last checked more than 100000 days ago\n")
