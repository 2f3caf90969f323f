"""`--format jsonl`: the check of one repository on one line, of the schema `check_line`."""

import json
from collections.abc import Iterator

from ...checking import Checked
from .options import Options


def render(checked: Checked, _: Options) -> Iterator[str]:
    """One line."""
    yield json.dumps(checked.to_dict())
