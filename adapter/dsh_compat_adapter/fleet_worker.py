"""A worker of `fleet`: checks the repositories that stdin names, one JSON text a line, until stdin ends.

It answers on stdout with one line of JSON (the size of the text that follows, the counts, an error) and the text.
"""

import json
import os
import sys
import traceback
from pathlib import Path

from .catalog.load import Catalog
from .checking import check
from .errors import ErrorCode, shown
from .fleet import DEFECT, Line, not_checked


def main(surface: str) -> None:
    """Serve until stdin ends or nobody reads the answers."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # stdout is for answers, whatever else prints
    catalog = Catalog.load()
    for question in sys.stdin.buffer:
        line = answer(json.loads(question), catalog, surface)
        text = line.text.encode()
        error = {"code": line.error.code, "text": line.error.text} if line.error else None
        head = {"size": len(text), "counts": line.counts, "error": error}
        try:
            out.write(json.dumps(head).encode() + b"\n" + text)
            out.flush()
        except BrokenPipeError:
            os._exit(0)  # whoever asked is gone


def answer(root: str, catalog: Catalog, surface: str) -> Line:
    """The line of one repository. Total: a defect of this program is an error of the repository that shows it."""
    try:
        os.scandir(root).close()
    except (OSError, ValueError) as error:
        return not_checked(
            root, ErrorCode.INVALID_INPUT, f"no folder that can be read ({getattr(error, 'strerror', error)})"
        )
    try:
        checked = check(Path(root), catalog, catalog.surfaces[surface])
        return Line(root=root, text=json.dumps(checked.to_dict()), counts=checked.counts())
    except Exception as error:  # noqa: BLE001 - one repository must not end the others
        traceback.print_exception(error)
        return not_checked(root, DEFECT, f"a defect of this program: {shown(error)}")
