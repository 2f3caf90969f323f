"""Walks the `hooks` object that most vendors share, whatever syntax it was written in."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from ...catalog.model import Vendor
from ...errors import CompatError, ErrorCode, Where, kind_of, nearest, shown
from ..declaration import HookDeclaration
from ..findings import Finding, from_error, make_finding
from ..json_source import JsonDocument, read_json
from ..settings import environment, settings_findings, switched_off
from .found import Found

Place = Callable[..., Where]
LISTED = 30  # entries of another shape, in one message
Entry = HookDeclaration | Finding
EntryReader = Callable[[object, Place, tuple[str | int, ...], Vendor], Iterator[Entry]]
NAMES = ("id", "name", "event", "when", "type")  # what an entry of a foreign schema calls itself by
HANDLER = frozenset({"command", "prompt", "url", "bash"})  # keys of a handler that a group has not
DISABLE = "disableAllHooks"


def read_json_hooks(path: Path, vendor: Vendor, read_entry: EntryReader) -> Found:
    """Read a JSON file with a `hooks` object; every entry that cannot be read is a finding, and drops only itself."""
    document = read_json(path)
    found = collect(document.value, document.where, vendor, read_entry, tuple(document_findings(document, vendor)))
    return with_settings(found, document.value, document.where, vendor)


def with_settings(found: Found, data: object, place: Place, vendor: Vendor) -> Found:
    """What else the file says, where it is one of the vendor's settings."""
    if not isinstance(data, Mapping):
        return found
    off = switched_off(data, vendor)
    return replace(
        found,
        findings=(*found.findings, *settings_findings(data, place, vendor)),
        environment=environment(data, place, vendor),
        disables=True if off else found.disables,
        switch=off or found.switch,
    )


def collect(  # noqa: PLR0913, PLR0917 - what a syntax knows
    data: object,
    place: Place,
    vendor: Vendor,
    read_entry: EntryReader,
    noted: tuple[Finding, ...],
    key: str = "hooks",
) -> Found:
    """Walk a parsed document event by event, entry by entry; the events stand below `key`."""
    if not isinstance(data, Mapping):
        return Found(findings=(*noted, wrong("the file", "an object", data, place())))
    disables = data.get(DISABLE)
    if not isinstance(disables, bool | None):
        noted = (*noted, wrong(DISABLE, "true or false", disables, place(DISABLE)))
    entries = list(_entries(data, place, vendor, read_entry, key))
    return Found(
        hooks=tuple(entry for entry in entries if isinstance(entry, HookDeclaration)),
        findings=(*noted, *(entry for entry in entries if isinstance(entry, Finding))),
        disables=disables if isinstance(disables, bool) else None,
    )


def group(entry: object, place: Place, path: tuple[str | int, ...], vendor: Vendor) -> Iterator[Entry]:
    """A matcher group: `{matcher, hooks: [handler, …]}`."""
    if not isinstance(entry, Mapping):
        yield wrong("a matcher group", "an object with `hooks`", entry, place(*path))
        return
    handlers = entry.get("hooks")
    if handlers is None and HANDLER & entry.keys():
        yield make_finding(
            "wrong-shape",
            where=place(*path),
            message=f"a handler stands where {vendor.title} has a matcher group, so it is not loaded",
            remedy='put it into a group: {"hooks": [ … ]}',
        )
        return
    if not isinstance(handlers, list):
        yield wrong("a matcher group's hooks", "a list of handlers", handlers, place(*path, "hooks"))
        return
    for index, item in enumerate(handlers):
        yield handler(item, entry.get("matcher"), path[1], place(*path, "hooks", index), vendor)


def handler(item: object, matcher: object, event: str | int, where: Where, vendor: Vendor) -> Entry:
    """One handler object."""
    if not isinstance(item, Mapping):
        return wrong("a handler", "an object", item, where)
    return HookDeclaration(vendor=vendor.name, event=event, handler=item, matcher=matcher, where=where)


def wrong(what: str, expected: str, found: object, where: Where, more: str = "") -> Finding:
    """The finding for a value of another shape than its place asks for."""
    return make_finding(
        "wrong-shape",
        where=where,
        message=f"{what} should be {expected}, found {kind_of(found)}{more}",
        remedy="correct its shape; until then it is left out, and only it",
    )


