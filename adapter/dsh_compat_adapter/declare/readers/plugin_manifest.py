"""The manifest of a plugin: hooks written into it, or the paths of further hook files.

The file that the vendor loads by itself has an entry of its own in the catalog; a manifest that names it too is said.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from ...catalog.model import Vendor
from ...errors import Where
from ..findings import Finding, make_finding
from ..json_source import JsonDocument, read_json
from . import hook_groups
from .found import Found, total
from .walk import collect, document_findings, group, wrong

LOADED = "hooks/hooks.json"  # without being named


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file, and the hook files that it names. Total."""
    document = read_json(path)
    if not isinstance(document.value, dict):
        return Found(findings=(wrong("the file", "an object", document.value, document.where()),))
    noted = tuple(document_findings(document, vendor))
    declared = document.value.get("hooks")
    if isinstance(declared, dict):
        within = declared if "hooks" in declared else document.value
        steps = ("hooks",) if within is declared else ()

        def place(*path: str | int) -> Where:
            return document.where(*steps, *path)

        return collect(within, place, vendor, group, noted)
    named = list(_named(declared, document, path.parent.parent, vendor))
    read_files = [entry for entry in named if isinstance(entry, Found)]
    return Found(
        hooks=tuple(hook for found in read_files for hook in found.hooks),
        findings=(
            *noted,
            *(entry for entry in named if isinstance(entry, Finding)),
            *(finding for found in read_files for finding in found.findings),
        ),
    )


def _named(declared: object, document: JsonDocument, root: Path, vendor: Vendor) -> Iterator[Found | Finding]:
    entries = [declared] if isinstance(declared, str) else declared
    if entries is None:
        return
    if not isinstance(entries, list):
        yield wrong("hooks", "an object, a path or a list of paths", entries, document.where("hooks"))
        return
    for index, entry in enumerate(entries):
        where = document.where("hooks", index) if entries is declared else document.where("hooks")
        if not isinstance(entry, str):
            yield wrong("an entry of hooks", "a path", entry, where)
            continue
        name = os.path.normpath(entry)
        if name == LOADED:
            yield make_finding(
                "hooks-loaded-anyway",
                where=where,
                message=f"{LOADED} is loaded without being named; {vendor.title} may refuse to load it twice",
                remedy="take it out of the manifest",
            )
        elif name.startswith(("..", "/")):
            yield make_finding(
                "outside-plugin",
                where=where,
                message=f"{entry!r:.120} lies outside of the plugin, so it is not read",
                remedy="keep the hooks of a plugin in its folder",
            )
        else:
            yield hook_groups.read(root / name, vendor)
