"""Folders that a hook writes into and that are not there: the shell then fails before the command begins."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..declare.discover import stands
from ..declare.findings import Finding, make_finding
from ..hooks.hook import RunCommand
from .case import Case
from .files import at_lines, by_file

_INTO = re.compile(r"(?<![<>&\d])(?:1|2)?>>?\s*\"?(?P<folder>[A-Za-z0-9_.][\w./-]*)/[\w.-]+")


def advise(cases: Sequence[Case]) -> Iterator[Finding]:
    """One finding a file and folder."""
    for alike in by_file(cases):
        missing: dict[str, list[Case]] = {}
        for case in alike:
            for folder in dict.fromkeys(_missing(case)):
                missing.setdefault(folder, []).append(case)
        for folder, users in missing.items():
            yield make_finding(
                "output-folder-missing",
                users[0].where,
                f"the hooks{at_lines(users)} write into {folder!r:.80}, which is not there, so the shell fails before "
                "the command begins",
                f"mkdir -p {folder} in the command, or keep the folder in the project",
            )


def _missing(case: Case) -> Iterator[str]:
    action, command = case.hook.action, case.command or ""
    if not isinstance(action, RunCommand) or "mkdir" in command or re.search(r"\bcd\b", command):
        return
    for found in _INTO.finditer(command):
        if not stands(Path(action.cwd).absolute() / found["folder"]):
            yield found["folder"]
