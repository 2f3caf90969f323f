"""Paths of scripts that are not the same everywhere: relative ones, and those that git is asked for."""

import re
from collections.abc import Iterator, Sequence

from ..declare.findings import Finding, make_finding
from .case import Case
from .files import at_lines, by_file

SHOWN = 4  # scripts in one message
_FROM_GIT = re.compile(r"\$\(\s*git rev-parse --show-toplevel\s*(?:2>\s*/dev/null\s*)?\)/")


def advise(cases: Sequence[Case]) -> Iterator[Finding]:
    """One finding a file for hooks with relative paths, and one for those whose paths begin with what git prints."""
    for alike in by_file(cases):
        yield from _relative([case for case in alike if case.vendor.dialect.starts_in == "session"])
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


def _relative(cases: Sequence[Case]) -> Iterator[Finding]:
    users = [(case, [one.name for one in case.scripts if one.place == "inside" and one.relative]) for case in cases]
    relative = [case for case, names in users if names]
    if not relative:
        return
    names = list(dict.fromkeys(name for _, scripts in users for name in scripts))
    shown = ", ".join(map(repr, names[:SHOWN])) + (", …" if len(names) > SHOWN else "")
    known = next(iter(relative[0].paths), None)
    yield make_finding(
        "script-relative",
        relative[0].where,
        f"{shown:.300}{at_lines(relative)}: relative to where the hook starts: in the project folder here, and in "
        f"{relative[0].vendor.title} where the agent is",
        f"begin it with the variable {known}" if known else None,
    )
