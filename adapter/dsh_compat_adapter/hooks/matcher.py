"""Whether a hook's matcher selects an occurrence, in the vendor's own semantics.

Compiling is where everything can go wrong and is said; matching is total and takes linear time, or a bounded time
where the pattern needs a backtracking engine.
"""

import re
import string
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..catalog.model import MatcherDialect
from ..errors import CompatError, ErrorCode
from .patterns import compile_pattern

NOBODY = "zzNobodyIsCalledThis0"
ALPHANUMERIC = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True)
class Matcher:
    """A compiled matcher. `text` is what the author wrote, none when the hook runs at every occurrence."""

    text: str | None
    accepts: Callable[[str], bool]
    names: tuple[str, ...] | None = None  # when it is a list of names, compared exactly

    def matches(self, subjects: Sequence[str]) -> bool:
        """Whether any of these subjects is selected. Total."""
        return self.text is None or any(self.accepts(subject) for subject in subjects)

    def selects(self, names: Sequence[str]) -> bool:
        """Whether one subject is selected that goes by all of these names, the one the hook is told first. Total.

        A pattern with a negation that accepts even a name which nobody has selects by exclusion, so only the first name
        counts: what `^(?!Read$)` leaves out stays out although the same tool is also called read_file.
        """
        negates = self.text is not None and ("(?!" in self.text or "[^" in self.text)
        return self.matches(names[:1] if negates and self.accepts(NOBODY) else names)


EVERY = Matcher(None, lambda _: True)


def compile_matcher(text: object, dialect: MatcherDialect) -> Matcher:
    """Compile a matcher as its author wrote it; an absent one (None) means every occurrence.

    Raises INVALID_MATCHER for a value that is no text, and for a pattern that the vendor's regex engine refuses. A
    caller that reads files turns that into a finding, and the hook never matches, as at the vendor.
    """
    if text is None or dialect.kind == "none":
        return EVERY
    if not isinstance(text, str):
        raise CompatError(
            ErrorCode.INVALID_MATCHER, f"matcher must be a string, found {type(text).__name__}: {text!r:.80}"
        )
    if text in dialect.match_all:
        return EVERY
    match dialect.kind:
        case "literal":
            return Matcher(text, lambda subject: subject == text)
        case "names-or-regex" | "names-or-anchored-regex" if _is_list_of_names(text, dialect):
            names = tuple(_names(text, dialect))
            return Matcher(text, frozenset(names).__contains__, names)
        case "anchored-regex" | "names-or-anchored-regex":
            return Matcher(text, compile_pattern(text, dialect.flavour, anchored=True))
        case _:
            return Matcher(text, compile_pattern(text, dialect.flavour, anchored=False))


def _is_list_of_names(text: str, dialect: MatcherDialect) -> bool:
    allowed = ALPHANUMERIC + dialect.name_chars
    return all(character in allowed for character in text)


def _names(text: str, dialect: MatcherDialect) -> Iterable[str]:
    parts = re.split(f"[{re.escape(dialect.separators)}]", text) if dialect.separators else [text]
    return (part.strip() for part in parts) if dialect.trim else parts
