"""The grouped shape: `hooks: {Event: [{matcher, hooks: [handler, …]}, …]}` in a JSON file."""

from pathlib import Path

from ...catalog.model import Vendor
from .found import Found, total
from .walk import group, read_json_hooks


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    return read_json_hooks(path, vendor, group)
