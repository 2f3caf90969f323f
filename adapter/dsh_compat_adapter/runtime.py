"""Fires one event at the hooks of a project, without a host: what `run` and `listen` do.

The event comes by a vendor's name or a canonical one, with fields as the vendor's own payload has them. Every hook of
the same moment runs, each with the payload of its own dialect, and the outcomes become one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from .catalog.load import Catalog
from .catalog.model import Row, Vendor
from .errors import CompatError, ErrorCode, nearest
from .events import Canonical
from .hooks.engine import Dispatched, Engine
from .hooks.fold import combine
from .hooks.hook import Hook
from .hooks.outcome import Outcome, Problem, Rank
from .hooks.stop_guard import StopGuard
from .hooks.values import host_view, subjects

SUBJECT_KEYS = ("tool_name", "toolName", "tool", "name")
SESSION_KEYS = ("session_id", "sessionId", "sessionID")
STOPS = (Canonical.TURN_STOP, Canonical.SUBAGENT_END)
NOTHING = Dispatched(outcome=Outcome(), runs=())


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
    """The rows that one request means, and the hooks of each that are there to run."""

    canonical: Canonical | None
    rows: tuple[tuple[Vendor, Row, str], ...]  # vendor, row, the spelling that was asked for
    groups: tuple[tuple[Hook, ...], ...] = ()  # hooks that are folded together: one row, one route


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """A request with the hooks that it selects; without hooks there is nothing to await."""

    request: Request
    point: Point
    values: Mapping[str, object]
    groups: tuple[tuple[Hook, ...], ...]


class Runtime:
    """The hooks of one project, ready to be fired; make a new one to reload.

    Remembers nothing but which stops were blocked in a row, which the guard of the caller holds.
    """

    def __init__(
        self, catalog: Catalog, hooks: Sequence[Hook], engine: Engine, project_dir: str, guard: StopGuard | None = None
    ) -> None:
        self._catalog = catalog
        self._hooks = tuple(hooks)
        self._engine = engine
        self._project_dir = project_dir
        self._guard = guard or StopGuard()
        self._points: dict[tuple[str, str | None], Point] = {}

    async def dispatch(self, request: Request) -> tuple[Point, Dispatched]:
        """Fire one event; raises UNKNOWN_EVENT, UNKNOWN_VENDOR or INVALID_INPUT."""
        selected = self.select(request)
        return selected.point, await self.run(selected)

    def select(self, request: Request) -> Selected:
        """Look up what a request means and which hooks its subject selects. Does not run anything."""
        point = self._point(request)
        if not point.groups:
            return Selected(request=request, point=point, values={}, groups=())
        values = self._subject_values(request, point)
        groups = tuple(
            tuple(hook for hook in group if hook.matcher.matches(subjects(values, hook.row, hook.vendor)))
            for group in point.groups
        )
        return Selected(request=request, point=point, values=values, groups=tuple(group for group in groups if group))

    def without_hooks(self, selected: Selected) -> Dispatched:
        """The outcome of a request that selected nothing; it still ends a row of blocked stops."""
        return self._guarded(selected, NOTHING)

    async def run(self, selected: Selected) -> Dispatched:
        """Run the selected hooks and fold what they say."""
        if not selected.groups:
            return self.without_hooks(selected)
        values = {**self._session_values(selected), **selected.values}
        done = [await self._engine.dispatch(group, values, can_ask=False) for group in selected.groups]
        outcome = combine([dispatched.outcome for dispatched in done]) if len(done) > 1 else done[0].outcome
        runs = tuple(run for dispatched in done for run in dispatched.runs)
        return self._guarded(selected, Dispatched(outcome=outcome, runs=runs))

    def _point(self, request: Request) -> Point:
        key = (request.event, request.vendor)
        if (known := self._points.get(key)) is None:
            point = resolve(self._catalog, request.event, request.vendor)
            known = self._points[key] = replace(point, groups=tuple(self._groups(point)))
        return known

    def _groups(self, point: Point) -> Iterator[tuple[Hook, ...]]:
        """The hooks of each row, one group a way of running it; `bridge: native` makes a group of its own."""
        for vendor, row, _ in point.rows:
            mine = [hook for hook in self._hooks if hook.vendor is vendor and hook.row is row]
            for route in dict.fromkeys(hook.plan.route for hook in mine):
                yield tuple(hook for hook in mine if hook.plan.route is route)

    def _subject_values(self, request: Request, point: Point) -> dict[str, object]:
        """The values that the payload gives, the tool by the host's name whichever vendor's name the caller used."""
        values: dict[str, object] = {}
        for vendor, row, spelling in reversed(point.rows):
            values |= _from_payload(request.payload, vendor, row, spelling)
        name = request.subject or next(
            (request.payload[key] for key in SUBJECT_KEYS if isinstance(request.payload.get(key), str)), None
        )
        if name is not None:
            values |= _tool(str(name), values, [vendor for vendor, _, _ in point.rows])
        return values

    def _session_values(self, selected: Selected) -> dict[str, object]:
        now = datetime.now(UTC)
        return {
            "session.id": "",
            "session.transcript": "",
            "session.cwd": selected.request.cwd or self._project_dir,
            "session.project_dir": self._project_dir,
            "session.permission_mode": "default",
            "session.model": "",
            "turn.id": "",
            "time.iso": now.isoformat(),
            "time.ms": int(now.timestamp() * 1000),
            "stop.active": self._guard.active(_session(selected.request)),
        }

    def _guarded(self, selected: Selected, dispatched: Dispatched) -> Dispatched:
        """The outcome after the cap on consecutive blocks of a stop."""
        canonical, key = selected.point.canonical, _session(selected.request)
        if canonical is Canonical.PROMPT_SUBMIT:
            self._guard.reset(key)
        if canonical not in STOPS:
            return dispatched
        if dispatched.outcome.decision is not Rank.DENY:
            self._guard.reset(key)
            return dispatched
        if self._guard.allows(key):
            return dispatched
        text = "the hooks blocked this stop too many times in a row; the turn ends"
        capped = replace(
            dispatched.outcome,
            decision=Rank.NONE,
            reason=None,
            downgraded=True,
            raw_decision=Rank.DENY,
            raw_reason=dispatched.outcome.reason,
            problems=(*dispatched.outcome.problems, Problem(code="stop-cap", text=text)),
        )
        return replace(dispatched, outcome=capped)


def resolve(catalog: Catalog, event: str, vendor: str | None) -> Point:
    """The rows of a vendor's event name, or of a canonical one; a name that several vendors have means all of them."""
    vendors = [catalog.vendor(vendor)] if vendor else [*catalog.vendors.values(), catalog.native]
    if event in list(Canonical):
        return Point(canonical=Canonical(event), rows=tuple(_canonical(vendors, Canonical(event))))
    named = [(one, row) for one in vendors if (row := _named(one, event)) is not None]
    if not named:
        rows_known = [row for one in vendors for row in one.rows.values()]
        known = [*Canonical, *(name for row in rows_known for name in (row.event, *row.spellings))]
        raise CompatError(ErrorCode.UNKNOWN_EVENT, f"no vendor has an event {event!r:.80}.{nearest(event, known)}")
    canonical = next((row.canonical for _, row in named if row.canonical), None)
    rows = [(one, row, event) for one, row in named]
    if canonical is not None:
        by_name = {one.name for one, _ in named}
        rows += [entry for entry in _canonical(vendors, canonical) if entry[0].name not in by_name]
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
    if row.plan is None or not payload:
        return {}
    other = row.spellings.get(spelling)
    common = vendor.dialect.common[other.common if other else "default"]
    values: dict[str, object] = {}
    for fields in (common, other.payload if other else row.plan.payload):
        for name, field in fields.items():
            if field.path is None or field.path == "event.name":
                continue
            value = payload.get(name) if "." not in name else _member(payload, name.split("."))
            if value is not None:
                back = {vendor_value: host for host, vendor_value in field.map.items()} if field.map else {}
                values[field.path] = back.get(value, value) if isinstance(value, str) else value
    return values


def _member(payload: object, names: Sequence[str]) -> object:
    for name in names:
        payload = payload.get(name) if isinstance(payload, Mapping) else None
    return payload


def _tool(name: str, values: Mapping[str, object], vendors: Sequence[Vendor]) -> dict[str, object]:
    """The tool as the host names it."""
    arguments = values.get("tool.arguments", {})
    for vendor in vendors:
        host_name, host_arguments = host_view(name, arguments, vendor)
        if host_name != name or host_arguments != arguments:
            return {"tool.host_name": host_name, "tool.host_arguments": host_arguments}
    return {"tool.host_name": name, "tool.host_arguments": arguments}


def _session(request: Request) -> str:
    """What a stop is counted by: the session, and the agent in it."""
    session = next((request.payload[key] for key in SESSION_KEYS if key in request.payload), "")
    return f"{session}/{request.payload.get('agent_id', '')}"
