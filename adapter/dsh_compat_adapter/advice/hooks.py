"""Everything that is said about one hook beyond its grade."""

from collections.abc import Callable, Iterator

from ..declare.findings import Finding
from . import network, quoting, refusals, scripts
from .case import Case

ADVISERS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    scripts.advise,
    quoting.advise,
    refusals.advise,
    network.advise,
)


def advise(case: Case) -> Iterator[Finding]:
    """The findings about one hook, each once. Reads files of the project and runs nothing. Total."""
    yield from dict.fromkeys(finding for adviser in ADVISERS for finding in adviser(case))
