"""The matcher that a row names exists in its dialect, and a closed set of subjects needs a subject."""

from __future__ import annotations

from collections.abc import Iterator

from ..rows import rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for vendor in sources.vendors.values():
        if "default" not in vendor.dialect.matchers:
            yield Finding(f"vendors/{vendor.vendor}.yaml", "the dialect has no matcher `default`")
        if vendor.bridge is not None and "default" not in vendor.bridge.matchers:
            yield Finding(f"vendors/{vendor.vendor}.yaml", "the bridge has no matcher `default`")
    for row in rows(sources):
        names = [row.event.matcher, *(spelling.matcher for spelling in row.event.spellings.values())]
        for name in names:
            if name not in row.vendor.dialect.matchers:
                yield Finding(row.where, f"the dialect has no matcher {name!r}")
        if row.event.subject_values and row.event.subject is row.event.subject_const is None:
            yield Finding(row.where, "subject_values without a subject")
