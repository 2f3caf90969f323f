"""A condition can be tried on an event: each `~pattern` is a regular expression, and no list is empty."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..rows import rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for row in rows(sources):
        native = row.event.native.when if row.event.native else None
        for path, expected in [*row.event.when.items(), *(native or {}).items()]:
            alternatives = expected if isinstance(expected, list) else [expected]
            if not alternatives:
                yield Finding(row.where, f"{path} is compared with nothing, so the hook never runs")
            for alternative in alternatives:
                if isinstance(alternative, str) and alternative.startswith("~"):
                    yield from _pattern(row.where, path, alternative[1:])


def _pattern(where: str, path: str, pattern: str) -> Iterator[Finding]:
    try:
        re.compile(pattern)
    except re.error as error:
        yield Finding(where, f"{path}: {pattern!r} is no regular expression: {error}")
