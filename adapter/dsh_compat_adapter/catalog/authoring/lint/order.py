"""The shared vocabulary is sorted, so that a new code has one place."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for before, after in pairwise(sources.losses):
        if before > after:
            yield Finding(f"vendors/losses.yaml {after}", f"stands after {before!r}; codes are in alphabetical order")
