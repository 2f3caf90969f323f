"""`dsh-compat check PATH`: what will happen to every hook and rule of a project."""

import argparse
import sys
from importlib import import_module
from pathlib import Path

from ..catalog.load import Catalog
from ..checking import Checked, check
from ..declare.finding_codes import Severity
from ..errors import CompatError, ErrorCode
from .formats import FORMATS
from .formats.options import Options, Render
from .progress import progress
from .project import SURFACE, folder
from .text import say

FAILS = {
    "error": {Severity.ERROR},
    "warning": {Severity.ERROR, Severity.WARNING},
    "never": set[Severity](),
}


def run(arguments: argparse.Namespace) -> int:
    """Print the check; exit 1 when it found something that `--fail-on` names."""
    if arguments.from_file is not None:
        from .check_many import run as check_many  # noqa: PLC0415 - start-up: only many repositories need asyncio

        return check_many(arguments)
    if arguments.jobs is not None:
        raise CompatError(ErrorCode.INVALID_INPUT, "-j is for --from-file; one PATH is one process")
    root = folder(arguments.path)
    catalog = Catalog.load()
    home = folder(arguments.home) if arguments.home else None
    machine = folder(arguments.machine) if arguments.machine else None
    with progress("hooks and rules", sys.stderr) as told:
        checked = check(root, catalog, catalog.surfaces[SURFACE], home=home, machine=machine, progress=told)
    render: Render = import_module(f".formats.{FORMATS[arguments.format]}", __package__).render
    for line in render(checked, Options(catalog=catalog, folder=Path.cwd(), verbose=arguments.verbose)):
        say(line)
    return 1 if fails(checked, arguments.fail_on) else 0


def fails(checked: Checked, fail_on: str) -> bool:
    """Whether there is a finding as severe as `--fail-on` says."""
    return any(finding.severity in FAILS[fail_on] for finding in checked.findings)
