"""The front matter of a Markdown file: YAML between two lines of three dashes at the very beginning.

Only a file that begins so makes this module import yaml.
"""

import re
from typing import NamedTuple

from ..errors import CompatError, Where
from .findings import Finding, from_error

# people write `paths: **/*.ts`, which YAML takes for an alias and the vendors for the glob that it is
_BARE_GLOB = re.compile(r"^([ \t]*(?:-[ \t]+|[\w-]+:[ \t]+))(\*[^'\"#\r\n]*?)[ \t]*\r?$", re.MULTILINE)
_BLOCK = re.compile(r"---[ \t]*\r?\n(?P<yaml>.*?)^---[ \t]*\r?$", re.DOTALL | re.MULTILINE)


class FrontMatter(NamedTuple):
    """What stands there, and where; an unreadable one is a finding and holds nothing."""

    data: dict[str, object]
    lines: dict[tuple[str | int, ...], Where]
    findings: tuple[Finding, ...]

    def where(self, file: str, *path: str | int) -> Where:
        """The place of a value, or of the nearest one around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, Where(file, 1, 1))


def end_of_front_matter(text: str) -> int:
    """The offset of the text behind it."""
    block = _BLOCK.match(text)
    return block.end() if block else 0


def read_front_matter(text: str, file: str) -> FrontMatter:
    """The front matter of the text of a file. Total."""
    block = _BLOCK.match(text)
    if block is None:
        return FrontMatter({}, {}, ())
    from .yaml_source import parse_yaml  # noqa: PLC0415 - start-up: yaml is imported only where there is some

    try:
        document = parse_yaml(
            "\n" + _BARE_GLOB.sub(r"\1'\2'", block["yaml"]), file
        )  # the line of dashes keeps the lines of the file
    except CompatError as error:
        return FrontMatter({}, {}, (from_error(error, Where(file, 1, 1)),))
    data = document.value if isinstance(document.value, dict) else {}
    return FrontMatter({str(key): value for key, value in data.items()}, document.lines, ())
