"""The grouped shape in TOML: `[[hooks.Event]]` with a matcher, then `[[hooks.Event.hooks]]`.

The standard parser keeps no positions, so they are those of the table headers; a file in another style names no line.
"""

import re
import tomllib
from collections import Counter
from pathlib import Path

from ...catalog.model import Vendor
from ...errors import CompatError, ErrorCode, Where
from ..findings import from_error
from ..text_file import read_text, text_place
from .found import Found
from .walk import collect, group

Steps = tuple[str | int, ...]
# texts and comments are taken whole, so that nothing inside them counts as a header
_HEADER = re.compile(
    r"""^[ \t]*(?P<table>\[\[)[ \t]*hooks[ \t]*\.[ \t]*(?P<event>[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*"""
    r"""(?P<inner>\.[ \t]*hooks[ \t]*)?\]\]"""
    r"""|"{3}(?:[^\\]|\\.)*?"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*'|#[^\n]*""",
    re.MULTILINE | re.DOTALL,
)
_NAME = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
# the standard parser takes memory by the square of a key's parts, and no configuration nests so deep
MAX_PARTS = 64
_LONG_KEY = re.compile(rf"(?<![\w-]){_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{{MAX_PARTS}}}")


def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    file = str(path)
    try:
        text = read_text(path)
        _check_keys(file, text)
    except CompatError as error:
        return Found(findings=(from_error(error, Where(file)),))
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of too many digits is a plain ValueError
        invalid = CompatError(
            ErrorCode.INVALID_FILE, f"no valid TOML: {error}", where=_error_place(file, text, str(error))
        )
        return Found(findings=(from_error(invalid, Where(file)),))
    headers = _headers(file, text)

    def place(*steps: str | int) -> Where:
        while steps and steps not in headers:
            steps = steps[:-1]
        return headers.get(steps, Where(file))

    return collect(data, place, vendor, group, ())


def _check_keys(file: str, text: str) -> None:
    if (key := _LONG_KEY.search(text)) is not None:
        message = f"a key of more than {MAX_PARTS} parts, so the file was not read; shorten it"
        raise CompatError(ErrorCode.TOO_LARGE, message, where=text_place(file, text, key.start()))


def _error_place(file: str, text: str, message: str) -> Where:
    """What the parser says about the place of an error, which it does in words only."""
    found = re.search(r"\(at line (\d+), column (\d+)\)$", message)
    if found:
        return Where(file, int(found[1]), int(found[2]))
    return text_place(file, text, len(text)) if message.endswith("(at end of document)") else Where(file)


def _headers(file: str, text: str) -> dict[Steps, Where]:
    """Where the table of each group and of each handler begins, in a text that the parser has accepted."""
    found: dict[Steps, Where] = {}
    groups: Counter[str] = Counter()
    handlers: Counter[Steps] = Counter()
    line, read_to = 1, 0
    for header in _HEADER.finditer(text):
        if header["table"] is None:
            continue
        start = header.start("table")
        line, read_to = line + text.count("\n", read_to, start), start
        event = header["event"].strip("\"'")
        steps: Steps = ("hooks", event, groups[event])
        if header["inner"] is None:
            groups[event] += 1
        else:
            inner: Steps = ("hooks", event, groups[event] - 1, "hooks")
            steps = (*inner, handlers[inner])
            handlers[inner] += 1
        found[steps] = Where(file, line, start - text.rfind("\n", 0, start))
    return found
