"""A configuration that lists plugins: `plugin: [name or path, …]`. Each is code, which is never executed here."""

from pathlib import Path

from ...catalog.model import Vendor
from ..findings import Finding
from ..json_source import read_json
from .found import Found, Refused, total
from .walk import duplicates, with_settings, wrong

KEYS = ("plugin", "plugins")


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    document = read_json(path)
    if not isinstance(document.value, dict):
        return Found(findings=(wrong("the file", "an object", document.value, document.where()),))
    refused: list[Refused] = []
    findings: list[Finding] = list(duplicates(document))
    for key in KEYS:
        entries = document.value.get(key)
        if entries is None:
            continue
        if not isinstance(entries, list):
            findings.append(wrong(key, "a list", entries, document.where(key)))
            continue
        for index, entry in enumerate(entries):
            where = document.where(key, index)
            name = entry[0] if isinstance(entry, list) and entry else entry
            if isinstance(name, str):
                refused.append(Refused(name=f"plugin {name}", where=where, code="handler-is-code"))
            else:
                findings.append(wrong(f"an entry of {key}", "a name or a path", name, where))
    found = Found(refused=tuple(refused), findings=tuple(findings))
    return with_settings(found, document.value, document.where, vendor)
