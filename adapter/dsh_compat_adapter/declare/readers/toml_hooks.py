"""The grouped shape in TOML: `[[hooks.Event]]` with a matcher, then `[[hooks.Event.hooks]]`.

The standard parser keeps no positions, so they are those of table headers and of the lines that begin with a key.
"""

import re
import tomllib
from collections import Counter
from pathlib import Path

from ...catalog.model import Vendor
from ...errors import CompatError, ErrorCode, Where
from ..text_file import read_text, text_place
from .found import Found, total
from .walk import collect, group, with_settings

Steps = tuple[str | int, ...]
_NAME = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
# the standard parser takes memory by the square of a key's parts, and no configuration nests so deep
MAX_PARTS = 64
_PATH = rf"{_NAME}(?:[ \t]*+\.[ \t]*+{_NAME})*+"
# texts and comments are taken whole, so that nothing inside them counts as a header or a key
_LINE = re.compile(
    rf"""^[ \t]*+(?:\[\[[ \t]*+(?P<array>{_PATH})[ \t]*+\]\]|\[[ \t]*+(?P<table>{_PATH})[ \t]*+\]"""
    rf"""|(?P<key>{_PATH})[ \t]*+=)"""
    r"""|"{3}(?:[^\\]|\\.)*?"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*'|#[^\n]*""",
    re.MULTILINE | re.DOTALL,
)
_LONG_KEY = re.compile(rf"(?<![\w-]){_NAME}(?:[ \t]*+\.[ \t]*+{_NAME}){{{MAX_PARTS}}}")


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    file = str(path)
    text = read_text(path)
    _check_keys(file, text)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of too many digits is a plain ValueError
        where = _error_place(file, text, str(error))
        raise CompatError(ErrorCode.INVALID_FILE, f"no valid TOML: {error}", where=where) from error
    places = _places(file, text)

    def place(*steps: str | int) -> Where:
        while steps and steps not in places:
            # a table can be there by the headers of what stands in it alone
            if inner := next((where for other, where in places.items() if other[: len(steps)] == steps), None):
                return inner
            steps = steps[:-1]
        return places.get(steps, Where(file))

    return with_settings(collect(data, place, vendor, group, ()), data, place, vendor)


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


def _places(file: str, text: str) -> dict[Steps, Where]:
    """Where each table, entry of an array of tables and key begins, in a text that the parser has accepted."""
    found: dict[Steps, Where] = {}
    arrays: Counter[Steps] = Counter()
    table: Steps = ()
    line, read_to = 1, 0
    for part in _LINE.finditer(text):
        if part.lastgroup is None:
            continue
        start = part.start(part.lastgroup) if part.lastgroup == "key" else text.index("[", part.start())
        line, read_to = line + text.count("\n", read_to, start), start
        where = Where(file, line, start - text.rfind("\n", 0, start))
        names = [name[0].strip("\"'") for name in re.finditer(_NAME, part[part.lastgroup])]
        if part.lastgroup == "key":
            steps = (*table, *names)
        else:
            steps = _resolved(names[:-1], arrays)
            steps = (*steps, names[-1])
            if part.lastgroup == "array":
                arrays[steps] += 1
                steps = (*steps, arrays[steps] - 1)
            table = steps
        found.setdefault(steps, where)
    return found


def _resolved(names: list[str], arrays: Counter[Steps]) -> Steps:
    """The steps to a table: of each array on the way, its last entry so far."""
    steps: Steps = ()
    for name in names:
        steps = (*steps, name)
        if steps in arrays:
            steps = (*steps, arrays[steps] - 1)
    return steps
