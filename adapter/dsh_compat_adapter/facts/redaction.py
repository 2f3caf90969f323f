"""Takes credentials out of what is stored or logged, and counts them.

Total: whatever the text, the result is text. What the hooks, the tools and the protocol see is never touched; only the
copies that facts, evidence and logs keep go through here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from .shapes import NAME, TAIL, compile_shapes, plausible, shape_set

if TYPE_CHECKING:
    import re2

MARK = "[redacted]"
_MARK = MARK.encode()
SHORT = 8192  # bytes of a text for which a set of shapes is asked
DEEP = 200  # levels of a value that are looked at by name; what is deeper is looked at as text


class Redacted(NamedTuple):
    """A text without its credentials, and how many there were."""

    text: str
    redactions: int


class Redactor:
    """Knows the shapes of credentials, and the names of members whose values are some."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        """`names` are further names (of members, variables, options), compared without regard to case."""
        self._names = tuple(names)
        self._set = shape_set(self._names)
        own = "".join(rf"|^(?i:{re.escape(name)})$" for name in self._names)
        whole = r"^(?i:auth|cookie|set-cookie|authorization|pat|pwd)$"
        self._name = re.compile(rf"{NAME}{TAIL}$|_(?:KEY|PWD|AUTH|PAT)$|{whole}{own}")

    @cached_property
    def _shapes(self) -> "re2._Regexp[bytes]":
        """Made when something looks like a credential, since compiling the shapes takes as long as a hook."""
        return compile_shapes(self._names)

    def clean(self, data: bytes) -> bool:
        """Whether nothing in a text looks like a credential."""
        # the set is the quicker one, but does not say when it runs out of memory, for which a text has to be long
        return self._set.Match(data) is None if len(data) <= SHORT else self._shapes.search(data) is None

    def text(self, text: str) -> Redacted:
        """The text without credentials; JSON is looked at member by member."""
        data = text.encode("utf-8", "surrogatepass")
        if self.clean(data):
            return Redacted(text, 0)
        if text.lstrip()[:1] in ("{", "["):
            with suppress(ValueError, RecursionError):
                return self.value(json.loads(text))
        return self._plain(data)

    def value(self, value: object) -> Redacted:
        """The JSON text of a value, its strings without credentials."""
        found = [0]
        try:
            told = json.dumps(self._walk(value, found, 0), separators=(",", ":"))
        except (ValueError, TypeError, RecursionError):
            return self._plain(json.dumps(str(value)).encode())
        return Redacted(told, found[0])

    def _walk(self, value: object, found: list[int], depth: int) -> object:
        if isinstance(value, str):
            cleaned = self.text(value)  # which may hold JSON itself
            found[0] += cleaned.redactions
            return cleaned.text
        if depth > DEEP:
            cleaned = self._plain(json.dumps(value, default=str).encode())
            found[0] += cleaned.redactions
            return cleaned.text
        if isinstance(value, Mapping):
            return {str(key): self._member(str(key), member, found, depth + 1) for key, member in value.items()}
        if isinstance(value, list | tuple):
            return [self._walk(member, found, depth + 1) for member in value]
        return value if isinstance(value, int | float | None) else str(value)

    def _member(self, name: str, member: object, found: list[int], depth: int) -> object:
        if self._is_secret(name, member):
            found[0] += 1
            return MARK
        return self._walk(member, found, depth)

    def _is_secret(self, name: str, member: object) -> bool:
        """Whether the value of a member is a credential by the name of the member."""
        if not member or isinstance(member, bool) or not self._name.search(name):
            return False
        if isinstance(member, str):
            return plausible(member.encode("utf-8", "surrogatepass"))
        return isinstance(member, int) and "tok" not in name.lower()  # max_token is a number of tokens

    def _plain(self, data: bytes) -> Redacted:
        """Text without structure."""
        parts: list[bytes] = []
        count = end = 0
        for found in self._shapes.finditer(data):
            start, stop = self._secret(found)
            if start < 0:
                continue
            parts += [data[end:start], _MARK]
            end = stop
            count += 1
        parts.append(data[end:])
        return Redacted(b"".join(parts).decode("utf-8", "surrogatepass"), count)

    @staticmethod
    def _secret(found: "re.Match[bytes]") -> tuple[int, int]:
        """Where in a match the secret stands; a negative start when it is none."""
        group = found.lastindex
        if group is not None:
            return found.span(group) if plausible(found[group]) else (-1, -1)
        text = found[0]
        if text.startswith(b"-----"):
            return found.span()
        start = found.start()
        if text[:1] == b"\\":
            start += 2
        elif not text[:1].isalnum():
            start += 1
        if text[start - found.start() :].startswith(b"sk-") and not re.search(rb"\d", text):
            return -1, -1  # risk-assessment-of-something
        return start, found.end()
