"""The checkout under test: its root, its sources, and copies of it that a test may change."""

import shutil
from functools import cache
from pathlib import Path

from dsh_compat_adapter.catalog.authoring.sources import Sources, read

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "adapter/dsh_compat_adapter"
# what the generated files are made from and made into
PARTS = ("adapter", "vendors", "rules", "scripts", "tests/vectors/vendors", "README.md", "README.zh.md")


@cache
def sources() -> Sources:
    """The validated sources of this checkout. Shared: a test that changes them makes a copy of what it changes."""
    return read(ROOT)


def copy(to: Path) -> Path:
    """A copy of what `scripts/regenerate` works on."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, to / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy2(source, to / part)
    return to
