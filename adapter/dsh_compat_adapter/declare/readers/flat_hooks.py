"""The flat shape: `hooks: {event: [handler, …]}`, where an entry may also be one group with `hooks` of its own."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ...catalog.model import Vendor
from .found import Found
from .walk import Entry, Place, group, handler, read_json_hooks


def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    return read_json_hooks(path, vendor, entry)


def entry(item: object, place: Place, path: tuple[str | int, ...], vendor: Vendor) -> Iterator[Entry]:
    """An entry of an event: a handler, or one group of handlers."""
    if isinstance(item, Mapping) and "hooks" in item:
        yield from group(item, place, path, vendor)
    else:
        matcher = item.get("matcher") if isinstance(item, Mapping) else None
        yield handler(item, matcher, path[1], place(*path), vendor)
