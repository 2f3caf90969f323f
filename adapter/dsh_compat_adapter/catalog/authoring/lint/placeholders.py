"""A degradation names a known code and fills exactly the placeholders of its sentence."""

from __future__ import annotations

from collections.abc import Iterator

from ..models import Degradation
from ..rows import degradations, rows
from ..sources import Finding, Sources
from .languages import fields


def check(sources: Sources) -> Iterator[Finding]:
    for row in rows(sources):
        for degradation in degradations(row):
            yield from _one(sources, row.where, degradation)
    for vendor, rules in sources.rules.items():
        for file in rules.files:
            for degradation in file.degradations:
                yield from _one(sources, f"rules/{vendor}.yaml {file.path}", degradation)


def _one(sources: Sources, where: str, degradation: Degradation) -> Iterator[Finding]:
    loss = sources.losses.get(degradation.code)
    if loss is None:
        yield Finding(where, f"{degradation.code!r} is not in vendors/losses.yaml")
        return
    given = set(degradation.__pydantic_extra__)
    # the trigger `field` needs to know which one, even where the sentence does not print it
    expected = {*fields(loss.en), *(["field"] if loss.trigger == "field" else [])}
    if given != expected:
        yield Finding(where, f"{degradation.code}: expected the keys {sorted(expected)}, found {sorted(given)}")
