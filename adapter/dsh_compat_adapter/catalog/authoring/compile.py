"""Compiles the validated sources into the one JSON file that the running side reads."""

from __future__ import annotations

import json

from .sources import Sources

FORMAT = 1


def compile_catalog(sources: Sources) -> str:
    """The text of `catalog.json`: one line a vendor event, so that a change of a row is a readable diff."""
    data = {
        "format": FORMAT,
        "generated": "from vendors/, rules/ and the surface files by scripts/regenerate; do not edit",
        "losses": {code: loss.model_dump(mode="json") for code, loss in sources.losses.items()},
        "points": {name: point.model_dump(mode="json") for name, point in sources.points.items()},
        "rules": {
            name: rules.model_dump(mode="json", include={"files", "unread", "settings"})
            for name, rules in sources.rules.items()
        },
        "surfaces": {name: surface.model_dump(mode="json") for name, surface in sources.surfaces.items()},
        "vendors": {name: vendor.model_dump(mode="json") for name, vendor in sources.vendors.items()},
    }
    return _lines(data, depth=4) + "\n"


def _lines(value: object, depth: int, indent: str = "") -> str:
    """JSON with one member a line down to `depth`, compact below it."""
    if not isinstance(value, dict) or not value or depth == 0:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    inner = indent + " "
    members = (f"{inner}{json.dumps(key)}:{_lines(member, depth - 1, inner)}" for key, member in value.items())
    return "{\n" + ",\n".join(members) + "\n" + indent + "}"
