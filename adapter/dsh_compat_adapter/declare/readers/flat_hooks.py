"""The flat shape: `hooks: {event: [handler, …]}`, where an entry may also be one group with `hooks` of its own."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ...catalog.model import Vendor
from ..findings import Finding, make_finding
from ..json_source import JsonDocument, read_json
from .found import Found, total
from .walk import Entry, Place, collect, document_findings, group, handler, with_settings, wrong

VERSION = 1


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    document = read_json(path)
    noted = (*document_findings(document, vendor), *_version(document, vendor))
    found = collect(document.value, document.where, vendor, entry, noted)
    return with_settings(found, document.value, document.where, vendor)


def _version(document: JsonDocument, vendor: Vendor) -> Iterator[Finding]:
    """What is wrong with a file that says of which version it is, which settings do not."""
    data = document.value
    if not isinstance(data, Mapping) or "version" not in data:
        return
    version = data["version"]
    if version != VERSION or isinstance(version, bool):
        found = wrong("version", f"the number {VERSION}", version, document.where("version"))
        yield replace(found, message=f"{found.message}; {vendor.title} loads nothing of this file", remedy="correct it")
    if "hooks" not in data and not any(vendor.has_event(str(name)) for name in data):
        yield make_finding(
            "hooks-object-missing",
            where=document.where(),
            message=f"there is no hooks object, so {vendor.title} loads nothing from this file",
            remedy='put the events below one "hooks" object',
        )


def entry(item: object, place: Place, path: tuple[str | int, ...], vendor: Vendor) -> Iterator[Entry]:
    """An entry of an event: a handler, or one group of handlers."""
    if isinstance(item, Mapping) and "hooks" in item:
        yield from group(item, place, path, vendor)
    else:
        matcher = item.get("matcher") if isinstance(item, Mapping) else None
        yield handler(item, matcher, path[1], place(*path), vendor)
