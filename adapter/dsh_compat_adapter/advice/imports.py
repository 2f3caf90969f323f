"""What the `@path` imports of a rules file come to: nobody expands them here, and some would fail at the vendor too."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ..declare.findings import Finding, make_finding
from ..declare.imports import Import, imports
from ..declare.text_file import read_text
from ..errors import CompatError

MAX_DEPTH = 5  # of imports in imports, at both vendors that have them
MAX_FILES = 200  # that one rules file leads to


class _File(NamedTuple):
    """A file whose imports are looked at, with the real paths of those that lead to it, itself included."""

    path: Path
    text: str
    above: tuple[str, ...]


def advise(path: Path, text: str, root: Path) -> Iterator[Finding]:
    """Findings about the imports of one rules file and of what they lead to. Reads files of the project only. Total."""
    start = _File(path, text, (os.path.realpath(path),))
    waiting, seen = [start], {*start.above}
    while waiting:
        file = waiting.pop()
        for one in imports(file.text, str(file.path)):
            target = Path(os.path.normpath(file.path.parent / one.path))
            if (fault := _fault(one, target, root)) is not None:
                yield from fault
                continue
            real = os.path.realpath(target)
            yield from _followed(one, file, real)
            if real not in seen and len(seen) < MAX_FILES and len(file.above) <= MAX_DEPTH:
                seen.add(real)
                waiting += _read(target, (*file.above, real))


def _fault(one: Import, target: Path, root: Path) -> tuple[Finding, ...] | None:
    """Why an import cannot be followed, which is nothing to say for what may be no import; none when it can be."""
    if one.path.startswith("~/") or not target.is_relative_to(os.path.normpath(root)):
        outside = make_finding(
            "import-outside",
            one.where,
            f"@{one.path:.120} lies outside of the project, so it is not followed and not carried",
            "write its text into this file, or declare it in compat.yaml",
        )
        return (outside,) if one.sure else ()
    if not os.path.isfile(target):  # noqa: PTH113 - Path.is_file raises for a name that is too long
        missing = make_finding(
            "import-missing",
            one.where,
            f"@{one.path:.120} imports a file that is not there, so the model reads the name only",
            "correct the path; it is relative to this file",
        )
        return (missing,) if one.sure else ()
    return None


def _followed(one: Import, file: _File, real: str) -> Iterator[Finding]:
    if real in file.above:
        yield make_finding(
            "import-cycle",
            one.where,
            f"@{one.path:.120} leads back to a file that imports this one; the vendor reads it once",
            "take one of the two imports out",
        )
    elif len(file.above) > MAX_DEPTH:
        yield make_finding(
            "import-too-deep",
            one.where,
            f"@{one.path:.120} is imported more than {MAX_DEPTH} levels deep, where the vendor stops",
            "import it from a file above",
        )
    elif len(file.above) == 1:
        yield make_finding(
            "import-not-expanded",
            one.where,
            f"the text of @{one.path:.120} is not carried with this file: the model reads the name only",
            "declare the imported file under `rules` in compat.yaml as well",
        )


def _read(path: Path, above: tuple[str, ...]) -> list[_File]:
    try:
        return [_File(path, read_text(path), above)]
    except CompatError:  # where it is a rules file itself, that is said of it
        return []
