"""Paths that a command has another program print: outside of a git repository there is none."""

import re
from collections.abc import Iterator, Sequence

from ..declare.findings import Finding, make_finding
from .case import Case
from .files import at_lines, by_file

_FROM_GIT = re.compile(r"\$\(\s*git rev-parse --show-toplevel\s*(?:2>\s*/dev/null\s*)?\)/")


def advise(cases: Sequence[Case]) -> Iterator[Finding]:
    """One finding a file for the hooks whose paths begin with what git prints."""
    for alike in by_file(cases):
        if users := [case for case in alike if _FROM_GIT.search(case.command or "")]:
            known = next(iter(users[0].paths), None)
            yield make_finding(
                "path-from-git",
                users[0].where,
                f"the paths{at_lines(users)} begin with what git says about the repository; outside of one that is "
                "nothing, the path starts at /, and the hook fails at every event",
                f'begin them with "${{{known}}}"'
                if known
                else "make the project a git repository, or give it a fallback: "
                '"$(git rev-parse --show-toplevel || pwd)"',
            )
