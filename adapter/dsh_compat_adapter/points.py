"""What an event name means: the rows of the catalog that it fires, and how to read a payload in their shape.

Everything that can be known before an event comes is worked out once a name, because a host asks about every tool
call and most of them select no hook.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from .catalog.load import Catalog
from .catalog.model import Row, Tool, Vendor
from .errors import CompatError, ErrorCode, nearest, shown
from .events import Canonical
from .hooks.hook import Hook


class Member(NamedTuple):
    """Where one member of a payload goes: a path of the event, and the host's word for a vendor's value."""

    path: str
    host_values: Mapping[str, str]


class Group(NamedTuple):
    """Hooks that are folded together: one row, one route."""

    vendor: Vendor
    row: Row
    hooks: tuple[Hook, ...]


class Point(NamedTuple):
    """One event name."""

    canonical: Canonical | None
    vendors: tuple[str, ...]
    rows: tuple[tuple[Vendor, Row], ...]
    groups: tuple[Group, ...]
    members: Mapping[str, tuple[Member, ...]]  # by the name of a payload member; a dot stands for nesting
    nested: frozenset[str]  # the names above those with a dot
    tools: Mapping[str, Tool]  # by any vendor's name of the tool
    by_tool: bool  # what is selected depends on the tool's name alone
    misses: set[str]  # names of tools that are known to select nothing


def point(catalog: Catalog, event: str, vendor: str | None, hooks: Sequence[Hook]) -> Point:
    """The point of a vendor's event name, or of a canonical one; a name that several vendors have means all of them.

    Raises UNKNOWN_EVENT with the nearest name, or UNKNOWN_VENDOR.
    """
    vendors = [catalog.vendor(vendor)] if vendor is not None else [*catalog.vendors.values(), catalog.native]
    named = {one.name: row for one in vendors for row in one.rows.values() if event in (row.event, *row.spellings)}
    canonical = Canonical(event) if event in list(Canonical) else None
    if canonical is None:
        canonical = next((row.canonical for row in named.values() if row.canonical), None)
        if not named:
            raise CompatError(ErrorCode.UNKNOWN_EVENT, _unknown(event, vendors, vendor))
    # in the order of the catalog, whichever vendor's name was used
    rows = tuple((one, row) for one in vendors for row in _rows(one, canonical, named.get(one.name)))
    # a payload comes as the vendor sends it whose event name was used, so its word for a tool counts first
    first = sorted(rows, key=lambda fired: fired[0].name not in named)
    tools = {name: tool for one, _ in reversed(first) for tool in one.tools for name in (*tool.aliases, tool.name)}
    groups = tuple(_groups(rows, hooks))
    members: dict[str, tuple[Member, ...]] = {}
    for one, row in rows:
        for name, member in _members(one, row, event):
            there = members.get(name, ())
            # the first row that fills a path says how
            if all(member.path != other.path for other in there):
                members[name] = (*there, member)
    return Point(
        canonical=canonical,
        vendors=tuple(one.name for one, _ in rows),
        rows=rows,
        groups=groups,
        members=members,
        nested=frozenset(name[:dot] for name in members for dot, letter in enumerate(name) if letter == "."),
        tools=tools,
        by_tool=all(group.row.subject == "tool.name" for group in groups),
        misses=set(),
    )


def _rows(vendor: Vendor, canonical: Canonical | None, named: Row | None) -> Iterator[Row]:
    """The rows of a vendor that an event fires: the named one, else those of the same moment."""
    if named is not None:
        yield named
    elif canonical is not None:
        yield from (row for row in vendor.rows.values() if row.canonical is canonical)


def _unknown(event: str, vendors: Sequence[Vendor], vendor: str | None) -> str:
    rows = [row for one in vendors for row in one.rows.values()]
    hint = nearest(event, [name for row in rows for name in (row.event, *row.spellings)])
    whose = "no vendor has an event" if vendor is None else f"{vendors[0].title} has no event"
    return f"{whose} {shown(event)}.{hint} `dsh-compat matrix` lists them."


def _groups(rows: Sequence[tuple[Vendor, Row]], hooks: Sequence[Hook]) -> Iterator[Group]:
    for vendor, row in rows:
        mine = [hook for hook in hooks if hook.vendor is vendor and hook.row is row]
        for route in dict.fromkeys(hook.plan.route for hook in mine):
            yield Group(vendor, row, tuple(hook for hook in mine if hook.plan.route is route))


def _members(vendor: Vendor, row: Row, event: str) -> Iterator[tuple[str, Member]]:
    """The members of a payload in this row's shape, as `event` spells it."""
    if row.plan is None:
        return
    spelling = row.spellings.get(event)
    common = vendor.dialect.common[spelling.common if spelling else "default"]
    native = row.native_plan.payload if row.native_plan else {}
    for fields in (spelling.payload if spelling else row.plan.payload, common, native):
        for name, field in fields.items():
            if field.path is not None and field.path != "event.name":
                yield name, Member(field.path, {value: host for host, value in field.map.items()})
