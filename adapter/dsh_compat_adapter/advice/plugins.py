"""Plugins and projects that lie in folders of a project: nothing of them is in effect there."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..catalog.load import Catalog
from ..declare.discover import BelowFound, below
from ..declare.findings import Finding, make_finding
from ..declare.readers import SHAPES
from ..declare.text_file import relative
from ..errors import Where

PLUGIN = "{name} is a plugin of {titles}: its hooks run where it is installed, and are not checked with this project"
PROJECT = (
    "{name} has hooks of {titles} of its own: they run where the agent is started there, and are not checked with this "
    "project"
)


def advise(root: Path, catalog: Catalog) -> Iterator[Finding]:
    """One finding for each folder that is a plugin, and for each with hooks of its own. Total."""
    found = below(root, catalog)
    for folder, files in _by_folder(one for one in found if one.kind.layer == "plugin").items():
        yield make_finding("plugin-below", *_told(folder, files, root, PLUGIN))
    for folder, files in _by_folder(one for one in found if one.kind.layer != "plugin" and _has_hooks(one)).items():
        yield make_finding("project-below", *_told(folder, files, root, PROJECT))


def _told(folder: Path, files: Sequence[BelowFound], root: Path, text: str) -> tuple[Where, str, str]:
    """Where, what, and the way out."""
    name = relative(str(folder), root)
    message = text.format(name=f"{name:.120}", titles=_titles(files))
    return Where(str(files[0].file), 1, 1), message, f"dsh-compat check {name}"


def _by_folder(found: Iterable[BelowFound]) -> dict[Path, list[BelowFound]]:
    folders: dict[Path, list[BelowFound]] = defaultdict(list)
    for one in found:
        folders[one.folder].append(one)
    return folders


def _titles(found: Iterable[BelowFound]) -> str:
    return " and ".join(dict.fromkeys(one.vendor.title for one in found))


def _has_hooks(found: BelowFound) -> bool:
    read = SHAPES[found.kind.shape](found.file, found.vendor)
    return bool(read.hooks or read.refused)
