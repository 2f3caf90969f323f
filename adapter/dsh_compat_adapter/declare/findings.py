"""What `check` says about a file: a stable code, how bad it is, where it stands and what to do."""

from dataclasses import dataclass
from enum import StrEnum

from ..errors import CompatError, Where


class Severity(StrEnum):
    """error: it will not do what was meant; warning: it may not; note: good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the author of a file should know."""

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


def from_error(error: CompatError, where: Where) -> Finding:
    """A declaration that cannot be processed, as a finding of its file; the code is the error's in lower case."""
    return Finding(
        code=error.code.lower().replace("_", "-"),
        severity=Severity.ERROR,
        where=error.where or where,
        message=error.message,
    )
