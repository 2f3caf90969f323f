"""For which files a rules file is meant: globs in its front matter, or the folder that it stands in."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from ..catalog.rules import RulesFile
from .front_matter import FrontMatter

_COMMA = re.compile(r",(?![^{]*\})")  # one in braces belongs to its glob


def globs(matter: FrontMatter, kind: RulesFile) -> tuple[str, ...]:
    """The globs of the front matter, in their order: a list, or a text with commas between them."""
    if kind.always_key is not None and matter.data.get(kind.always_key) is True:
        return ()
    for key in (kind.scope_key, *kind.scope_aliases):
        if key is not None and key in matter.data:
            return tuple(_texts(matter.data[key]))
    return ()


def switched_off(matter: FrontMatter, kind: RulesFile) -> str | None:
    """The key of the front matter because of which the vendor never loads the file, if there is one."""
    if kind.off_key is not None and matter.data.get(kind.off_key) is False:
        return kind.off_key
    if kind.always_key is not None and matter.data.get(kind.always_key) is False and not globs(matter, kind):
        return kind.always_key
    return None


def folder(path: PurePath, root: PurePath, kind: RulesFile) -> tuple[str, ...]:
    """The files below the folder of a nested rules file, by the part of its path that the vendor's pattern leaves."""
    if not kind.nested or not path.is_relative_to(root):
        return ()
    parts = path.relative_to(root).parts
    first = PurePath(kind.path).parts[0]
    above = parts[: parts.index(first)] if first in parts[:-1] else parts[:-1]
    return (f"{'/'.join(above)}/**",) if above else ()


def _texts(value: object) -> Sequence[str]:
    entries = value if isinstance(value, list) else _COMMA.split(value) if isinstance(value, str) else []
    return [entry.strip() for entry in entries if isinstance(entry, str) and entry.strip()]
