"""What is said about one rules file beyond its losses: when the vendor would load it, and what it leaves out."""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..catalog.model import Vendor
from ..catalog.rules import RulesFile
from ..declare.discover import shadowed_by, stands
from ..declare.findings import Finding, make_finding
from ..declare.front_matter import FrontMatter, read_front_matter
from ..declare.rules_scope import globs
from ..declare.text_file import text_place
from ..errors import Where

EVERY_FILE = {"**", "**/*"}  # globs that leave nothing out
_NAME_ONLY = re.compile(r"\s*(?P<name>[^\s<>:\"|?*]{1,200}\.(?:md|mdc))\s*")


class RulesCase(NamedTuple):
    """One rules file of one vendor."""

    path: Path
    text: str
    size: int  # bytes
    vendor: Vendor
    kind: RulesFile
    root: Path
    limit: int | None  # of `max_bytes`, where the settings have one of their own
    scope_keys: Collection[str]  # of all vendors

    @property
    def start(self) -> Where:
        """The beginning of the file."""
        return Where(str(self.path), 1, 1)


def advise(case: RulesCase) -> Iterator[Finding]:
    """The findings about one file. Reads files of the project and runs nothing. Total."""
    yield from _loading(case)
    if case.kind.format == "markdown":
        yield from _scope(case, read_front_matter(case.text, str(case.path)))
        yield from _settings(case)


def _loading(case: RulesCase) -> Iterator[Finding]:
    name_only = _NAME_ONLY.fullmatch(case.text)
    if name_only and stands(case.path.parent / name_only["name"]):
        yield make_finding(
            "link-as-text",
            case.start,
            f"the only text here is the name {name_only['name']!r}: a link that was checked out as a text file",
            "make it a link again, or import that file",
        )
    first = shadowed_by(case.path, case.kind, case.root)
    if first is not None:
        yield make_finding(
            "rules-shadowed",
            case.start,
            f"{case.vendor.title} does not read this file, because {first} is there; here it is carried",
            f"keep what {case.vendor.title} is to read in {first}",
        )
    yield from _too_long(case)


def _too_long(case: RulesCase) -> Iterator[Finding]:
    kind, title = case.kind, case.vendor.title
    limit = kind.max_bytes if case.limit is None or kind.max_bytes is None else case.limit
    above = 0 if limit is None or case.size > limit else sum(_sizes_above(case))
    if kind.max_chars is not None and len(case.text) > kind.max_chars:
        message = f"{title} reads nothing of a file of more than {kind.max_chars} characters; here it is carried"
        yield make_finding("rules-too-long", case.start, message, "split it into several files")
    elif limit is not None and case.size + above > limit:
        beside = f" and the {above} of the files above it" if above else ""
        message = f"{title} reads {limit} bytes at most of these {case.size}{beside}; here all are carried"
        yield make_finding("rules-too-long", case.start, message, "shorten it, or raise the limit in the settings")


def _sizes_above(case: RulesCase) -> Iterator[int]:
    """The sizes of the files that the vendor reads before this one, down from the root of the project."""
    for folder in case.path.parent.parents:
        if not folder.is_relative_to(case.root):
            return
        for name in (*case.kind.shadowed_by, case.path.name):
            with suppress(OSError):
                yield (folder / name).stat().st_size
                break


def _scope(case: RulesCase, matter: FrontMatter) -> Iterator[Finding]:
    file = str(case.path)
    if case.kind.scope_key is not None:
        yield from matter.findings
    own = {case.kind.scope_key, case.kind.off_key, case.kind.always_key, *case.kind.scope_aliases}
    if (key := case.kind.scope_key) is not None and not matter.lines and re.match(rf"\s*{key}[ \t]*:", case.text):
        yield make_finding(
            "front-matter-unmarked",
            case.start,
            f"{key} stands in the text and not in front matter, so to {case.vendor.title} it is a part of the rules",
            "put it between two lines of three dashes, at the very beginning of the file",
        )
    scope = globs(matter, case.kind)
    if scope and not EVERY_FILE & set(scope):
        key = next(key for key in (case.kind.scope_key, *case.kind.scope_aliases) if key in matter.data)
        yield make_finding(
            "rules-conditional",
            matter.where(file, str(key)),
            f"the rules are about {', '.join(scope):.200} only; here the model has them from the beginning",
            "say in their text which files they are about",
        )
    elif not scope and case.kind.unscoped == "on-demand":
        yield make_finding(
            "rules-on-demand",
            case.start,
            f"without {case.kind.scope_key} {case.vendor.title} loads this file on demand; here it is always there",
            f"add {case.kind.scope_key} to say which files it is about",
        )
    for key in matter.data:
        if key in case.scope_keys and key not in own and matter.data[key] is not True:
            yield make_finding(
                "scope-key-of-another",
                matter.where(file, key),
                f"{key!r} is no key that {case.vendor.title} reads here, so these rules are there for every file",
                f"write {case.kind.scope_key}" if case.kind.scope_key else "say in the text which files they are about",
            )


def _settings(case: RulesCase) -> Iterator[Finding]:
    """Rules that speak of the settings of the agent itself, which a carried text could make it change."""
    for kind in case.vendor.config:
        name = kind.path.removeprefix("~/")
        if kind.of is None and "*" not in name and name.startswith(".") and (at := case.text.find(name)) >= 0:
            yield make_finding(
                "rules-name-settings",
                text_place(str(case.path), case.text, at),
                f"the rules speak of {name}, so they may ask the agent to change what it is allowed to do",
                "read them before they are carried to another agent",
            )
            return
