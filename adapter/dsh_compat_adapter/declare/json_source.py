"""Reads JSON that people wrote, with comments and trailing commas if they stand there, and the place of every value.

The standard parser reads the text, which keeps no places: those come from a second pass over the tokens, made only
when one is asked for. A file that the parser refuses is tried once more without its comments and trailing commas.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from ..errors import CompatError, ErrorCode, Where
from .text_file import read_text, text_place

MAX_DEPTH = 100  # real settings have ten levels; what is much deeper breaks whoever walks or prints it
MAX_DIGITS = 400  # of an integer; a double, which is what the vendors read, ends at 309

# A string is taken whole, so that nothing inside it counts. One without an end stops at its line: the parser says so.
_STRING = r'"(?:[^"\\\n]|\\.)*+"?+'
_COMMENT = re.compile(rf"{_STRING}|(?P<extra>//[^\r\n]*+|/\*.*?\*/)|/\*.*", re.DOTALL)
# a comma behind an opening bracket follows no value, so it is no trailing one
_COMMA = re.compile(rf"{_STRING}|[\[{{]\s*+,|(?P<extra>,)(?=\s*+[\]}}])", re.DOTALL)
_BRACKET = re.compile(rf"{_STRING}|//[^\r\n]*+|/\*.*?\*/|/\*.*|(?P<open>[\[{{])|(?P<close>[\]}}])", re.DOTALL)
# of text that the parser has accepted
_TOKEN = re.compile(
    rf"(?P<key>{_STRING})\s*+:|(?P<open>[\[{{])|(?P<close>[\]}}])|(?P<comma>,)|(?P<value>{_STRING}|[^\s\[\]{{}},:\"]+)",
    re.DOTALL,
)


class _Spot(NamedTuple):
    """Where a value begins, and what stands in it."""

    start: int
    members: Mapping[str | int, "_Spot"]


class _Index(NamedTuple):
    """The places in one text."""

    root: _Spot
    repeated: Sequence[tuple[str, int]]  # keys that their object has had before
    lines: Sequence[int]  # where each begins

    def place(self, file: str, offset: int) -> Where:
        line = bisect_right(self.lines, offset)
        return Where(file, line, offset - self.lines[line - 1] + 1)


@dataclass(frozen=True)
class JsonDocument:
    """One JSON file: its value and, on request, places in it."""

    file: str
    value: object
    text: str = field(repr=False)  # without the extras, of the same length
    repeats: bool  # some object has a key twice; the last one counts
    first_extra: int | None  # where the first comment or trailing comma stood that was taken out

    def where(self, *path: str | int) -> Where:
        """The place of the value at this path, or of the nearest one around it."""
        spot = self._index.root
        for step in path:
            inner = spot.members.get(step)
            if inner is None:
                break
            spot = inner
        return self._index.place(self.file, spot.start)

    def duplicates(self) -> Iterator[tuple[str, Where]]:
        """Each key that its object has had before, with the place where it comes again, in file order."""
        if self.repeats:
            for name, start in self._index.repeated:
                yield name, self._index.place(self.file, start)

    def extras(self) -> Where | None:
        """Where the first comment or trailing comma stands, which strict JSON has not."""
        return None if self.first_extra is None else self._index.place(self.file, self.first_extra)

    @cached_property
    def _index(self) -> _Index:
        return _index(self.text)


def read_json(path: Path) -> JsonDocument:
    """Read one JSON file; raises INVALID_FILE with line and column, NOT_TEXT or TOO_LARGE."""
    file, text = str(path), read_text(path)
    if (deep := _too_deep(text)) is not None:
        where = text_place(file, text, deep)
        raise CompatError(ErrorCode.INVALID_FILE, f"nested deeper than {MAX_DEPTH} levels; flatten it", where=where)
    repeats = False

    def collect(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeats
        found = dict(pairs)
        repeats = repeats or len(found) < len(pairs)
        return found

    first_extra = None
    try:
        value = json.loads(text, object_pairs_hook=collect, parse_int=_integer)
    except json.JSONDecodeError:
        text, first_extra = _without_extras(text)
        try:
            value = json.loads(text, object_pairs_hook=collect, parse_int=_integer)
        except json.JSONDecodeError as error:
            where = Where(file, error.lineno, error.colno)
            raise CompatError(ErrorCode.INVALID_FILE, f"no valid JSON: {error.msg}", where=where) from None
    return JsonDocument(file, value, text, repeats, first_extra)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


def _too_deep(text: str) -> int | None:
    """The offset of the first bracket below the deepest level that is read."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return None
    depth = 0
    for token in _BRACKET.finditer(text):
        if token.lastgroup == "open":
            depth += 1
            if depth > MAX_DEPTH:
                return token.start()
        elif token.lastgroup == "close":
            depth -= 1
    return None


def _without_extras(text: str) -> tuple[str, int | None]:
    """The text with comments and trailing commas blanked, all else in its place; and where the first of them stood."""
    found: list[int] = []

    def blank(token: re.Match[str]) -> str:
        if token["extra"] is None:
            return token[0]
        found.append(token.start())
        return re.sub(r"[^\r\n]", " ", token[0])

    strict = _COMMA.sub(blank, _COMMENT.sub(blank, text))
    return strict, min(found, default=None)


def _index(text: str) -> _Index:
    """The places of all values of a valid text."""
    top: dict[str | int, _Spot] = {}
    opened = [top]
    steps: list[str | int] = [0]  # of the next value in each of them: a key, or an index
    repeated: list[tuple[str, int]] = []
    for token in _TOKEN.finditer(text):
        step = steps[-1]
        match token.lastgroup:
            case "key":
                steps[-1] = name = json.loads(token["key"])
                if name in opened[-1]:
                    repeated.append((name, token.start()))
            case "comma":
                steps[-1] = step + 1 if isinstance(step, int) else step
            case "close":
                opened.pop()
                steps.pop()
            case kind:
                members: dict[str | int, _Spot] = {}
                opened[-1][step] = _Spot(token.start(), members)
                if kind == "open":
                    opened.append(members)
                    steps.append(0)
    return _Index(top[0], repeated, [0, *(newline.end() for newline in re.finditer("\n", text))])
