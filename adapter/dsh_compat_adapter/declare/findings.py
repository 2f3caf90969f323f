"""What `check` says about a file: a stable code, how bad it is, where it stands, what will happen and what to do."""

from dataclasses import dataclass

from ..capability import Warned
from ..catalog.load import Catalog
from ..errors import CompatError, Where
from .finding_codes import KINDS, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the author of a file should know. The message says what stands there and what will happen."""

    code: str
    severity: Severity
    where: Where
    message: str
    remedy: str | None = None

    def to_dict(self) -> dict[str, object]:
        """The finding as JSON-ready data."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "file": self.where.file,
            "line": self.where.line,
            "column": self.where.column,
            "message": self.message,
            "remedy": self.remedy,
        }


def make_finding(code: str, where: Where, message: str, remedy: str | None = None) -> Finding:
    """A finding of a code of the table, as severe as the table says."""
    return Finding(code=code, severity=KINDS[code].severity, where=where, message=message, remedy=remedy)


def from_error(error: CompatError, where: Where) -> Finding:
    """A declaration that cannot be processed, as a finding of its file; the code is the error's in lower case."""
    return Finding(
        code=error.code.lower().replace("_", "-"),
        severity=Severity.ERROR,
        where=error.where or where,
        message=error.message,
    )


def from_warning(warned: Warned, where: Where) -> Finding:
    """A warning of a result, as a finding of the file that the declaration stands in."""
    return make_finding(warned.code, where, warned.text, warned.remedy)


def summary(code: str, catalog: Catalog) -> str:
    """What all findings of a code have in common; total, for the codes of errors and of losses too."""
    if (kind := KINDS.get(code)) is not None:
        return kind.summary
    if (loss := catalog.losses.get(code)) is not None:
        return loss.means
    return "A file or a declaration cannot be processed."
