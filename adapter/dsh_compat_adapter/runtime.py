"""Fires one event at the hooks of a project, without a host: what `run` and `listen` do.

The event comes by a vendor's name or a canonical one, with fields as the vendor's own payload has them. Every hook of
the same moment runs, each with the payload of its own dialect, and the outcomes become one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from .catalog.load import Catalog
from .events import Canonical
from .facts.ids import now_us, timestamp
from .hooks.engine import Dispatched, Engine, unique
from .hooks.fold import combine
from .hooks.hook import Hook
from .hooks.outcome import Outcome, Problem, Rank
from .hooks.stop_guard import StopGuard
from .hooks.values import possible, renamed, subjects
from .points import Point, point

SUBJECT_KEYS = ("tool_name", "toolName", "tool", "name")
SESSION_KEYS = ("session_id", "sessionId", "sessionID")
# ids of the scope that a payload names in a way of its own
SCOPE_KEYS = {
    "session.id": SESSION_KEYS,
    "thread.id": ("thread_id", "threadId"),
    "turn.id": ("turn_id", "turnId"),
    "tool.call_id": ("tool_call_id", "tool_use_id", "toolCallId", "callID"),
}
STOPS = (Canonical.TURN_STOP, Canonical.SUBAGENT_END)
LONG = 200  # characters of a name or an id that is remembered whole
MISSES = 1000  # tool names that selected nothing, remembered for each event name
NOTHING = Dispatched(outcome=Outcome(), runs=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One event to fire."""

    event: str
    payload: Mapping[str, object]
    vendor: str | None = None  # only this vendor's hooks
    subject: str | None = None
    arguments: Mapping[str, object] | None = None  # of the tool, instead of the payload's
    cwd: str | None = None


class Selected(NamedTuple):
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
        known = self._points.get((request.event, request.vendor))
        if known is None:
            known = point(self._catalog, request.event, request.vendor, self._hooks)
            self._points[request.event, request.vendor] = known
        if not known.groups:
            return Selected(request, known, {}, ())
        name = _subject(request)
        if name in known.misses:
            return Selected(request, known, {}, ())
        values = _values(request, known, name)
        groups = []
        for vendor, row, hooks in known.groups:
            asked = request.event == row.event or request.event in row.spellings
            if not asked and not possible(values, hooks[0].plan.when):  # one of several rows of a canonical event
                continue
            names = subjects(values, row, vendor)
            if chosen := tuple([hook for hook in hooks if hook.matcher.selects(names)]):
                groups.append(chosen)
        if not groups and known.by_tool and name is not None and len(known.misses) < MISSES and len(name) < LONG:
            known.misses.add(name)
        return Selected(request, known, values, tuple(groups))

    def without_hooks(self, selected: Selected) -> Dispatched:
        """The outcome of a request that selected nothing; it still ends a row of blocked stops."""
        return self._guarded(selected, NOTHING)

    async def run(self, selected: Selected) -> Dispatched:
        """Run the selected hooks and fold what they say."""
        if not selected.groups:
            return self.without_hooks(selected)
        values = {**self._session_values(selected), **selected.values}
        done = [await self._engine.run(unique(group), values, can_ask=False) for group in selected.groups]
        outcome = combine([dispatched.outcome for dispatched in done]) if len(done) > 1 else done[0].outcome
        runs = tuple(run for dispatched in done for run in dispatched.runs)
        return self._guarded(selected, Dispatched(outcome=outcome, runs=runs))

    def _session_values(self, selected: Selected) -> dict[str, object]:
        at_us = now_us()
        stops = selected.point.canonical in STOPS
        return {
            "session.id": "",
            "session.transcript": "",
            "session.cwd": selected.request.cwd or self._project_dir,
            "session.project_dir": self._project_dir,
            "session.permission_mode": "default",
            "session.model": "",
            "turn.id": "",
            "time.iso": timestamp(at_us),
            "time.ms": at_us // 1000,
            "stop.active": stops and self._guard.active(_session(selected.request)),
        }

    def _guarded(self, selected: Selected, dispatched: Dispatched) -> Dispatched:
        """The outcome after the cap on consecutive blocks of a stop."""
        canonical = selected.point.canonical
        if canonical is not Canonical.PROMPT_SUBMIT and canonical not in STOPS:
            return dispatched
        key = _session(selected.request)
        if canonical not in STOPS or dispatched.outcome.decision is not Rank.DENY:
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


def _subject(request: Request) -> str | None:
    """The tool that the request is about, if it says one."""
    if request.subject is not None:
        return request.subject
    for key in SUBJECT_KEYS:
        if isinstance(name := request.payload.get(key), str):
            return name
    return None


def _values(request: Request, known: Point, tool_name: object) -> dict[str, object]:
    """The values that the payload gives, the tool by the host's name whichever vendor's name the caller used."""
    payload = request.payload
    values: dict[str, object] = {}
    for name, value in _flat(payload, known.nested):
        for path, host_values in known.members.get(name, ()) if value is not None else ():
            values[path] = host_values.get(value, value) if isinstance(value, str) else value
    if request.subject is not None:
        values |= {group.row.subject: request.subject for group in known.groups if group.row.subject}
    tool_name = tool_name if tool_name is not None else values.get("tool.name")
    if isinstance(tool_name, str):
        arguments = values.get("tool.arguments", {}) if request.arguments is None else request.arguments
        tool = known.tools.get(tool_name)
        values["tool.host_name"] = tool.host if tool else tool_name
        values["tool.given_name"] = tool_name
        values["tool.host_arguments"] = renamed(arguments, tool.arguments) if tool else arguments
    for path, keys in SCOPE_KEYS.items():
        if path not in values:
            found = next((payload[key] for key in keys if isinstance(payload.get(key), str)), None)
            if found is not None:
                values[path] = found
    return values


def _flat(payload: Mapping[str, object], nested: frozenset[str], above: str = "") -> Iterator[tuple[str, object]]:
    """The members of a payload, those of the objects in `nested` by their dotted names."""
    for key, value in payload.items():
        name = f"{above}{key}"
        if name in nested and isinstance(value, Mapping):
            yield from _flat(value, nested, f"{name}.")
        yield name, value


def _session(request: Request) -> str:
    """What a stop is counted by: the session, and the agent in it."""
    session = next((request.payload[key] for key in SESSION_KEYS if key in request.payload), "")
    return f"{session!s:.{LONG}}/{request.payload.get('agent_id', '')!s:.{LONG}}"
