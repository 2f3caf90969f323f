"""A payload can be built: no field is a value and an object at once, and what a row omits is a common field."""

from __future__ import annotations

from collections.abc import Iterator

from ..models_dialect import Payload
from ..rows import Row, rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for row in rows(sources):
        for name in sorted(set(row.event.omit) - row.vendor.dialect.common.keys()):
            yield Finding(row.where, f"{name!r} is omitted and is no common field")
        for payload in _payloads(row):
            # `input` and `input.tool` cannot both stand in one object
            for name in sorted(payload):
                outer = name.rpartition(".")[0]
                while outer:
                    if outer in payload:
                        yield Finding(row.where, f"{outer!r} is a value, so {name!r} cannot stand inside it")
                    outer = outer.rpartition(".")[0]


def _payloads(row: Row) -> Iterator[Payload]:
    """Every payload that a hook of this row may read, with the common fields."""
    event, dialect = row.event, row.vendor.dialect
    common = {name: field for name, field in dialect.common.items() if name not in event.omit}
    yield {**common, **event.payload}
    if event.native and event.native.payload is not None:
        yield {**common, **event.native.payload}
    for spelling in event.spellings.values():
        alternate = dialect.common_alternate if spelling.common == "alternate" else dialect.common
        yield {**alternate, **spelling.payload}
