"""`cli.formats.github`: one workflow command a finding, which nothing in a project can end or add to."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.cli.formats.github import render
from dsh_compat_adapter.declare.finding_codes import Severity
from dsh_compat_adapter.declare.findings import Finding
from tests.findings import ODD, checked, finding, findings, harmless, options

HERE = Path("/repository")


def lines(*some: Finding) -> list[str]:
    return list(render(checked(some, HERE), options(HERE)))


@pytest.mark.parametrize(
    ("severity", "command"), [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.NOTE, "notice")]
)
def test_a_finding_is_a_command_of_its_severity_at_its_place(severity: Severity, command: str) -> None:
    [line, counts] = lines(finding("/repository/.claude/a.json", 3, 7, severity=severity, message="100 %", remedy="r"))
    assert line == f"::{command} file=.claude/a.json,line=3,col=7,title=dsh-compat wrong-shape::100 %25%0Ar"
    assert counts.startswith("1 files: 0 hooks adapted")


def test_a_place_that_nobody_knows_is_left_out() -> None:
    assert lines(finding(line=None, column=None))[0] == "::error file=a.json,title=dsh-compat wrong-shape::it is wrong"


def test_a_name_cannot_add_a_property_and_a_message_cannot_add_a_command() -> None:
    line, _ = lines(finding("a,line=9::x\n::error::y", message="x\r\n::error::y"))
    assert line == (
        "::error file=a%2Cline=9%3A%3Ax%0A%3A%3Aerror%3A%3Ay,line=1,col=1,title=dsh-compat wrong-shape"
        "::x\\r%0A::error::y"
    )


@given(some=st.lists(findings, max_size=5))
def test_each_finding_is_one_printable_line(some: list[Finding]) -> None:
    found = lines(*some, finding(ODD, message=ODD))
    assert len(found) == len(some) + 2
    assert all(harmless(line) for line in found)
    assert all(line.startswith("::") and line.count("::") >= 2 for line in found[:-1])
