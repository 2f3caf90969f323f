"""The counts of the baseline matrix are what the specification says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..rows import NATIVE, degradations, rows
from ..sources import Finding, Sources

# seed 004: events by vendor and route, and the ten rows that are approximate
EVENTS = {
    ("claude", "official-bridge"): 7,
    ("claude", "native-translate"): 24,
    ("claude", "native-seam"): 2,
    ("codex", "official-bridge"): 5,
    ("codex", "native-translate"): 6,
    ("codex", "native-seam"): 1,
    ("workbuddy", "official-bridge"): 5,
    ("workbuddy", "native-translate"): 17,
    ("workbuddy", "native-seam"): 2,
    ("opencode", "native-translate"): 29,
    ("copilot", "builtin-bridge"): 10,
    ("copilot", "native-translate"): 4,
}
APPROXIMATE = {
    ("claude", "MessageDisplay"),
    ("claude", "StopFailure"),
    ("codex", "Interrupt"),
    ("workbuddy", "Elicitation"),
    ("workbuddy", "ElicitationResult"),
    ("opencode", "installation.updated"),
    ("opencode", "server.connected"),
    ("opencode", "session.deleted"),
    ("opencode", "session.updated"),
    ("opencode", "tui.toast.show"),
}


def check(sources: Sources) -> Iterator[Finding]:
    baseline = [row for row in rows(sources) if row.vendor.vendor != NATIVE and row.event.baseline]
    found = Counter((row.vendor.vendor, str(row.event.route)) for row in baseline)
    for key in sorted(EVENTS.keys() | found.keys()):
        if found[key] != EVENTS.get(key, 0):
            yield Finding(
                f"vendors/{key[0]}.yaml",
                f"baseline rows on {key[1]}: expected {EVENTS.get(key, 0)}, found {found[key]}",
            )
    approximate = {
        (row.vendor.vendor, row.name)
        for row in baseline
        if any(
            sources.losses[d.code].en.startswith("Approximate") for d in degradations(row) if d.code in sources.losses
        )
    }
    for vendor, name in sorted(APPROXIMATE ^ approximate):
        expected = "is" if (vendor, name) in APPROXIMATE else "is not"
        yield Finding(f"vendors/{vendor}.yaml {name}", f"the row {expected} approximate in the specification")
