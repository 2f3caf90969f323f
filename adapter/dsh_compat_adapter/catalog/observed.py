"""What was seen of a vendor's own engine, and how the adapter compares with it: a digest of the recorded cases.

`scripts/regenerate` makes it from `tests/vectors/vendors`. Only what prints it reads it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_name("observed.json")
VERDICTS = ("equal", "stricter", "weaker", "different", "not comparable")


class Case(NamedTuple):
    """One recorded case. `codes` are the losses that say the difference; none where it is equal."""

    id: str
    says: str
    event: str
    reads: bool  # it compares what a hook is given, and not what its answer does
    verdict: str
    codes: tuple[str, ...]
    because: str | None


class Observed(NamedTuple):
    """One engine: its version, when it was asked, and the cases. `fields` are the members of what hooks were given."""

    version: str
    date: str
    fields: int
    equal_fields: int
    cases: tuple[Case, ...]

    def counts(self) -> Mapping[str, int]:
        """The cases about effects, by verdict."""
        effects = [case for case in self.cases if not case.reads]
        return {verdict: sum(case.verdict == verdict for case in effects) for verdict in VERDICTS}

    def of(self, event: str) -> tuple[Case, ...]:
        """The cases of one event."""
        return tuple(case for case in self.cases if case.event == event)


def observed(text: str | None = None) -> Mapping[str, Observed]:
    """Every engine that was asked, by vendor; `text` stands for the file that is shipped."""
    data = json.loads(FILE.read_text(encoding="utf-8") if text is None else text)
    return {
        vendor: Observed(
            version=entry["version"],
            date=entry["date"],
            fields=entry["fields"],
            equal_fields=entry["equal_fields"],
            cases=tuple(Case(**{**case, "codes": tuple(case["codes"])}) for case in entry["cases"]),
        )
        for vendor, entry in data.items()
    }
