"""What happens to hooks on Windows: they are started by a POSIX shell everywhere, whatever the vendor does there."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ..catalog.model import Vendor
from ..declare.findings import Finding, make_finding
from ..hooks.hook import RunCommand
from .case import Case
from .files import at_lines, by_file

# what a POSIX shell reads otherwise than PowerShell or cmd
_POSIX = re.compile(r"\|\||&&|\$\{?[A-Za-z_]|2>|/dev/null|\.sh\b|\b(?:ba)?sh -|\bthen\b|\[ |^\s*(?:ba|da|z)?sh\s")


def advise(cases: Sequence[Case], vendors: Iterable[Vendor]) -> Iterator[Finding]:
    """One finding for a project, and one a file about commands for Windows beside the common ones."""
    posix = [case for case in cases if case.command is not None and _POSIX.search(case.command)]
    if posix:
        first = posix[0]
        shells = sorted({case.hook.action.argv[0] for case in posix if isinstance(case.hook.action, RunCommand)})
        started = " or ".join(shells)
        others = list(dict.fromkeys(_elsewhere([case for case in posix if not _twins(case)], vendors)))
        more = "".join(f"; {other}" for other in others)
        yield make_finding(
            "needs-posix-shell",
            first.where,
            f"{len(posix)} of the hooks here, this one first, are for a POSIX shell and started by {started}, "
            f"so on Windows they run only where that is there{more}",
            "for Windows, call one program (python, node) with a script and no shell syntax",
        )
    for alike in by_file(cases):
        for key in dict.fromkeys(key for case in alike for key in _twins(case)):
            users = [case for case in alike if key in _twins(case)]
            yield make_finding(
                "command-of-one-system",
                users[0].where,
                f"the texts in {key!r}{at_lines(users)} are for Windows; nothing runs them here, on Windows "
                "neither: everywhere the common command runs",
            )


def _elsewhere(cases: Sequence[Case], vendors: Iterable[Vendor]) -> Iterator[str]:
    """The vendors that run these hooks in a shell of Windows there."""
    known = list(vendors)
    for case in cases:
        name = case.vendor.name
        others = [vendor for vendor in known if any(kind.of == name for kind in vendor.config)]
        for vendor in (case.vendor, *others):
            if (shell := vendor.dialect.windows_shell) is not None:
                reads = "" if vendor is case.vendor else f", which reads hooks of {case.vendor.title} too,"
                yield f"{vendor.title}{reads} runs them in {shell} there"


def _twins(case: Case) -> tuple[str, ...]:
    """The keys of a handler that hold a command for Windows alone."""
    raw, handlers = case.declaration.handler, case.vendor.dialect.handlers
    if not isinstance(raw, Mapping):
        return ()
    return tuple(key for key in handlers.windows_command_keys if raw.get(key) and key not in handlers.command_keys)
