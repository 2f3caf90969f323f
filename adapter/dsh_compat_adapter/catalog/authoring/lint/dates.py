"""Nothing was checked in the future: no row, no rules file, no surface."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from ..rows import rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    # a day of grace: authors live in every time zone
    limit = dt.datetime.now(dt.UTC).date() + dt.timedelta(days=1)
    dated = [(row.where, row.event.checked) for row in rows(sources)]
    dated += [(f"rules/{vendor}.yaml", rules.checked) for vendor, rules in sources.rules.items()]
    dated += [(f"surface {name}", surface.checked) for name, surface in sources.surfaces.items()]
    for where, checked in dated:
        if checked.date > limit:
            yield Finding(where, f"checked on {checked.date}, which is in the future")
