"""`@path` imports in a rules file, as the vendors that have them read them: outside of code, relative to the file."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..errors import Where
from .text_file import text_place

# code is taken whole, so that nothing inside it counts: a fence, or a span of one or two backticks
_PART = re.compile(
    r"""^[ ]{0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^[ ]{0,3}(?P=fence)[`~]*[ \t]*$|\Z)"""
    r"""|``[^\n]*?``|`[^`\n]*`"""
    r"""|(?:^|(?<=[\s(]))@(?P<path>(?:\\[ ]|[^\s`'\"<>()\[\],;:!?])+)""",
    re.MULTILINE | re.DOTALL,
)
# what begins like this is a path even where nothing stands there; `@name` may be a person or a package
_PATH = re.compile(r"(?:\.{0,2}|~)/|.*\.(?:md|mdc|txt)$", re.IGNORECASE)


class Import(NamedTuple):
    """One import, and whether it can be nothing else."""

    path: str
    where: Where
    sure: bool


def imports(text: str, file: str) -> Iterator[Import]:
    """Every import of a text, in its order. Total, and linear but for fences that do not end."""
    for part in _PART.finditer(text):
        if (path := part["path"]) is not None:
            path = path.rstrip(".").replace("\\ ", " ")
            if path:
                yield Import(path, text_place(file, text, part.start("path") - 1), _PATH.match(path) is not None)
