"""The flat shape: `hooks: {event: [handler, …]}`, where an entry may also be one group with `hooks` of its own."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ...catalog.model import Vendor
from .found import Found
from .walk import Entry, Place, group, handler, read_json_hooks


def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    return read_json_hooks(path, vendor, _entry)


def _entry(entry: object, place: Place, path: tuple[str | int, ...], vendor: Vendor) -> Iterator[Entry]:
    if isinstance(entry, Mapping) and "hooks" in entry:
        yield from group(entry, place, path, vendor)
    else:
        matcher = entry.get("matcher") if isinstance(entry, Mapping) else None
        yield handler(entry, matcher, path[1], place(*path), vendor)
