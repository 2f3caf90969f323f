"""`dsh-compat catalog`: when each row of the catalog was last checked against its vendor, and on what basis."""

import argparse
from datetime import UTC, date, datetime

from ..capability import to_json
from ..catalog.load import Catalog
from ..catalog.model import Row
from .text import say


def run(arguments: argparse.Namespace) -> int:
    """Print the rows; with `--stale` only those that are older than the limit, and exit 1 when there are any."""
    today = datetime.now(UTC).date()
    rows = [row for vendor in Catalog.load().vendors.values() for row in vendor.rows.values()]
    shown = [row for row in rows if not arguments.stale or _age(row, today) > arguments.days]
    if arguments.format == "json":
        say(to_json({"rows": [_row(row, today) for row in shown]}))
    else:
        for row in shown:
            checked = row.checked
            when = f"{checked.version}, {checked.date} ({checked.basis})"
            say(f"{row.vendor} {row.event}: {when}, {_age(row, today)} days")
        if arguments.stale:
            say(f"{len(shown)} of {len(rows)} rows were last checked more than {arguments.days} days ago")
    return 1 if arguments.stale and shown else 0


def _age(row: Row, today: date) -> int:
    return (today - date.fromisoformat(row.checked.date)).days


def _row(row: Row, today: date) -> dict[str, object]:
    checked = {"version": row.checked.version, "date": row.checked.date, "basis": row.checked.basis}
    return {"vendor": row.vendor, "event": row.event, **checked, "days": _age(row, today)}
