"""What the stdio door serves: one project's hooks, by requests as they come over the wire."""

from collections.abc import Mapping

from ...catalog.load import Catalog
from ...errors import CompatError, ErrorCode, shown
from ...facts.recorder import Recorder
from ...hooks.engine import Dispatched
from ...hooks.stop_guard import StopGuard
from ...loading import Loaded, runtime
from ...points import Point
from ...runtime import Request, Selected
from .answers import Running
from .wire import Reply


class LoadedProject:
    """A loaded project as the server asks for it."""

    def __init__(self, loaded: Loaded, catalog: Catalog, guard: StopGuard, recorder: Recorder | None = None) -> None:
        """`guard` and `recorder` outlive a reload, so that a stop which was blocked before it still counts."""
        self._loaded = loaded
        self._runtime = runtime(loaded, catalog, guard=guard, recorder=recorder)

    def dispatch(self, request: Mapping[str, object]) -> Reply | Running:
        """The reply, at once when no hook is selected; raises CompatError for a request that cannot be read."""
        selected = self._runtime.select(read_request(request))
        return self._run(selected) if selected.groups else self._nothing(selected)

    def diagnostics(self) -> list[object]:
        """The findings of the files, and what is unsupported."""
        findings = [finding.to_dict() for finding in self._loaded.findings]
        return [*findings, *(result.to_dict() for result in self._loaded.unsupported)]

    def _nothing(self, selected: Selected) -> Reply:
        return reply(selected.point, self._runtime.without_hooks(selected))

    async def _run(self, selected: Selected) -> Reply:
        return reply(selected.point, await self._runtime.run(selected))


def read_request(data: Mapping[str, object]) -> Request:
    """A dispatch request from the wire; raises INVALID_INPUT for wrong types. Unknown members are ignored."""
    event, payload = data.get("event"), data.get("payload", {})
    if not isinstance(event, str):
        raise CompatError(ErrorCode.INVALID_INPUT, f"event must be a name, found {shown(event)}")
    if not isinstance(payload, dict):
        raise CompatError(ErrorCode.INVALID_INPUT, f"payload must be an object, found {type(payload).__name__}")
    return Request(
        event=event,
        payload=payload,
        vendor=_text(data, "vendor"),
        subject=_text(data, "subject"),
        cwd=_text(data, "cwd"),
    )


def reply(point: Point, dispatched: Dispatched) -> Reply:
    """The reply to a dispatch."""
    return {
        "ok": True,
        "canonical": point.canonical.value if point.canonical else None,
        "outcome": dispatched.outcome.to_dict(),
        "runs": [run.to_dict() for run in dispatched.runs],
    }


def _text(data: Mapping[str, object], key: str) -> str | None:
    value = data.get(key)
    if value is None or isinstance(value, str):
        return value
    raise CompatError(ErrorCode.INVALID_INPUT, f"{key} must be a string, found {type(value).__name__}")
