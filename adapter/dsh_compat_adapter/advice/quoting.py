"""Paths that stand unquoted in a command: the shell splits them where a name in them has a blank."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ..declare.findings import Finding
from .case import Case

# texts in quotes, an escaped character, or a reference that stands outside of both
_PART = re.compile(
    r"""\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?|(?P<assigned>\b\w+=)?\$(?:\{(?P<braced>\w+)\}|(?P<bare>[A-Za-z_]\w*))""",
    re.DOTALL,
)


# the folder of one user, which is no program: what the shell leaves of a path whose user has a blank in the name
_USER = re.compile(r"(?:[A-Za-z]:)?(?:/c)?[/\\](?:Users|home)[/\\][^/\\]+", re.IGNORECASE)


def advise(case: Case) -> Iterator[Finding]:
    """One finding for each variable that stands unquoted, and for each path that is cut, once."""
    for first, rest in dict.fromkeys(_cut_paths(case)):
        yield case.says(
            "placeholder-unquoted",
            f"a path with a blank stands unquoted: the shell cuts {f'{first} {rest}'!r:.120} after {first!r:.60}, and "
            "the hook fails at every event",
            "put the path into double quotes",
        )
    names = (part["braced"] or part["bare"] for part in _PART.finditer(case.command or "") if part["assigned"] is None)
    for name in dict.fromkeys(name for name in names if name in case.paths):
        yield case.says(
            "placeholder-unquoted",
            f"${name} stands unquoted, so the hook breaks in a folder whose name has a blank",
            f'write "${{{name}}}" in double quotes',
        )


def _cut_paths(case: Case) -> Iterator[tuple[str, str]]:
    """A path up to its first blank, and the word behind that, which goes on with it."""
    for program in case.programs:
        for first, rest in pairwise(program.argv):
            if _USER.fullmatch(first) and re.match(r"[\w.-]+[/\\]", rest):
                yield first, rest
