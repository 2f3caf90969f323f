"""`dsh-compat matrix`: every event of every vendor, from the generated file."""

import argparse
import os

from .text import coloured, paragraph, say

FILE = os.path.join(os.path.dirname(__file__), os.pardir, "catalog", "matrix.json")  # noqa: PTH118, PTH120 - start-up


def run(arguments: argparse.Namespace) -> int:
    """Print the matrix."""
    with open(FILE, encoding="utf-8") as file:  # noqa: PTH123 - start-up
        text = file.read()
    if arguments.format == "json":
        say(text.rstrip())
    else:
        _print(text)
    return 0


def _print(text: str) -> None:
    import json  # noqa: PLC0415 - start-up: the file is printed as it stands on request

    data = json.loads(text)  # generated and drift-tested, so its shape is trusted
    width = max(len(row["event"]) for row in data["rows"])
    vendor = ""
    for row in data["rows"]:
        if row["vendor"] != vendor:
            vendor = row["vendor"]
            say(coloured(f"\n{vendor}", "bold"))
        marks = ("~" if row["approximate"] else " ") + (" " if row["baseline"] else "*")
        if row["route"]:
            still = ", ".join(row["honours"]) or "observes"
            about = f"{row['route']:<17} {len(row['degradations']):>2} losses  {still}"
        else:
            about = f"UNSUPPORTED       {row['reason']['code']}"
        say(f" {marks} {row['event']:<{width}}  {about}")
    say()
    say("~ approximate   * beyond the baseline   `dsh-compat explain VENDOR EVENT` lists the losses of an event")
    counts = data["counts"]["baseline"]
    routes = ", ".join(f"{count} {route}" for route, count in counts["by_route"].items())
    say(paragraph(f"Baseline: {counts['rows']} events ({routes}), {counts['approximate']} approximate, none DIRECT."))
