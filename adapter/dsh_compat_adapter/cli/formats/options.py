"""What a format is given beside the check itself."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...catalog.load import Catalog
from ...checking import Checked


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`catalog` says what codes mean; names of files below `folder` are written relative to it in machine formats."""

    catalog: Catalog
    folder: Path
    verbose: bool = False


Render = Callable[[Checked, Options], Iterator[str]]
