"""The line that a finding is about, as the terminal shows it, with a mark below the column."""

from collections.abc import Iterable, Sequence
from unicodedata import combining, east_asian_width

from ...errors import Where
from ...printable import printable

TAB = "    "
CUT = "…"


def frame(lines: Sequence[str], where: Where, width: int) -> list[str]:
    """Two lines at most, cut to the width around the column; none when the place is not in the lines.

    Bounded by the width, however long the line is.
    """
    if where.line is None or where.line > len(lines):
        return []
    line = lines[where.line - 1].removesuffix("\r")
    gutter = f"{where.line:>5} | "
    room = max(1, width - len(gutter) - 2 * len(CUT))
    at = min((where.column or 1) - 1, len(line))
    after = _cells(line[at : at + room], room)
    used = sum(map(_width, after))
    before = _cells(reversed(line[max(0, at - room) : at]), max(room - used, room // 2))[::-1]
    after = _cells(line[at : at + room], room - sum(map(_width, before)))
    left = CUT if len(before) < at else ""
    right = CUT if at + len(after) < len(line) else ""
    shown = [f"{gutter}{left}{''.join(before)}{''.join(after)}{right}"]
    if where.column is not None and line.strip():
        shown.append(f"{' ' * (len(gutter) - 2)}| {' ' * (len(left) + sum(map(_width, before)))}^")
    return shown


def _cells(characters: Iterable[str], room: int) -> list[str]:
    """As many characters, each as it is shown, as the room takes."""
    found: list[str] = []
    for character in characters:
        cell = TAB if character == "\t" else printable(character)
        room -= _width(cell)
        if room < 0:
            break
        found.append(cell)
    return found


def _width(cell: str) -> int:
    if cell.isascii():
        return len(cell)
    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in cell)
