"""Matchers that another host, which reads the same file, takes no notice of."""

from collections.abc import Iterator, Sequence

from ..declare.findings import Finding, make_finding
from .case import Case
from .files import at_lines, by_file


def advise(cases: Sequence[Case]) -> Iterator[Finding]:
    """One finding a file whose matchers count here and for its vendor, and not for that host."""
    for alike in by_file(cases):
        other = alike[0].vendor.dialect.matchers_ignored_by
        matched = [case for case in alike if case.hook.matcher.text is not None]
        if other is not None and matched:
            yield make_finding(
                "matcher-not-everywhere",
                matched[0].where,
                f"{other}, which reads this file too, ignores the matchers{at_lines(matched)} and runs these hooks for "
                "every tool; here a matcher counts",
                "let the hook itself look at the name of the tool",
            )
