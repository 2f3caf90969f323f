"""`python -m dsh_compat_adapter.catalog.authoring [VENDOR…]`: validate and lint the sources, print what is wrong."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .lint import lint
from .sources import SourceError, read


def main(argv: Sequence[str]) -> int:
    """Exit 0 when clean, 1 with one finding a line; with names, only the findings of those vendors."""
    try:
        findings = lint(read(Path.cwd()))
    except SourceError as error:
        findings = list(error.findings)
    wanted = [finding for finding in findings if not argv or any(name in finding.where for name in argv)]
    for finding in wanted:
        print(finding)
    return 1 if wanted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
