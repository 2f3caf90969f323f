"""An official-bridge row says how it runs without the bridge; no other row does."""

from __future__ import annotations

from collections.abc import Iterator

from ....events import Route
from ..rows import rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for row in rows(sources):
        bridged = row.event.route is Route.OFFICIAL_BRIDGE
        if bridged != (row.event.native is not None):
            yield Finding(row.where, "`native` stands on official-bridge rows and on no other")
        if bridged and row.vendor.bridge is None:
            yield Finding(row.where, "the vendor names no bridge")
