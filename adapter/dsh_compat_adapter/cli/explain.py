"""`dsh-compat explain VENDOR EVENT`: one event, its losses, what they mean and what they rest on."""

import argparse
from collections.abc import Sequence

from ..capability import to_json
from ..catalog.load import Catalog
from ..catalog.loss import Degradation
from ..catalog.matrix import Described, describe
from ..catalog.model import Plan, Row
from ..catalog.observed import VERDICTS, Observed, observed
from .text import coloured, paragraph, say


def run(arguments: argparse.Namespace) -> int:
    """Print all that is known about one event."""
    catalog = Catalog.load()
    vendor = catalog.vendor(arguments.vendor)
    described = describe(catalog, vendor, catalog.row(vendor, arguments.event))
    if arguments.format == "json":
        say(to_json({**described.to_dict(), "observed": _observed_dict(described)}))
    else:
        _print(described)
    return 0


def _print(described: Described) -> None:
    row = described.row
    grade = coloured(row.capability.value, "green" if row.plan else "red")
    approximate = ", approximate" if row.approximate else ""
    beyond = "" if row.baseline else ", beyond the baseline"
    say(f"{coloured(f'{described.vendor.title} {row.event}', 'bold')}: {grade}{approximate}{beyond}")
    if row.reason:
        _losses(described, [row.reason])
    if row.plan:
        _plan(described, row.plan)
    if row.native_plan:
        say(coloured("\nwith bridge: native", "bold"))
        _plan(described, row.native_plan)
    checked = row.checked
    say(f"\nchecked against {checked.version} on {checked.date} ({checked.basis})")
    if (seen := observed().get(row.vendor)) is not None and seen.of(row.event):
        _observed(seen, row.event)


def _observed(seen: Observed, event: str) -> None:
    """What the engine was seen to do, and every case in which the adapter does something else."""
    cases = seen.of(event)
    counts = {verdict: sum(case.verdict == verdict for case in cases) for verdict in VERDICTS}
    shown = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    say(f"observed in the engine {seen.version} on {seen.date}: {len(cases)} cases, with bridge: native {shown}")
    for case in cases:
        if case.verdict != "equal":
            why = case.because or ", ".join(case.codes)
            say(paragraph(f"{case.says}: {why}", 4, lead=case.verdict, colour="yellow"))


def _observed_dict(described: Described) -> dict[str, object] | None:
    seen = observed().get(described.row.vendor)
    cases = seen.of(described.row.event) if seen else ()
    if seen is None or not cases:
        return None
    return {
        "version": seen.version,
        "date": seen.date,
        "cases": [
            {
                "id": case.id,
                "says": case.says,
                "verdict": case.verdict,
                "codes": list(case.codes),
                "because": case.because,
            }
            for case in cases
        ],
    }


def _plan(described: Described, plan: Plan) -> None:
    row = described.row
    say(f"  route        {plan.route.value}, at {', '.join(plan.seams)}")
    say(f"  matcher      {_compared(row)}")
    say(f"  reads        {', '.join(plan.payload) or 'the common fields only'}")
    say(f"  still works  {', '.join(sorted(plan.honours)) or 'it runs and observes'}")
    say(f"  time limit   {row.timeout_s:g} s unless the hook says otherwise")
    say("  lost")
    _losses(described, plan.degradations)


def _losses(described: Described, degradations: Sequence[Degradation]) -> None:
    for degradation in degradations:
        say(paragraph(degradation.loss, 4, lead=degradation.code, colour="yellow"))
        say(paragraph(described.means[degradation.code], 6))
        if degradation.code in described.remedies:
            say(paragraph(described.remedies[degradation.code], 6, lead="Way out", colour="green"))
        say(paragraph(described.evidence[degradation.evidence], 6, lead="Evidence"))


def _compared(row: Row) -> str:
    """What the matcher of an event is compared with."""
    if not row.matched:
        return "ignored, the hook always runs"
    return f"compared with {row.subject or repr(row.subject_const)}"
