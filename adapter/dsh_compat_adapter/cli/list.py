"""`dsh-compat list`: the hook files of a project, in the order in which their hooks are appended."""

import argparse

from ..capability import to_json
from ..catalog.load import Catalog
from ..printable import printable
from .project import scanned
from .text import say


def run(arguments: argparse.Namespace) -> int:
    """Print the files that were found."""
    found = scanned(arguments, Catalog.load())
    if arguments.format == "json":
        say(to_json({"files": [str(path) for path in found.files]}))
        return 0
    for path in found.files:
        say(printable(str(path)))
    if not found.files:
        say("no hook file, rules file or compat.yaml was found")
    return 0
