"""The project's own file: `version: 1` and `events: {canonical: [handler or group, …]}`."""

from pathlib import Path

from ...catalog.model import Vendor
from ...errors import nearest, shown
from ..findings import make_finding
from ..json_source import read_json
from .flat_hooks import entry
from .found import Found, total
from .walk import collect, document_findings, wrong

VERSION = 1
KEYS = ("version", "events", "disableAllHooks")


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    document = read_json(path)
    data = document.value
    if not isinstance(data, dict):
        return Found(findings=(wrong("the file", "an object", data, document.where()),))
    version = data.get("version")
    if version != VERSION or isinstance(version, bool):
        finding = wrong("version", f"the number {VERSION}", version, document.where("version"))
        return Found(findings=(finding,))
    noted = [
        make_finding(
            "unknown-key",
            where=document.where(name),
            message=f"{shown(name)} is no key of this file, so nothing below it is loaded.{nearest(name, KEYS)}",
            remedy=f"known: {', '.join(KEYS)}; hooks stand below `events`, by canonical name",
        )
        for name in data
        if name not in KEYS and name not in vendor.rows
    ]
    return collect(data, document.where, vendor, entry, (*document_findings(document, vendor), *noted), key="events")
