"""Folders that stand unquoted in a command: the shell splits them where their name has a blank."""

import re
from collections.abc import Iterator

from ..declare.findings import Finding
from .case import Case

# texts in quotes, an escaped character, or a reference that stands outside of both
_PART = re.compile(
    r"""\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?|(?P<assigned>\b\w+=)?\$(?:\{(?P<braced>\w+)\}|(?P<bare>[A-Za-z_]\w*))""",
    re.DOTALL,
)


def advise(case: Case) -> Iterator[Finding]:
    """One finding for each variable that stands unquoted, once."""
    names = (part["braced"] or part["bare"] for part in _PART.finditer(case.command or "") if part["assigned"] is None)
    for name in dict.fromkeys(name for name in names if name in case.paths):
        yield case.says(
            "placeholder-unquoted",
            f"${name} stands unquoted, so the hook breaks in a folder whose name has a blank",
            f'write "${{{name}}}" in double quotes',
        )
