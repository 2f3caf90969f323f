"""Hooks of one event that seem to count on each other: several vendors start them together."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..declare.findings import Finding, make_finding
from .case import Case
from .files import at_lines


def advise(cases: Sequence[Case]) -> Iterator[Finding]:
    """One finding for the hooks of one file and event that start the same script in different ways."""
    alike: dict[tuple[str, str, str | None, str], list[Case]] = defaultdict(list)
    for case in cases:
        if case.vendor.dialect.concurrency == "parallel":
            for script in {str(script.path) for script in case.scripts}:
                alike[case.where.file, case.hook.row.event, case.hook.matcher.text, script].append(case)
    for (_, event, _, script), together in alike.items():
        if len({tuple(program.argv for program in case.programs) for case in together}) > 1:
            first, name = together[0], script.rsplit("/", 1)[-1]
            yield make_finding(
                "starts-together",
                first.where,
                f"{len(together)} hooks of {event}{at_lines(together)} start {name!r:.80} in "
                f"different ways; {first.vendor.title} starts them together, so none can count on the one before it, "
                "while here they run one after another",
                "make them one hook where their order counts",
            )
