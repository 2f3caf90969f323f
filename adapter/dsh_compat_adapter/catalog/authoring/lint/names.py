"""A name means one thing: a file says its own vendor, and no name of a vendor, event, fact or limit stands twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for file, vendor in sources.vendors.items():
        where = f"vendors/{file}.yaml"
        if vendor.vendor != file:
            yield Finding(where, f"the file is about {vendor.vendor!r}; name it vendors/{vendor.vendor}.yaml")
        spellings = [spelling for event in vendor.events.values() for spelling in event.spellings]
        yield from _once(where, "event", [*vendor.events, *spellings])
        yield from _once(where, "fact", [fact.id for fact in vendor.facts])
    for file, rules in sources.rules.items():
        where = f"rules/{file}.yaml"
        if rules.vendor != file or file not in sources.vendors:
            yield Finding(where, f"the file is about {rules.vendor!r}, and vendors/{file}.yaml has to be there")
        yield from _once(where, "fact", [fact.id for fact in rules.facts])
    for name, surface in sources.surfaces.items():
        yield from _once(f"surface {name}", "limit", [limit.id for limit in surface.limits])
    every = [name for vendor in sources.vendors.values() for name in (vendor.vendor, *vendor.aliases)]
    yield from _once("vendors/", "vendor", every)


def _once(where: str, kind: str, names: Iterable[str]) -> Iterator[Finding]:
    for name, times in sorted(Counter(names).items()):
        if times > 1:
            yield Finding(where, f"the {kind} {name!r} stands {times} times")