def _entries(
    data: Mapping[str, object], place: Place, vendor: Vendor, read_entry: EntryReader, key: str
) -> Iterator[Entry]:
    events = data.get(key)
    if key not in data:
        yield from _missing(data, place, vendor, key)
        return
    if not isinstance(events, Mapping):
        finding = wrong(key, "an object of events", events, place(key, 0) if events else place(key), _listed(events))
        yield replace(
            finding,
            remedy=f"{finding.remedy}: {_shape(key, finding.where)}",
        )
        return
    for event, entries in events.items():
        if event in vendor.beside_events:
            continue
        if not isinstance(entries, list):
            yield _no_list(f"{key}.{event}", entries, place(key, event))
            continue
        read = [
            found
            for index, entry in enumerate(entries)
            for found in read_entry(entry, place, (key, event, index), vendor)
        ]
        if not vendor.has_event(event) and not any(isinstance(found, HookDeclaration) for found in read):
            yield _unknown_event(event, vendor, place(key, event, 0))
            continue
        row = vendor.rows.get(event)
        for found in read:
            if isinstance(found, Finding) and row is not None and row.voids_file:
                yield replace(found, message=f"{found.message}; {vendor.title} then applies nothing of this file")
            else:
                yield found


def _shape(key: str, where: Where) -> str:
    if where.file.endswith(".toml"):
        return f"[[{key}.EVENT]] and, below it, [[{key}.EVENT.hooks]]"
    return f'"{key}": {{"EVENT": [{{"hooks": [HANDLER, …]}}, …]}}'


def _no_list(what: str, entries: object, where: Where) -> Finding:
    if not isinstance(entries, Mapping) or "hooks" not in entries:
        return wrong(what, "a list", entries, where)
    return make_finding(
        "wrong-shape",
        where,
        f"{what} should be a list of matcher groups, found one group that stands in none; it is left out",
        f"write [[{what}]] in front of [[{what}.hooks]]"
        if where.file.endswith(".toml")
        else "put the group into a list",
    )


def _listed(entries: object) -> str:
    """The entries of a list that stands where an object of events should, each by what names it."""
    if not isinstance(entries, list) or not entries:
        return ""
    names = [
        next((str(entry[key]) for key in NAMES if isinstance(entry.get(key), str)), f"[{index}]")
        if isinstance(entry, Mapping)
        else f"[{index}]"
        for index, entry in enumerate(entries[:LISTED])
    ]
    rest = ", …" if len(entries) > LISTED else ""
    return f" of {len(entries)}, none of which is loaded: {', '.join(shown(name) for name in names)}{rest}"


def _unknown_event(event: str, vendor: Vendor, where: Where) -> Finding:
    """An event that nobody has, where no declaration of it could be read, which would say so."""
    known = [*vendor.rows, *(name for row in vendor.rows.values() for name in row.spellings)]
    message = f"{vendor.title} has no event {shown(event)}, so nothing of it is loaded.{nearest(event, known)}"
    return from_error(CompatError(ErrorCode.UNKNOWN_EVENT, message), where)


def _missing(data: Mapping[str, object], place: Place, vendor: Vendor, key: str) -> Iterator[Finding]:
    """No object of events: fine for a settings file, a fault where the events stand at top level."""
    events = [name for name in data if vendor.has_event(name)]
    if events:
        yield make_finding(
            "hooks-object-missing",
            where=place(events[0]),
            message=f"{events[0]} stands at top level, so {vendor.title} loads nothing from this file",
            remedy=f'put the events below one "{key}" object',
        )


def document_findings(document: JsonDocument, vendor: Vendor) -> Iterator[Finding]:
    """Findings about the syntax of the whole file."""
    yield from duplicates(document)
    if not vendor.reads_comments and (extra := document.extras()) is not None:
        yield make_finding(
            "not-strict-json",
            where=extra,
            message=f"a comment or a trailing comma, which is no JSON: {vendor.title} loads nothing of such a file, "
            "and here it counts",
            remedy="take the comments and trailing commas out of this file",
        )


def duplicates(document: JsonDocument) -> Iterator[Finding]:
    """The keys that stand twice in one object."""
    for key, where in document.duplicates():
        yield make_finding(
            "duplicate-key",
            where=where,
            message=f"the key {shown(key)} stands twice in one object; only the last one counts",
            remedy="merge the two",
        )
