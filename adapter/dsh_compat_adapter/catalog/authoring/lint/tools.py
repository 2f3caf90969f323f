"""The tool table maps to tools that a host has, each host's tool once, and rows list what no host calls.

A name may stand in several entries only if all its names do: one tool of the vendor that is several of the host.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..models_vendor import Vendor
from ..rows import degradations, rows
from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    hosts = {tool for surface in sources.surfaces.values() for tool in surface.tools}
    for vendor in sources.vendors.values():
        where = f"vendors/{vendor.vendor}.yaml tools"
        yield from _twice(vendor, where)
        for tool in vendor.tools:
            if tool.host not in hosts:
                yield Finding(where, f"no surface has a tool {tool.host!r}")
        for name in sorted(hosts.intersection(vendor.uncalled_tools)):
            yield Finding(where, f"{name!r} is in uncalled_tools and a surface has it")
    for row in rows(sources):
        listed = [d for d in degradations(row) if d.code == "tools-never-called"]
        expected = ", ".join(row.vendor.uncalled_tools)
        for degradation in listed:
            if degradation.__pydantic_extra__["names"] != expected:
                yield Finding(row.where, f"tools-never-called lists something else than uncalled_tools: {expected}")
        if expected and row.event.subject == "tool.name" and not listed:
            yield Finding(row.where, "uncalled_tools are not listed as tools-never-called")


def _twice(vendor: Vendor, where: str) -> Iterator[Finding]:
    entries = {(tool.name, *tool.aliases) for tool in vendor.tools}
    names = Counter(name for entry in entries for name in entry)
    targets = Counter(tool.host for tool in vendor.tools)
    for name in sorted(name for name, times in names.items() if times > 1):
        yield Finding(where, f"{name!r} stands twice")
    for host in sorted(host for host, times in targets.items() if times > 1):
        yield Finding(where, f"the host's {host!r} stands twice")
