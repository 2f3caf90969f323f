"""The tool table maps to tools that the host has, each vendor name once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    hosts = {tool for surface in sources.surfaces.values() for tool in surface.tools}
    for vendor in sources.vendors.values():
        where = f"vendors/{vendor.vendor}.yaml tools"
        names = Counter(name for tool in vendor.tools for name in (tool.name, *tool.aliases))
        for name in sorted(name for name, times in names.items() if times > 1):
            yield Finding(where, f"{name!r} stands twice")
        for tool in vendor.tools:
            if tool.host not in hosts:
                yield Finding(where, f"no surface has a tool {tool.host!r}")
