"""The linters: one rule a file, each a function from the sources to findings, listed in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..sources import Finding, Sources
from . import (
    baseline,
    bridge_rows,
    conditions,
    dates,
    effects,
    evidence,
    invariants,
    languages,
    matchers,
    names,
    order,
    paths,
    payloads,
    placeholders,
    places,
    points,
    tools,
    unused,
)

RULES: dict[str, Callable[[Sources], Iterator[Finding]]] = {
    "baseline": baseline.check,
    "bridge-rows": bridge_rows.check,
    "conditions": conditions.check,
    "dates": dates.check,
    "effects": effects.check,
    "evidence": evidence.check,
    "invariants": invariants.check,
    "languages": languages.check,
    "matchers": matchers.check,
    "names": names.check,
    "order": order.check,
    "paths": paths.check,
    "payloads": payloads.check,
    "placeholders": placeholders.check,
    "places": places.check,
    "points": points.check,
    "tools": tools.check,
    "unused": unused.check,
}


def lint(sources: Sources) -> list[Finding]:
    """Run every rule; the findings come in rule order, prefixed by the rule's name."""
    return [
        Finding(finding.where, f"{finding.message} [{name}]")
        for name, rule in RULES.items()
        for finding in rule(sources)
    ]
