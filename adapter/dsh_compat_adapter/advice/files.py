"""What several hooks of one file have in common is said once, with the lines that it is about."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from .case import Case


def by_file(cases: Sequence[Case]) -> Iterator[tuple[Case, ...]]:
    """The cases of each file, in their order."""
    files: dict[str, list[Case]] = defaultdict(list)
    for case in cases:
        files[case.where.file].append(case)
    yield from map(tuple, files.values())


def at_lines(cases: Sequence[Case]) -> str:
    """The lines of cases of one file, as words in a sentence: ` at 3, 9`."""
    lines = ", ".join(str(line) for line in dict.fromkeys(case.where.line for case in cases) if line)
    return f" at {lines:.80}" if lines else ""
