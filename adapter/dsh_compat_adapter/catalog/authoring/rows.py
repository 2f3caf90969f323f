"""Walks over the rows of the sources, for linters and the compiler."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from .models import Degradation
from .models_vendor import Event, Vendor
from .sources import Sources

NATIVE = "native"  # this project's own dialect: in the catalog, not in the matrix


class Row(NamedTuple):
    """One event with where it stands."""

    vendor: Vendor
    name: str
    event: Event

    @property
    def where(self) -> str:
        """The place, as findings name it."""
        return f"vendors/{self.vendor.vendor}.yaml {self.name}"


def rows(sources: Sources) -> Iterator[Row]:
    """Every row of every vendor, the native dialect included."""
    for vendor in sources.vendors.values():
        for name, event in vendor.events.items():
            yield Row(vendor, name, event)


def degradations(row: Row) -> Iterator[Degradation]:
    """All degradations that a row mentions, those of its vendor, its reason and its native route included."""
    yield from row.event.degradations
    yield from row.vendor.everywhere
    if row.event.reason:
        yield row.event.reason
    if row.event.native:
        yield from row.event.native.degradations
