"""Matchers that select less, or more, than their author meant: nothing at all, only in part, or by accident."""

import re
from collections.abc import Iterator

from ..capability import Warned
from ..catalog.model import Row, Vendor
from ..hooks.matcher import Matcher

TOOL = "tool.name"
_MCP = re.compile(r"^mcp__[A-Za-z0-9_-]+$")
_GLOB = re.compile(r"\^?mcp__[\w*-]*\*[\w*-]*\$?")  # no character of a pattern but the star
_NARROW_MCP = re.compile(r"mcp__\[\^_\]")


def odd_matcher(matcher: Matcher, declared: object, row: Row, vendor: Vendor) -> Iterator[Warned]:
    """Warnings about the matcher of one hook."""
    if declared not in (None, "", "*") and not row.matched:
        text = f"a matcher is ignored on {row.event}: the hook always runs, whatever {declared!r:.80} says"
        yield Warned(code="matcher-ignored", text=text, remedy="take the matcher out, and decide in the hook")
    if matcher.text is None:
        return
    if row.subject == TOOL and _server_only(matcher):
        text = f"the matcher {matcher.text!r:.120} names a server and no tool, so the hook never runs"
        yield Warned(code="matcher-never-fires", text=text, remedy=f"write '{matcher.text:.80}__.*'")
        return
    if row.subject == TOOL and (meant := _as_glob(matcher)):
        text = (
            f"in the matcher {matcher.text!r:.120} a * repeats the character before it and stands for nothing else, so "
            f"a tool such as {meant!r:.120} is not selected"
        )
        yield Warned(
            code="matcher-never-fires", text=text, remedy="write .* for any characters, as in 'mcp__.*__write.*'"
        )
        return
    if parts := _dead_parts(matcher, row, vendor):
        shown = ", ".join(repr(part) for part in parts)
        text = f"{shown:.200} in the matcher selects no known tool of the vendor; the rest of the matcher works"
        yield Warned(code="matcher-part-never-fires", text=text, remedy="take it out, or name the vendor's own tool")
    if row.subject == TOOL and _NARROW_MCP.search(matcher.text):
        text = "`[^_]` in the name of an MCP server or tool leaves out every one that has a `_` in it"
        yield Warned(code="matcher-misses-tools", text=text, remedy="write `mcp__.*` or the exact name")
    if more := _accidental(matcher, row, vendor):
        text = (
            f"the matcher {matcher.text!r:.80} is searched anywhere in a name, so it selects {', '.join(more):.160} too"
        )
        yield Warned(code="matcher-unanchored", text=text, remedy="write `^(…)$` around it to mean whole names")


def _tools(vendor: Vendor) -> list[str]:
    return [name for tool in vendor.tools for name in (tool.name, *tool.aliases)]


def _server_only(matcher: Matcher) -> bool:
    names = matcher.names
    return names is not None and all(_MCP.match(name) and name.count("__") == 1 for name in names)


def _as_glob(matcher: Matcher) -> str | None:
    """A tool that a pattern for MCP tools means if its stars are read as those of file names, and does not select."""
    text = matcher.text or ""
    if matcher.names is not None or not _GLOB.fullmatch(text):
        return None
    meant = text.removeprefix("^").removesuffix("$").replace("*", "x")
    return None if matcher.matches([meant]) else meant


def _dead_parts(matcher: Matcher, row: Row, vendor: Vendor) -> list[str]:
    """Of a list of names, those that are no tool."""
    if row.subject != TOOL or matcher.names is None or len(matcher.names) == 1:
        return []
    known = {*_tools(vendor), *vendor.other_tools}
    pattern = vendor.tool_pattern
    return [name for name in matcher.names if name not in known and not (pattern and re.search(pattern, name))]


def _accidental(matcher: Matcher, row: Row, vendor: Vendor) -> list[str]:
    """Tools that an unanchored pattern selects because a name that it spells out is part of theirs."""
    text = matcher.text or ""
    if row.subject != TOOL or matcher.names is not None or re.search(r"[()\[\]{}\\]", text):
        return []
    parts = text.split("|")
    words = [part for part in parts if re.fullmatch(r"\w+", part)]
    # what a part with a pattern in it selects, it selects on purpose
    meant = [re.compile(part) for part in parts if part not in words and _is_pattern(part)]
    return [
        name
        for name in (*_tools(vendor), *vendor.other_tools)
        if name not in words
        and any(word in name for word in words)
        and not any(part.search(name) for part in meant)
        and matcher.matches([name])
    ]


def _is_pattern(text: str) -> bool:
    try:
        re.compile(text)
    except re.error:
        return False
    return True
