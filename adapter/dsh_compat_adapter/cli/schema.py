"""`dsh-compat schema NAME`: one of the published JSON Schemas."""

import argparse
from pathlib import Path

from ..capability import to_json
from ..errors import CompatError, ErrorCode, nearest
from .text import say

FOLDER = Path(__file__).parent.parent / "schemas"


def run(arguments: argparse.Namespace) -> int:
    """Print the schema, or the names of all when none is given."""
    names = sorted(path.stem for path in FOLDER.glob("*.json"))
    if arguments.name is None:
        say(to_json({"schemas": names}) if arguments.format == "json" else "\n".join(names))
        return 0
    if arguments.name not in names:
        hint = nearest(arguments.name, names)
        raise CompatError(ErrorCode.UNKNOWN_NAME, f"no schema {arguments.name!r:.80}.{hint} Known: {', '.join(names)}.")
    say((FOLDER / f"{arguments.name}.json").read_text(encoding="utf-8").rstrip())
    return 0
