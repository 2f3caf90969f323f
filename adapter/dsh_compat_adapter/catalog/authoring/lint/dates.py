"""No row was checked in the future."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from ..rows import rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    # a day of grace: authors live in every time zone
    limit = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=1)
    for row in rows(sources):
        if row.event.checked.date > limit:
            yield Finding(row.where, f"checked on {row.event.checked.date}, which is in the future")
