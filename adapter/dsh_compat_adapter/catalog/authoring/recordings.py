"""Makes the digest of the recorded cases that is shipped, from the recordings of the vendors' engines."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

FOLDER = Path("tests/vectors/vendors")


def digest(root: Path) -> str:
    """The recordings below a checkout as the JSON text of `catalog.observed`, one case a line."""
    vendors = [_vendor(path.read_text(encoding="utf-8")) for path in sorted((root / FOLDER).glob("*.yaml"))]
    return "{\n" + ",\n".join(vendors) + "\n}\n"


@cache
def _vendor(text: str) -> str:
    data: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    differences = data.get("differences") or {}
    given = [entry for entry in data["cases"] if "reads" in entry]
    sizes = [len(entry["seen"].get(entry["reads"]) or ()) for entry in given]
    differing = [len(differences.get(entry["id"], {}).get("fields", ())) for entry in given]
    head = {
        "version": data["engine"]["version"],
        "date": str(data["engine"]["recorded"]),
        "fields": sum(sizes),
        "equal_fields": sum(sizes) - sum(differing),
    }
    cases = [json.dumps(_case(entry, differences.get(entry["id"], {})), ensure_ascii=False) for entry in data["cases"]]
    opening = json.dumps({data["vendor"]: head}, ensure_ascii=False)[1:-2]
    return f'{opening}, "cases": [\n' + ",\n".join(cases) + "\n]}"


def _case(entry: dict[str, Any], difference: dict[str, Any]) -> dict[str, object]:
    return {
        "id": entry["id"],
        "says": entry["says"],
        "event": entry["event"],
        "reads": "reads" in entry,
        "verdict": difference.get("verdict", "equal"),
        "codes": difference.get("codes", []),
        "because": difference.get("because"),
    }
