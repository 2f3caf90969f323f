"""Every piece of evidence exists: a fact of the file, a limit of a surface, or a test of this repository."""

from __future__ import annotations

from collections.abc import Iterator

from ..models import Degradation
from ..rows import degradations, rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    limits = {limit.id for surface in sources.surfaces.values() for limit in surface.limits}
    for row in rows(sources):
        facts = {fact.id for fact in row.vendor.facts}
        for degradation in degradations(row):
            yield from _resolve(sources, row.where, degradation, facts, limits)
    for vendor, rules in sources.rules.items():
        facts = {fact.id for fact in rules.facts}
        for file in rules.files:
            for degradation in file.degradations:
                yield from _resolve(sources, f"rules/{vendor}.yaml {file.path}", degradation, facts, limits)


def _resolve(
    sources: Sources, where: str, degradation: Degradation, facts: set[str], limits: set[str]
) -> Iterator[Finding]:
    kind, _, target = degradation.evidence.partition(":")
    if kind == "test":
        path, _, name = target.partition("::")
        file = sources.root / path
        found = file.is_file() and f"def {name}(" in file.read_text(encoding="utf-8")
    else:
        found = target in (facts if kind == "fact" else limits)
    if not found:
        yield Finding(where, f"{degradation.code}: the evidence {degradation.evidence!r} does not exist")
