"""`--format github`: workflow commands, which GitHub Actions shows as annotations beside the lines of a change."""

from collections.abc import Iterator

from ...checking import Checked
from ...declare.finding_codes import Severity
from ...printable import printable
from .options import Options
from .places import in_order, path_from
from .text import counts

COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(checked: Checked, options: Options) -> Iterator[str]:
    """One command a finding, then the counts; no message or name can end its command or begin another."""
    for finding in in_order(checked.findings):
        where = finding.where
        properties = {
            "file": path_from(where.file, options.folder),
            "line": where.line,
            "col": where.column,
            "title": f"dsh-compat {finding.code}",
        }
        given = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items() if value is not None)
        message = f"{finding.message}\n{finding.remedy}" if finding.remedy else finding.message
        yield f"::{COMMANDS[finding.severity]} {given}::{_data(message)}"
    yield counts(checked)


def _data(text: str) -> str:
    lines = [printable(line) for line in text.replace("%", "%25").split("\n")]
    return "%0A".join(lines)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
