"""Every event of a hook point exists, and no event belongs to two."""

from __future__ import annotations

from collections.abc import Iterator

from ..rows import rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    known = {(row.vendor.vendor, row.name): row.event.canonical for row in rows(sources)}
    taken: dict[tuple[str, str], str] = {}
    for name, point in sources.points.items():
        where = f"vendors/points.yaml {name}"
        named = [(vendor, event) for vendor, events in point.events.items() for event in events]
        for vendor, event in named:
            if (vendor, event) not in known:
                yield Finding(where, f"{vendor} has no event {event!r}")
        for place in [*named, *(place for place, canonical in known.items() if canonical in point.canonical)]:
            if place in taken:
                yield Finding(where, f"{place[0]} {place[1]} belongs to {taken[place]} already")
            taken[place] = name
