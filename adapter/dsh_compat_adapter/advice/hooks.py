"""Everything that is said about hooks beyond their grades."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from ..catalog.model import Vendor
from ..declare.findings import Finding
from ..errors import Where
from . import (
    answers,
    bash_syntax,
    folders,
    needs,
    network,
    order,
    paths,
    printing,
    quoting,
    readers,
    refusals,
    scripts,
    systems,
    variables,
)
from .case import Case

ADVISERS: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    scripts.advise,
    quoting.advise,
    refusals.advise,
    refusals.in_background,
    answers.advise,
    bash_syntax.advise,
    network.advise,
)


def advise(case: Case) -> Iterator[Finding]:
    """The findings about one hook, each once. Reads files of the project and runs nothing. Total."""
    yield from dict.fromkeys(finding for adviser in ADVISERS for finding in adviser(case))


def advise_together(
    cases: Sequence[Case], vendors: Iterable[Vendor], environment: Mapping[str, Mapping[str, Where]]
) -> Iterator[Finding]:
    """The findings about the hooks of a project together; `environment` is what settings give to them. Total."""
    yield from order.advise(cases)
    yield from paths.advise(cases)
    yield from folders.advise(cases)
    yield from readers.advise(cases)
    yield from printing.advise(cases)
    yield from variables.advise(cases, environment)
    yield from needs.advise(cases)
    yield from systems.advise(cases, vendors)
