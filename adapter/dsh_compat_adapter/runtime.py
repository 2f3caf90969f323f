"""Fires one event at the hooks of a project, without a host: what `run` and `listen` do.

The event comes by a vendor's name or a canonical one, with fields as the vendor's own payload has them. Every hook of
the same moment runs, each with the payload of its own dialect, and the outcomes become one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from .catalog.load import Catalog
from .catalog.model import Row, Vendor
from .errors import CompatError, ErrorCode, nearest
from .events import Canonical
from .hooks.engine import Dispatched, Engine, Hook
from .hooks.fold import combine
from .hooks.values import host_view

SUBJECT_KEYS = ("tool_name", "toolName", "tool", "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One event to fire."""

    event: str
    payload: Mapping[str, object]
    vendor: str | None = None  # only this vendor's hooks
    subject: str | None = None
    cwd: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The rows that one request means."""

    canonical: Canonical | None
    rows: tuple[tuple[Vendor, Row, str], ...]  # vendor, row, the spelling that was asked for


class Runtime:
    """The hooks of one project, ready to be fired. Immutable; make a new one to reload."""

    def __init__(self, catalog: Catalog, hooks: Sequence[Hook], engine: Engine, project_dir: str) -> None:
        self._catalog = catalog
        self._hooks = tuple(hooks)
        self._engine = engine
        self._project_dir = project_dir

    async def dispatch(self, request: Request) -> tuple[Point, Dispatched]:
        """Fire one event; raises UNKNOWN_EVENT, UNKNOWN_VENDOR or INVALID_INPUT."""
        point = resolve(self._catalog, request.event, request.vendor)
        values = self._values(request, point)
        done = [await self._engine.dispatch(hooks, values, can_ask=False) for hooks in self._groups(point) if hooks]
        runs = tuple(run for dispatched in done for run in dispatched.runs)
        return point, Dispatched(outcome=combine([dispatched.outcome for dispatched in done]), runs=runs)

    def _groups(self, point: Point) -> Iterator[list[Hook]]:
        """The hooks of each row, one group a way of running it; `bridge: native` makes a group of its own."""
        for vendor, row, _ in point.rows:
            mine = [hook for hook in self._hooks if hook.vendor is vendor and hook.row is row]
            for route in dict.fromkeys(hook.plan.route for hook in mine):
                yield [hook for hook in mine if hook.plan.route is route]

    def _values(self, request: Request, point: Point) -> dict[str, object]:
        now = datetime.now(UTC)
        values: dict[str, object] = {
            "session.id": "",
            "session.transcript": "",
            "session.cwd": request.cwd or self._project_dir,
            "session.project_dir": self._project_dir,
            "session.permission_mode": "default",
            "session.model": "",
            "turn.id": "",
            "time.iso": now.isoformat(),
            "time.ms": int(now.timestamp() * 1000),
            "stop.active": False,
        }
        for vendor, row, spelling in reversed(point.rows):
            values |= _from_payload(request.payload, vendor, row, spelling)
        name = request.subject or next(
            (request.payload[key] for key in SUBJECT_KEYS if isinstance(request.payload.get(key), str)), None
        )
        if name is not None:
            values |= _tool(str(name), values, [vendor for vendor, _, _ in point.rows])
        return values


def resolve(catalog: Catalog, event: str, vendor: str | None) -> Point:
    """The rows of a vendor's event name, or of a canonical one; a name that several vendors have means all of them."""
    vendors = [catalog.vendor(vendor)] if vendor else list(catalog.vendors.values())
    if event in list(Canonical):
        return Point(canonical=Canonical(event), rows=tuple(_canonical(vendors, Canonical(event))))
    named = [(one, row) for one in vendors if (row := _named(one, event)) is not None]
    if not named:
        known = [
            *Canonical,
            *(name for one in vendors for row in one.rows.values() for name in (row.event, *row.spellings)),
        ]
        raise CompatError(ErrorCode.UNKNOWN_EVENT, f"no vendor has an event {event!r:.80}.{nearest(event, known)}")
    canonical = next((row.canonical for _, row in named if row.canonical), None)
    rows = [(one, row, event) for one, row in named]
    if canonical is not None:
        rows += [entry for entry in _canonical(vendors, canonical) if entry[0].name not in {v.name for v, _, _ in rows}]
    return Point(canonical=canonical, rows=tuple(rows))


def _canonical(vendors: Sequence[Vendor], canonical: Canonical) -> Iterator[tuple[Vendor, Row, str]]:
    for vendor in vendors:
        for row in vendor.rows.values():
            if row.canonical is canonical:
                yield vendor, row, row.event


def _named(vendor: Vendor, event: str) -> Row | None:
    if event in vendor.rows:
        return vendor.rows[event]
    return next((row for row in vendor.rows.values() if event in row.spellings), None)


def _from_payload(payload: Mapping[str, object], vendor: Vendor, row: Row, spelling: str) -> dict[str, object]:
    """The values that a payload in this row's shape stands for."""
    if row.plan is None:
        return {}
    other = row.spellings.get(spelling)
    fields = {
        **vendor.dialect.common[other.common if other else "default"],
        **(other.payload if other else row.plan.payload),
    }
    values: dict[str, object] = {}
    for name, field in fields.items():
        value = _member(payload, name.split("."))
        if field.path is not None and field.path != "event.name" and value is not None:
            back = {vendor_value: host for host, vendor_value in field.map.items()}
            values[field.path] = back.get(value, value) if isinstance(value, str) else value
    return values


def _member(payload: object, names: Sequence[str]) -> object:
    for name in names:
        payload = payload.get(name) if isinstance(payload, Mapping) else None
    return payload


def _tool(name: str, values: Mapping[str, object], vendors: Sequence[Vendor]) -> dict[str, object]:
    """The tool as the host names it, whichever vendor's name the caller used."""
    arguments = values.get("tool.arguments", {})
    for vendor in vendors:
        host_name, host_arguments = host_view(name, arguments, vendor)
        if host_name != name or host_arguments != arguments:
            return {"tool.host_name": host_name, "tool.host_arguments": host_arguments}
    return {"tool.host_name": name, "tool.host_arguments": arguments}
