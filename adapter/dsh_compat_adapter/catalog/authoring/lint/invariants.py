"""ADAPTED lists at least one loss and has a route and seams; UNSUPPORTED has a reason and mounts nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ....events import Capability
from ..rows import rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for row in rows(sources):
        event = row.event
        if event.capability is Capability.ADAPTED:
            if not (event.degradations or row.vendor.everywhere):
                yield Finding(row.where, "ADAPTED lists no degradation")
            if event.route is None or not event.seams:
                yield Finding(row.where, "ADAPTED has no route or no seam")
            if event.reason is not None:
                yield Finding(row.where, "ADAPTED gives a reason, which is for UNSUPPORTED")
        elif event.reason is None or event.route is not None or event.seams or event.honours or event.degradations:
            yield Finding(row.where, "UNSUPPORTED has a reason and no route, seam, honoured effect or degradation")
        if event.baseline and event.capability is not Capability.ADAPTED:
            yield Finding(row.where, "a baseline row is ADAPTED")
