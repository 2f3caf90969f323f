"""Whether a hook's matcher selects an occurrence, in the vendor's own semantics.

Compiling is where everything can go wrong and is said; matching is total and takes linear time, or a bounded time
where the pattern needs a backtracking engine.
"""

import re
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ..catalog.model import MatcherDialect
from ..errors import CompatError, ErrorCode, kind_of, shown
from .patterns import TIME_LIMIT_S, Accepts, compile_pattern, reads_alike

# names that nobody has and that share no letter: a pattern that accepts both leaves out rather than names
NOBODIES = ("zzNobodyIsCalledThis0", "QwfjPugvKmrtx_9")
PROBE_LIMIT_S = 0.01
ALPHANUMERIC = string.ascii_letters + string.digits


# which of the names of a subject count; `own` are all but the first alias
Compares = Literal["all", "first", "first-alias", "own"]


@dataclass(frozen=True, slots=True)
class Matcher:
    """A compiled matcher. `text` is what the author wrote, none when the hook runs at every occurrence."""

    text: str | None
    accepts: Accepts
    names: tuple[str, ...] | None = None  # when it is a list of names, compared exactly
    compares: Compares = "all"

    def matches(self, subjects: Sequence[str]) -> bool:
        """Whether any of these subjects is selected. Total.

        A subject that a pattern cannot judge in time is selected, since a guard runs rather than not.
        """
        return self.text is None or any(self.accepts(subject) is not False for subject in subjects)

    def selects(self, names: Sequence[str]) -> bool:
        """Whether one subject is selected that goes by all of these names, the one the hook is told first. Total."""
        return self.matches(self.compared(names))

    def compared(self, names: Sequence[str]) -> Sequence[str]:
        """The names of one subject that count; a subject with one name only has that."""
        match self.compares:
            case "all":
                return names
            case "first":
                return names[:1]
            case "first-alias":
                return names[1:2] or names
            case "own":
                return (*names[:1], *names[2:])


def _anything(subject: str, limit_s: float = TIME_LIMIT_S) -> bool | None:  # noqa: ARG001 - the shape of a predicate
    return True


EVERY = Matcher(None, _anything)


def compile_matcher(text: object, dialect: MatcherDialect) -> Matcher:
    """Compile a matcher as its author wrote it; an absent one (None) means every occurrence.

    Raises INVALID_MATCHER for a value that is no text, and for a pattern that the vendor's regex engine refuses. A
    caller that reads files turns that into a finding, and the hook never matches, as at the vendor.
    """
    if text is None or dialect.kind == "none":
        return EVERY
    if not isinstance(text, str):
        raise not_a_text(text)
    if text in dialect.match_all:
        return EVERY
    match dialect.kind:
        case "literal":
            return _list(text, (text,))
        case "names-or-regex" | "names-or-anchored-regex" if _is_list_of_names(text, dialect):
            return _list(text, tuple(_names(text, dialect)))
        case kind:
            accepts = compile_pattern(text, dialect.flavour, anchored="anchored" in kind)
    return Matcher(text, accepts, compares=_compared(accepts, dialect))


def not_a_text(value: object) -> CompatError:
    """Why a value is no matcher; every vendor drops such an entry, also on an event that compares nothing."""
    return CompatError(
        ErrorCode.INVALID_MATCHER,
        f"matcher must be a string, found {kind_of(value)}: {shown(value)}; write the names as one text, such as "
        "'Edit|Write'",
    )


def _compared(accepts: Accepts, dialect: MatcherDialect) -> Compares:
    """Which names of a tool count: for a pattern that leaves names out perhaps one.

    What `^(?!Read$)` excludes stays out although the same tool is also called read_file.
    """
    if dialect.pattern_names in ("all", "first-alias"):
        return dialect.pattern_names
    if all(accepts(nobody, PROBE_LIMIT_S) for nobody in NOBODIES):
        return "first"
    return "own" if dialect.pattern_names == "own-or-first" else "all"


def _list(text: str, names: tuple[str, ...]) -> Matcher:
    known = frozenset(names)

    def accepts(subject: str, limit_s: float = TIME_LIMIT_S) -> bool | None:  # noqa: ARG001 - needs no limit
        return subject in known

    return Matcher(text, accepts, names)


def portable(matcher: Matcher, dialect: MatcherDialect) -> bool:
    """Whether a matcher of this dialect can be said to an engine that takes unanchored JavaScript patterns only."""
    by_text = matcher.text is not None and matcher.names is None
    return not by_text or dialect.flavour == "ecmascript" or reads_alike(matcher.text or "")


def _is_list_of_names(text: str, dialect: MatcherDialect) -> bool:
    allowed = ALPHANUMERIC + dialect.name_chars
    return all(character in allowed for character in text)


def _names(text: str, dialect: MatcherDialect) -> Iterable[str]:
    parts = re.split(f"[{re.escape(dialect.separators)}]", text) if dialect.separators else [text]
    return (part.strip() for part in parts) if dialect.trim else parts
