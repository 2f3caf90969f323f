"""`dsh-compat run PATH --event E`: fire one event at the hooks of a project and print what they decide."""

import argparse
import asyncio
import json
import signal
from collections.abc import Awaitable, Sequence
from pathlib import Path

from ..capability import CapabilityResult, to_json
from ..catalog.load import Catalog
from ..declare.finding_codes import Severity
from ..declare.findings import Finding
from ..declare.scan import scan
from ..errors import CompatError, ErrorCode, Where
from ..hooks.engine import Dispatched
from ..hooks.hook import Hook
from ..hooks.outcome import Outcome
from ..loading import load, runtime
from ..points import Point
from ..printable import printable
from ..runtime import Request
from .project import SURFACE, folder
from .recording import recorder
from .text import coloured, paragraph, say

Fired = tuple[Point, Dispatched]
COLOUR = {"deny": "red", "ask": "yellow", "allow": "green", "none": "cyan"}


def run(arguments: argparse.Namespace) -> int:
    """Fire the event; exit 0 whatever the hooks decide, since a deny is an answer."""
    root = folder(arguments.path)
    catalog = Catalog.load()
    request = _request(arguments)
    found = scan(root, catalog)
    loaded = load(found, catalog, catalog.surfaces[SURFACE], bridge=arguments.bridge, policy=arguments.policy)
    told: list[Fired] = []
    facts = recorder(arguments)
    try:
        asyncio.run(_until_told(runtime(loaded, catalog, recorder=facts).dispatch(request), told))
    finally:
        if facts is not None:
            facts.close()
    ((point, dispatched),) = told
    rows = {(vendor.name, name) for vendor, row in point.rows for name in (row.event, *row.spellings)}
    unsupported = [result for result in loaded.unsupported if (result.vendor, result.event) in rows]
    if arguments.format == "json":
        say(to_json(_report(request, point, dispatched, unsupported, loaded.findings)))
    else:
        waiting = [hook for hook in loaded.hooks if (hook.vendor.name, hook.spelling) in rows]
        _print(request, dispatched, waiting, unsupported, loaded.findings)
    return 0


async def _until_told(dispatch: Awaitable[Fired], told: list[Fired]) -> None:
    """Tells the result; on SIGTERM or SIGHUP the running hook is dead before this program is.

    It is not returned, because asyncio.run takes the repr of its finished task, which would write out every hook.
    """
    task: asyncio.Future[Fired] = asyncio.ensure_future(dispatch)
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    try:
        told.append(await task)
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


def _request(arguments: argparse.Namespace) -> Request:
    data = _input(arguments.input)
    if arguments.tool is None:
        return Request(event=arguments.event, payload=data, vendor=arguments.vendor)
    return Request(event=arguments.event, payload={}, vendor=arguments.vendor, subject=arguments.tool, arguments=data)


def _input(text: str | None) -> dict[str, object]:
    if text is None:
        return {}
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise CompatError(ErrorCode.INVALID_INPUT, f"--input is no JSON: {error}") from None
    if not isinstance(data, dict):
        raise CompatError(ErrorCode.INVALID_INPUT, f"--input must be an object, found {type(data).__name__}")
    return data


def _report(
    request: Request,
    point: Point,
    dispatched: Dispatched,
    unsupported: list[CapabilityResult],
    findings: Sequence[Finding],
) -> dict[str, object]:
    return {
        "event": request.event,
        "vendors": list(point.vendors),
        "canonical": point.canonical.value if point.canonical else None,
        "outcome": dispatched.outcome.to_dict(),
        "runs": [run.to_dict() for run in dispatched.runs],
        "unsupported": [result.to_dict() for result in unsupported],
        "findings": [finding.to_dict() for finding in findings],
    }


def _print(
    request: Request,
    dispatched: Dispatched,
    waiting: Sequence[Hook],
    unsupported: Sequence[CapabilityResult],
    findings: Sequence[Finding],
) -> None:
    for run in dispatched.runs:
        word = run.answer.decision.word
        source = f" ({_short(run.hook.where)})" if run.hook.where else ""
        say(
            f"{run.hook.vendor.name} {run.hook.spelling}{printable(source)}: {coloured(word, COLOUR[word])}"
            f" in {run.duration_s * 1000:.0f} ms"
        )
    for result in unsupported:
        say(
            paragraph(
                f"{result.vendor} {result.event} does not run: {result.reason}",
                lead="unsupported",
                colour="red",
            )
        )
    for finding in findings:
        if finding.severity is Severity.ERROR:
            say(paragraph(f"{finding.where}: {finding.message} [{finding.code}]", lead="error", colour="red"))
    if not dispatched.runs:
        matchers = ", ".join(repr(hook.matcher.text) for hook in waiting if hook.matcher.text is not None)
        why = f": {len(waiting)} wait for it, with the matchers {matchers}" if matchers else ""
        say(paragraph(f"no hook of this project is selected on {request.event}{why}"))
    _print_outcome(dispatched.outcome)


def _print_outcome(outcome: Outcome) -> None:
    say(f"outcome: {coloured(outcome.decision.word, COLOUR[outcome.decision.word])}")
    for label, text in (
        ("reason", outcome.reason),
        ("feedback", outcome.feedback),
        ("was", outcome.raw_reason),
    ):
        if text:
            say(paragraph(text, 2, lead=label, colour="bold"))
    if outcome.stop:
        say(paragraph(outcome.stop_reason or "the agent is told to stop", 2, lead="stop", colour="red"))
    for context in outcome.contexts:
        say(paragraph(context, 2, lead="context for the model", colour="bold"))
    for message in outcome.messages:
        say(paragraph(message, 2, lead="message for the user", colour="bold"))
    for problem in outcome.problems:
        say(paragraph(f"{problem.text} [{problem.code}]", 2, lead="problem", colour="yellow"))
    if outcome.losses:
        say(paragraph(", ".join(outcome.losses), 2, lead="lost in this run", colour="yellow"))


def _short(where: Where) -> str:
    return f"{Path(where.file).name}:{where.line}" if where.line else Path(where.file).name
