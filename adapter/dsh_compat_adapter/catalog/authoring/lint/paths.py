"""Every seam of a row exists, and every path that it reads is a field of one of its seams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..models_dialect import Payload, PayloadField, When
from ..rows import Row, rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for row in rows(sources):
        event = row.event
        yield from _row(sources, row, event.seams, event.when, event.payload)
        for spelling in event.spellings.values():
            yield from _row(sources, row, event.seams, {}, spelling.payload)
        if event.native:
            seams = event.native.seams or event.seams
            yield from _row(sources, row, seams, event.native.when or {}, event.native.payload or {})
        if event.subject and event.seams:
            yield from _known(sources, row, event.seams, {event.subject})
    for vendor in sources.vendors.values():
        known = set(sources.surfaces["embedded-0.1"].fields)
        dialect = vendor.dialect
        used = _paths(dialect.common) | _paths(dialect.common_alternate)
        variables = [*dialect.environment.values(), *(vendor.bridge.environment.values() if vendor.bridge else ())]
        used |= {value for value in variables if not value.startswith("=")}
        for path in sorted(used - known):
            yield Finding(f"vendors/{vendor.vendor}.yaml dialect", f"{path} is not known at every seam")


def _row(sources: Sources, row: Row, seams: Sequence[str], when: When, payload: Payload) -> Iterator[Finding]:
    surface = sources.surfaces["embedded-0.1"]
    for seam in seams:
        if seam not in surface.seams:
            yield Finding(row.where, f"the embedded surface has no seam {seam!r}")
    types = when.get("event.type", [])
    for name in [types] if isinstance(types, str) else types if isinstance(types, list) else []:
        if name not in surface.session_events:
            yield Finding(row.where, f"the embedded surface has no session event {name!r}")
    if seams:
        yield from _known(sources, row, seams, set(when) | _paths(payload))


def _known(sources: Sources, row: Row, seams: Sequence[str], paths: set[str]) -> Iterator[Finding]:
    surface = sources.surfaces["embedded-0.1"]
    known = set(surface.fields).union(*(surface.seams[seam].fields for seam in seams if seam in surface.seams))
    if "event.data" in known:
        known |= {f"event.data.{field}" for fields in surface.session_events.values() for field in fields}
    for path in sorted(paths - known):
        yield Finding(row.where, f"{path} is not a field of {list(seams)}")


def _paths(payload: Payload) -> set[str]:
    fields = (field.path if isinstance(field, PayloadField) else field for field in payload.values())
    return {path for path in fields if path is not None}
