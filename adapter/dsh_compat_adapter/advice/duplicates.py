"""The same hook declared twice: in two layers or groups of a vendor, or in the files of two vendors."""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..declare.findings import Finding
from .case import Case


def advise(cases: Sequence[Case]) -> Iterator[Finding]:
    """A finding at each declaration that repeats an earlier one."""
    alike: dict[tuple[str, ...], list[Case]] = defaultdict(list)
    for case in cases:
        for moment in case.hook.plan.seams:
            alike[moment, *_run(case)].append(case)
    said: set[str] = set()
    for first, *others in alike.values():
        for case in others:
            if str(case.where) not in said:
                said.add(str(case.where))
                yield from _repeated(first, case)


def _run(case: Case) -> tuple[str, ...]:
    """What two declarations have in common that do the same at the same event."""
    _, options, _ = json.loads(case.hook.identity)
    row = case.hook.row
    return (row.canonical or row.event, case.declared, repr(options))


def _repeated(first: Case, case: Case) -> Iterator[Finding]:
    if first.vendor.name != case.vendor.name and first.where == case.where:
        yield case.says(
            "runs-twice",
            f"this file is one of {first.vendor.title} as well, so the hook runs for both, twice at the same event",
            "write a compat.yaml with discover: false that has it for one of the two",
        )
    elif first.vendor.name != case.vendor.name:
        yield case.says(
            "runs-twice",
            f"the same hook stands in {first.where} for {first.vendor.title}, so both run at the same event",
            "keep it in the files of one vendor",
        )
    elif first.hook.spelling != case.hook.spelling:
        yield case.says(
            "runs-twice",
            f"the same hook stands in {first.where} as {first.hook.spelling}, another name of this event, so both run",
            "keep one of the two names",
        )
    elif case.vendor.dialect.deduplicates and first.hook.identity == case.hook.identity:
        yield case.says(
            "runs-once",
            f"the same hook stands in {first.where}; where the matchers of both select an event it runs once",
            "keep one of the two",
        )
    else:
        yield case.says(
            "runs-twice",
            f"the same hook stands in {first.where}, so where both matchers select an event it runs twice",
            "keep one of the two",
        )
