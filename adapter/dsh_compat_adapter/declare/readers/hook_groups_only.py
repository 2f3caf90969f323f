"""The grouped shape in a file that may hold nothing else: with any further key the vendor loads nothing of it."""

from pathlib import Path

from ...catalog.model import Vendor
from ...errors import nearest
from ..findings import make_finding
from ..json_source import read_json
from .found import Found, total
from .walk import collect, document_findings, group

KEYS = ("description", "hooks")


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    document = read_json(path)
    data = document.value if isinstance(document.value, dict) else {}
    further = [
        make_finding(
            "unknown-key",
            where=document.where(key),
            message=f"{key!r:.80} is no key of this file, so {vendor.title} loads nothing of it.{nearest(key, KEYS)}",
            remedy=f"known: {', '.join(KEYS)}",
        )
        for key in data
        if key not in KEYS and not vendor.has_event(key)
    ]
    return collect(document.value, document.where, vendor, group, (*document_findings(document, vendor), *further))
