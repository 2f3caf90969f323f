"""A place that a vendor never reads has one of the same layer that it does read, which is where the file has to go."""

from __future__ import annotations

from collections.abc import Iterator

from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for vendor in sources.vendors.values():
        layers = {file.layer for file in vendor.config if file.read}
        for file in vendor.config:
            if not file.read and file.layer not in layers:
                yield Finding(f"vendors/{vendor.vendor}.yaml config", f"{file.path}: no place of its layer is read")
