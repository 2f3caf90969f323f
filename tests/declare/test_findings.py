"""Findings: one table of codes, and a summary for whatever code a finding can have."""

import ast

import pytest

from dsh_compat_adapter.advice.options import ROLES
from dsh_compat_adapter.capability import Warned
from dsh_compat_adapter.declare.finding_codes import KINDS, Severity
from dsh_compat_adapter.declare.findings import from_error, from_warning, make_finding, summary
from dsh_compat_adapter.declare.settings import BY_ROLE
from dsh_compat_adapter.errors import CompatError, ErrorCode, Where
from tests.checkout import PACKAGE
from tests.projects import CATALOG

HERE = Where("a.json", 3, 5)
MAKERS = ("make_finding", "Warned", "says")  # the code comes first, or by its name


def made() -> set[str]:
    """Every code that the package makes a finding of, read from its source."""
    found: set[str] = set()
    for path in PACKAGE.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", None)) in MAKERS:
                named = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
                code = (call.args or named)[0] if call.args or named else None
                if isinstance(code, ast.Constant) and isinstance(code.value, str):
                    found.add(code.value)
    return found


def test_the_table_holds_exactly_the_codes_that_are_made() -> None:
    tabled = {code for code, *_ in (*ROLES.values(), *BY_ROLE.values())}
    assert made() | tabled == set(KINDS)


def test_the_table_is_in_alphabetical_order() -> None:
    assert list(KINDS) == sorted(KINDS)


def test_no_code_is_that_of_an_error_as_well() -> None:
    assert not KINDS.keys() & {code.lower().replace("_", "-") for code in ErrorCode}


def test_a_finding_is_as_severe_as_the_table_says() -> None:
    assert make_finding("hooks-disabled", HERE, "off").severity is Severity.NOTE


def test_a_finding_as_json_names_its_place_and_what_to_do() -> None:
    assert make_finding("duplicate-key", HERE, "twice", "merge").to_dict() == {
        "code": "duplicate-key",
        "severity": "warning",
        "file": "a.json",
        "line": 3,
        "column": 5,
        "message": "twice",
        "remedy": "merge",
    }


def test_an_error_keeps_its_own_place() -> None:
    error = CompatError(ErrorCode.INVALID_HANDLER, "no", where=Where("b.json", 1))
    assert from_error(error, HERE).where == Where("b.json", 1)
    assert from_error(CompatError(ErrorCode.INVALID_HANDLER, "no"), HERE).where == HERE


def test_a_warning_keeps_what_to_do() -> None:
    found = from_warning(Warned(code="matcher-ignored", text="always", remedy="drop it"), HERE)
    assert (found.message, found.remedy, found.severity) == ("always", "drop it", Severity.WARNING)


@pytest.mark.parametrize("code", ["matcher-ignored", "handler-is-code", "invalid-file"])
def test_every_sort_of_code_has_a_summary(code: str) -> None:
    assert summary(code, CATALOG).endswith(".")
