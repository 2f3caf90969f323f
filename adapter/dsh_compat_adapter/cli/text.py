"""Text for people: width-aware paragraphs, colour only on a terminal, nothing that a terminal would obey."""

import os
import sys

from ..printable import printable

COLOURS = {"red": "31", "yellow": "33", "green": "32", "cyan": "36", "bold": "1", "dim": "2"}
MIN_WIDTH, MAX_WIDTH = 20, 110  # longer lines are hard to read


def coloured(text: str, colour: str) -> str:
    """The text in a colour if stdout is a terminal that wants colour (NO_COLOR is honoured)."""
    if sys.stdout is None or not sys.stdout.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m"


def width() -> int:
    """How many columns a line may take."""
    import shutil  # noqa: PLC0415 - start-up: only text that wraps needs it

    return max(MIN_WIDTH, min(shutil.get_terminal_size().columns, MAX_WIDTH))


def paragraph(text: str, indent: int = 0, *, lead: str = "", colour: str = "dim") -> str:
    """The text wrapped to the terminal and indented; `lead` stands before it in its colour."""
    import textwrap  # noqa: PLC0415 - start-up: only text that wraps needs it

    filled = textwrap.fill(
        printable((f"{lead}: {text}" if lead else text).replace("\n", " ")),
        width=width(),
        initial_indent=" " * indent,
        subsequent_indent=" " * (indent + 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
    # coloured after wrapping: an escape sequence has no width
    return filled.replace(lead, coloured(lead, colour), 1) if lead else filled


def say(text: str = "") -> None:
    """One line on stdout; a character that the terminal's encoding lacks is escaped, never an error."""
    if sys.stdout is None:  # closed by the caller, who wants the exit code
        return
    encoding = sys.stdout.encoding or "utf-8"
    print(text.encode(encoding, "backslashreplace").decode(encoding))
