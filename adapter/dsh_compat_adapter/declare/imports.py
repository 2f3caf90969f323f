"""`@path` imports in the text of a rules file, found as the vendors find them.

Only a text that seems to have some makes this module import markdown_it, which says where its code is.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..errors import Where
from .front_matter import end_of_front_matter

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LONGEST = 128 * 1024  # characters of Markdown that are looked at: its parser takes a second for as many
_LINE = re.compile(r"\r\n?|\n")
_WORD = re.compile(r"(?:^|(?<=[\s*]))@(?P<path>(?:\\ |[^\s\\*])+)")
_SEEMS = re.compile(r"(?:^|[\s*])@[^\s@]")
_ANYWHERE = re.compile(r"@(?P<path>\S+)")
_TICKS = re.compile(r"`+")
_TAKEN = re.compile(r"\.{0,2}/.|~/.|[A-Za-z0-9._-]")
# what looks like this is a path even where nothing stands there; `@name` may be a person or a package
_PATH = re.compile(r"(?:\.{0,2}|~[\w.-]*)/|.*\.(?:md|mdc|txt)$", re.IGNORECASE)
BEHIND = ".,;:!?)\"'_"  # what people write behind a path


class Import(NamedTuple):
    """One import."""

    path: str  # as the vendor reads it
    where: Where
    sure: bool  # it can be nothing else
    taken: bool  # the vendor takes it for one


def imports(text: str, file: str, syntax: str) -> Iterator[Import]:
    """Every import of a text, in its order. Total, and linear in the text. A NUL is in no path."""
    find = _in_markdown if syntax == "markdown" else _anywhere
    for path, where, taken in find(text, file):
        if path and "\0" not in path:
            yield Import(path, where, _PATH.match(path.rstrip(BEHIND)) is not None, taken)


def too_long(text: str, syntax: str) -> bool:
    """Whether nobody looks for the imports of a text that may have some."""
    return syntax == "markdown" and len(text) > LONGEST and _SEEMS.search(text) is not None


class _Found(NamedTuple):
    path: str
    where: Where
    taken: bool


def _anywhere(text: str, file: str) -> Iterator[_Found]:
    """Whatever follows an @, unless an odd number of fences or of single backticks stands before it."""
    lines = _Lines(text)
    start = end_of_front_matter(text)
    ticks = [(run.start(), run.end() - run.start()) for run in _TICKS.finditer(text, start)]
    fences = [at + 3 * number for at, length in ticks for number in range(length // 3)]
    singles = [at for at, length in ticks if length == 1]
    for found in _ANYWHERE.finditer(text, start):
        at = found.start()
        if bisect_left(fences, at) % 2 == 0 and bisect_left(singles, at) % 2 == 0:
            yield _Found(found["path"], lines.where(file, at), taken=True)


def _in_markdown(text: str, file: str) -> Iterator[_Found]:
    """What begins a word of Markdown text: not of code, of a comment or of an HTML block."""
    start = end_of_front_matter(text)
    if len(text) > LONGEST or _SEEMS.search(text, start) is None:
        return
    text = text.replace("\0", "\ufffd")  # as the parser does
    lines = _Lines(text)
    behind = text[:start].count("\n")
    for block in _parser().parse("\n" * behind + text[start:]):
        content = block.content if block.type == "inline" else _without_markup(block.content, block.type)
        if block.map is None or "@" not in content:
            continue
        hidden = [*(_code(content) if block.type == "inline" else ()), *_comments(content)]
        clean = zip(content.split("\n"), _blank(content, hidden).split("\n"), strict=True)
        for row, (line, words) in enumerate(clean, start=block.map[0]):
            begin = lines.column_of(row, line)
            for found in _WORD.finditer(words):
                path = found["path"].partition("#")[0].replace("\\ ", " ").rstrip("_")
                yield _Found(path, Where(file, row + 1, begin + found.start()), _TAKEN.match(path) is not None)


@cache
def _parser() -> "MarkdownIt":
    """The parser of blocks only, which keeps nothing: that of what is in them takes quadratic time for some texts."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - start-up: only a text with an @ needs it

    parser = MarkdownIt("commonmark").disable("reference")
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


def _without_markup(content: str, kind: str) -> str:
    """Only a block that begins with a comment has text beside it; of every other one nothing is read."""
    is_comment = kind == "html_block" and content.lstrip().startswith("<!--") and "-->" in content
    return content if is_comment else ""


def _code(text: str) -> Iterator[tuple[int, int]]:
    """The code spans: from a run of backticks to the next run of as many."""
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for number, (start, end) in enumerate(runs):
        following.setdefault(end - start, []).append(number)
    number = 0
    while number < len(runs):
        start, end = runs[number]
        same = following[end - start]
        after = bisect_left(same, number) + 1
        if _is_escaped(text, start) or after == len(same):
            number += 1
            continue
        yield start, runs[same[after]][1]
        number = same[after] + 1


def _is_escaped(text: str, at: int) -> bool:
    before = text[max(0, at - 100) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _comments(text: str) -> Iterator[tuple[int, int]]:
    end = 0
    while (start := text.find("<!--", end)) >= 0 and (close := text.find("-->", start + 4)) >= 0:
        end = close + 3
        yield start, end


def _blank(text: str, parts: list[tuple[int, int]]) -> str:
    """The text with blanks in these places, so that what stands behind them begins a word."""
    kept, at = [], 0
    for start, end in sorted(parts):
        if start >= at:
            kept += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
            at = end
    return "".join([*kept, text[at:]])


class _Lines:
    """The lines of a text, to say where something stands in it."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(end.end() for end in _LINE.finditer(text))]
        self._lines = [text[a:b] for a, b in pairwise([*self._starts, len(text)])]

    def where(self, file: str, at: int) -> Where:
        """The place of an offset."""
        row = bisect_left(self._starts, at + 1) - 1
        return Where(file, row + 1, at - self._starts[row] + 1)

    def column_of(self, row: int, part: str) -> int:
        """The column at which what a block has of a line begins."""
        text = part.strip()
        begin = self._lines[row].find(text) if row < len(self._lines) else -1
        return begin - part.find(text) + 1 if begin >= 0 else 1
