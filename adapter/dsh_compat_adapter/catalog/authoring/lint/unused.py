"""Every code of the vocabulary is used, an unused one is deleted, and those of the run time are there."""

from __future__ import annotations

from collections.abc import Iterator

from ..rows import degradations, rows
from ..sources import Finding, Sources

# Codes that the run time raises by itself, with no row that names them.
RUN_TIME = {
    "bridge-refuses-handler",
    "handler-is-code",
    "hook-of-component",
    "no-official-bridge",
    "no-shell",
    "rules-are-text",
    "seam-missing",
}


def check(sources: Sources) -> Iterator[Finding]:
    used = {degradation.code for row in rows(sources) for degradation in degradations(row)}
    used |= {d.code for rules in sources.rules.values() for file in rules.files for d in file.degradations}
    for code in sources.losses:
        if code not in used | RUN_TIME:
            yield Finding(f"vendors/losses.yaml {code}", "no row uses this code; delete it or use it")
    for code in sorted(RUN_TIME - sources.losses.keys()):
        yield Finding("vendors/losses.yaml", f"{code} is missing, and the run time raises it by itself")
