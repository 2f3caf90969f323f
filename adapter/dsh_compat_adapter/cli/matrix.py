"""`dsh-compat matrix`: every event of every vendor."""

import argparse

from ..capability import to_json
from ..catalog.load import Catalog
from ..catalog.matrix import Counts, Matrix, matrix
from .text import coloured, paragraph, say


def run(arguments: argparse.Namespace) -> int:
    """Print the matrix, all of it or one vendor's rows."""
    catalog = Catalog.load()
    data = matrix(catalog)
    if arguments.vendor:
        wanted = catalog.vendor(arguments.vendor).name
        data = Matrix(
            rows=tuple(row for row in data.rows if row.vendor == wanted),
            rules=tuple(entry for entry in data.rules if entry[0] == wanted),
        )
    if arguments.format == "json":
        say(to_json(data.to_dict()))
    else:
        _print(data)
    return 0


def _print(data: Matrix) -> None:
    width = max(len(row.event) for row in data.rows)
    vendor = ""
    for row in data.rows:
        if row.vendor != vendor:
            vendor = row.vendor
            say(coloured(f"\n{vendor}", "bold"))
        route = row.plan.route.value if row.plan else "UNSUPPORTED"
        marks = ("~" if row.approximate else " ") + (" " if row.baseline else "*")
        still = ", ".join(sorted(row.plan.honours)) or "observes" if row.plan else ""
        losses = f"{len(row.degradations)} losses" if row.plan else str(row.reason.code if row.reason else "")
        say(f" {marks} {row.event:<{width}}  {route:<17} {losses:<10} {still}".rstrip())
    say()
    say("~ approximate   * beyond the baseline   `dsh-compat explain VENDOR EVENT` lists the losses of an event")
    _print_counts(data.counts(baseline=True))


def _print_counts(counts: Counts) -> None:
    routes = ", ".join(f"{count} {route}" for route, count in counts.by_route.items())
    say(paragraph(f"Baseline: {counts.rows} events ({routes}), {counts.approximate} approximate, none DIRECT."))
