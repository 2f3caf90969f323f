"""The one exception of this package and its stable codes.

    CompatError(ValueError)      a declaration, a file or an argument that cannot be processed
        .code                    one of ErrorCode; a code never changes its meaning
        .where                   file and line, when the declaration came from a file

A lack of portability is never an exception: it is an UNSUPPORTED result.
"""

import reprlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

LONGEST = 2000  # characters of a message
DIGITS = 40  # of a number that is shown whole; Python refuses to write one of thousands


class ErrorCode(StrEnum):
    """Why a declaration could not be processed."""

    UNKNOWN_VENDOR = "UNKNOWN_VENDOR"
    UNKNOWN_EVENT = "UNKNOWN_EVENT"
    UNKNOWN_NAME = "UNKNOWN_NAME"  # of a schema, a policy, an output format
    INVALID_HANDLER = "INVALID_HANDLER"
    INVALID_MATCHER = "INVALID_MATCHER"
    INVALID_DECLARATION = "INVALID_DECLARATION"
    INVALID_FILE = "INVALID_FILE"  # cannot be read or parsed
    INVALID_INPUT = "INVALID_INPUT"  # of an event that is to be fired
    RULES_NOT_FOUND = "RULES_NOT_FOUND"
    OUTSIDE_BASE_DIR = "OUTSIDE_BASE_DIR"
    NOT_TEXT = "NOT_TEXT"
    TOO_LARGE = "TOO_LARGE"
    DISPOSED = "DISPOSED"


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a file; line and column count from 1."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


class CompatError(ValueError):
    """A declaration that cannot be processed; the message says what to do about it."""

    def __init__(self, code: ErrorCode, message: str, *, where: Where | None = None) -> None:
        message = _cut(message, LONGEST)
        super().__init__(code, message, where)
        self.code = code
        self.message = message
        self.where = where

    def __str__(self) -> str:
        place = f"{_cut(str(self.where), LONGEST)}: " if self.where else ""
        return f"{place}{self.message} [{self.code}]"


class _Short(reprlib.Repr):
    """`repr` of as much as a message has room for, in a time that does not depend on the value."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.maxlevel = 4
        self.maxstring = self.maxother = limit
        self.maxlist = self.maxtuple = self.maxdict = self.maxset = self.maxfrozenset = self.maxdeque = 8

    def repr_int(self, x: int, level: int) -> str:
        del level
        return f"an integer of {x.bit_length()} bits" if x.bit_length() > DIGITS * 4 else repr(x)

    def repr_bytes(self, x: bytes, level: int) -> str:
        del level
        return repr(x[: self.maxother])


def shown(value: object, limit: int = 200) -> str:
    """A value as a message shows it: as `repr` does, at most `limit` characters. Total, whatever the value does."""
    if isinstance(value, str) and type(value) is str:
        return repr(value) if len(value) <= limit else f"{value[:limit]!r}…"
    with suppress(Exception):
        return _cut(_Short(limit).repr(value), limit)
    return _cut(f"a value of type {type(value).__name__}", limit)


def kind_of(value: object) -> str:
    """What somebody who writes JSON, YAML or TOML calls a value: `an object`, `a list`, `nothing`. Total."""
    if value is None:
        return "nothing"
    kinds = (
        (bool, "a boolean"),
        (int | float, "a number"),
        (str, "a text"),
        (list | tuple, "a list"),
        (Mapping, "an object"),
    )
    return next((name for kind, name in kinds if isinstance(value, kind)), type(value).__name__)


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint for a misspelt name: ` Did you mean 'claude'?`, or nothing when none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - start-up: only an error needs it

    name = name[:100]  # the comparison takes quadratic time
    by_fold: dict[str, str] = {}
    for candidate in known:
        by_fold.setdefault(candidate.casefold(), candidate)
    close = get_close_matches(name.casefold(), by_fold, n=1, cutoff=0.6)
    return f" Did you mean {by_fold[close[0]]!r}?" if close else ""
