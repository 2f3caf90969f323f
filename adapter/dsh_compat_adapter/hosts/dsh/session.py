"""The Python side of one connector: what it may ask, for as long as the harness runs."""

import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any

from ...catalog.load import Catalog
from ...errors import CompatError, ErrorCode
from ...routes.point import Report
from ...seams.decisions import BlockPrompt
from ...service import CompatAdapter
from .bridges import Bridges
from .bundle import Bundle, read_bundle, versions
from .calls import Calls, Message
from .host import DshHost
from .shell import DshShell, kill_marked
from .wire import PROTOCOL

Running = Coroutine[Any, Any, Message]  # Any: what a coroutine yields is the event loop's affair
Operation = Callable[[Mapping[str, object]], Message | Running]
NAMES = {"onError": "on_error", "baseDir": "base_dir"}  # as JavaScript spells the keys of a declaration


class Session:
    """Serves one connector: `hello`, `open`, then `seam`, `register_hook`, `register_rules`, `status`, `matrix`."""

    def __init__(self, directory: Path, send: Callable[[Message], None]) -> None:
        """`send` writes a line to the connector."""
        self._directory = directory
        self._calls = Calls(send)
        self._catalog = Catalog.load()
        self._bundle: Bundle | None = None
        self._host: DshHost | None = None
        self._adapter: CompatAdapter | None = None
        self._notes: list[str] = []

    @property
    def operations(self) -> dict[str, Operation]:
        """What the connector asks, by name."""
        return {
            "hello": self._hello,
            "open": self._open,
            "seam": self._seam,
            "register_hook": self._register_hook,
            "register_rules": self._register_rules,
            "status": self._status,
            "matrix": lambda _: {"ok": True, "matrix": self._opened()[1].matrix().to_dict()},
            "note": self._note,
        }

    @property
    def notices(self) -> dict[str, Callable[[Mapping[str, object]], None]]:
        """What it only tells."""
        return {"result": self._calls.result}

    def ended(self) -> None:
        """The connector is gone."""
        self._calls.end()

    async def aclose(self) -> None:
        """Take everything off; what runs is killed."""
        if self._adapter is not None:
            await self._adapter.dispose()

    def _hello(self, request: Mapping[str, object]) -> Message:
        if request.get("protocol") != PROTOCOL:
            raise CompatError(
                ErrorCode.INVALID_INPUT,
                f"the connector speaks protocol {request.get('protocol')!r:.20} and this program {PROTOCOL}; build the "
                "bundle again with this version",
            )
        bundle = read_bundle(self._directory, self._catalog)
        running = request.get("dsh")
        if running and running != bundle.surface.version:
            known = versions(self._catalog)
            remedy = f"build with --dsh {running}" if running in known else f"known versions: {', '.join(known)}"
            self._say(f"the bundle was built for DSH {bundle.surface.version} and runs in {running!s:.40}; {remedy}")
        self._bundle = bundle
        return {"ok": True, "protocol": PROTOCOL, "surface": f"{bundle.surface.host}-{bundle.surface.version}"}

    async def _open(self, request: Mapping[str, object]) -> Message:
        if self._bundle is None:
            raise CompatError(ErrorCode.INVALID_INPUT, "open comes after hello")
        if self._adapter is not None:
            raise CompatError(ErrorCode.INVALID_INPUT, "the bundle is open already")
        if orphans := _texts(request, "orphans"):
            await kill_marked(orphans)
        services = _texts(request, "services")
        bundle = self._bundle
        shell = DshShell(self._calls, os.environ) if "shell" in services else None
        bridges = Bridges(self._calls, bundle.project, bundle.bridges)
        self._host = DshHost(bundle.surface, bundle.project, shell=shell, services=services, bridges=bridges)
        self._adapter = CompatAdapter(self._host, policy=bundle.policy, catalog=self._catalog, report=self._report)
        for result in await self._adapter.register(bundle.hooks, ()):
            if not result.executable:
                self._say(f"{result.vendor} {result.event} does not run: {result.reason}")
        # rules that are gone must not take the hooks with them
        for rules in bundle.rules:
            try:
                await self._adapter.register((), [rules])
            except CompatError as error:
                self._say(f"rules are not carried: {error}")
        return {"ok": True, "seams": self._seams()}

    async def _seam(self, request: Mapping[str, object]) -> Message:
        host, _ = self._opened()
        seam, values = request.get("seam"), request.get("values")
        if not isinstance(seam, str) or not isinstance(values, dict):
            raise CompatError(ErrorCode.INVALID_INPUT, "seam needs the name of a seam and values by path")
        return await host.fire(seam, values)

    async def _register_hook(self, request: Mapping[str, object]) -> Message:
        result = await self._opened()[1].register_hook(_declaration(request))
        return {"ok": True, "result": result.to_dict(), "seams": self._seams()}

    async def _register_rules(self, request: Mapping[str, object]) -> Message:
        result = await self._opened()[1].register_rules(_declaration(request))
        return {"ok": True, "result": result.to_dict(), "seams": self._seams()}

    def _status(self, _: Mapping[str, object]) -> Message:
        return {"ok": True, "status": {**self._opened()[1].status().to_dict(), "notes": list(self._notes)}}

    def _note(self, request: Mapping[str, object]) -> Message:
        """What went wrong while this side was not there to see it."""
        self._notes.append(str(request.get("text")))
        return {"ok": True}

    def _report(self, report: Report) -> None:
        """Say which hooks failed, and why a prompt was blocked: nobody else in the harness would tell."""
        if isinstance(report.decision, BlockPrompt):
            self._say(
                f"a prompt of session {report.event.values.get('session.id')} is blocked: {report.decision.reason}"
            )
        for run in report.dispatched.runs:
            for problem in run.answer.problems:
                hook = f"{run.hook.vendor.name} {run.hook.spelling}"
                self._say(f"{hook} at {run.hook.where or 'its registration'}: {problem.text} [{problem.code}]")

    def _say(self, text: str) -> None:
        self._notes.append(text)
        print(f"dsh-compat: {text}", file=sys.stderr)  # noqa: T201 - stderr is where a person looks

    def _opened(self) -> tuple[DshHost, CompatAdapter]:
        if self._host is None or self._adapter is None:
            raise CompatError(ErrorCode.INVALID_INPUT, "the bundle is not open; say hello and open first")
        return self._host, self._adapter

    def _seams(self) -> list[object]:
        """What the connector has to listen to."""
        host, _ = self._opened()
        known = host.surface.seams
        return [
            {"seam": seam, "name": known[seam].name, "kind": known[seam].kind, "decision": known[seam].decision}
            for seam in host.seams
        ]


def _declaration(request: Mapping[str, object]) -> Mapping[str, object]:
    declaration = request.get("declaration")
    if not isinstance(declaration, dict):
        raise CompatError(ErrorCode.INVALID_DECLARATION, "a declaration is an object")
    renamed: dict[str, object] = {NAMES.get(str(key), str(key)): value for key, value in declaration.items()}
    # a function stays where it is; grading says what it comes to
    return {**renamed, "handler": _code} if request.get("code") is True else renamed


def _code() -> None:
    """Stands for a function of the preset."""


def _texts(request: Mapping[str, object], key: str) -> list[str]:
    value = request.get(key)
    return [str(entry) for entry in value] if isinstance(value, list) else []
