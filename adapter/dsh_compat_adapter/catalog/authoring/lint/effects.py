"""What a vendor offers either reaches the host or is a listed loss, and a seam can do what a row promises."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ....events import Effect, Route
from ..models import Degradation
from ..rows import Row, rows
from ..sources import Finding, Sources

# what the decision of a seam can carry; context travels as an injected message, so every seam can add it
POWERS: dict[str | None, set[Effect]] = {
    None: {Effect.CONTEXT},
    "session-start": {Effect.CONTEXT},
    "prompt": {Effect.CONTEXT, Effect.DENY, Effect.REWRITE_PROMPT, Effect.STOP},
    "pre-tool": {Effect.CONTEXT, Effect.DENY, Effect.ASK, Effect.STOP},
    "post-tool": {Effect.CONTEXT, Effect.FEEDBACK, Effect.REWRITE_OUTPUT},
    "continuation": {Effect.CONTEXT, Effect.DENY, Effect.STOP},
    "approval": {Effect.CONTEXT, Effect.DENY, Effect.ALLOW, Effect.STOP},
}


def check(sources: Sources) -> Iterator[Finding]:
    for row in rows(sources):
        event = row.event
        everywhere = row.vendor.everywhere
        if event.capability == "ADAPTED":
            yield from _covered(sources, row, "", event.honours, [*event.degradations, *everywhere])
            carried = _carried(event.honours, event.stops_at, event.feedback)
            yield from _possible(sources, row, "", carried, event.seams)
            yield from _stopping(sources, row, "", event.honours, event.stops_at)
        if event.native:
            yield from _covered(
                sources, row, " native", event.native.honours, [*event.native.degradations, *everywhere]
            )
            native, at = event.native, event.native.stops_at or event.stops_at
            carried = _carried(native.honours, at, native.feedback or event.feedback)
            yield from _possible(sources, row, " native", carried, native.seams or event.seams)
            yield from _stopping(sources, row, " native", native.honours, at)
        if event.route is Route.NATIVE_SEAM and event.honours:
            yield Finding(row.where, "native-seam only observes: it honours nothing")


def _covered(
    sources: Sources, row: Row, part: str, honours: Sequence[Effect], losses: list[Degradation]
) -> Iterator[Finding]:
    known = [sources.losses[d.code] for d in losses if d.code in sources.losses]
    triggers = {loss.trigger for loss in known if not loss.partial}
    partial = {loss.trigger for loss in known if loss.partial}
    for effect in row.event.offers:
        if effect not in honours and effect not in triggers:
            yield Finding(row.where + part, f"{effect} is offered, not honoured, and no degradation is triggered by it")
    for effect in honours:
        if effect in triggers:
            yield Finding(row.where + part, f"{effect} is honoured and a degradation says that it is lost")
        if effect not in row.event.offers:
            yield Finding(row.where + part, f"{effect} is honoured and the vendor does not offer it")
    for partly in sorted(map(str, partial - {None, *honours})):
        yield Finding(row.where + part, f"{partly} is lost in part only, so the row honours it")


def _possible(
    sources: Sources, row: Row, part: str, honours: Collection[Effect], seams: Sequence[str]
) -> Iterator[Finding]:
    known = sources.surfaces["embedded-0.1"].seams
    powers = set[Effect]().union(*(POWERS[known[seam].decision] for seam in seams if seam in known))
    for effect in sorted(honours):
        if effect not in powers:
            yield Finding(row.where + part, f"no seam of {list(seams)} can carry {effect}")


def _carried(honours: Sequence[Effect], stops_at: str | None, feedback: str) -> set[Effect]:
    """What a row's own seams have to carry: a stop may be carried out elsewhere, and what is told beside is context."""
    elsewhere = {Effect.STOP} if stops_at is not None else set()
    beside = {Effect.FEEDBACK} if feedback == "beside" else set()
    return {*honours} - elsewhere - beside | ({Effect.CONTEXT} if beside & {*honours} else set())


def _stopping(
    sources: Sources, row: Row, part: str, honours: Sequence[Effect], stops_at: str | None
) -> Iterator[Finding]:
    known = sources.surfaces["embedded-0.1"].seams
    if stops_at is None:
        return
    if stops_at not in known or known[stops_at].decision != "prompt":
        yield Finding(row.where + part, f"no step can be refused at {stops_at}, where a stop should end the turn")
    if Effect.STOP not in honours:
        yield Finding(row.where + part, f"a stop ends the turn at {stops_at}, and the row does not honour it")
