"""Whether a matcher can select anything on a host, and if not, why: a hook that never fires must not stay unnoticed.

Nothing is claimed where nobody knows: tool names are open (a host may have further tools, an MCP server brings its
own), other values are closed where the vendor or the host has a list of them.
"""

import re
from collections.abc import Sequence

from .capability import Warned
from .catalog.model import Plan, Row, Vendor
from .catalog.surface import Surface
from .errors import nearest, shown
from .events import Route
from .hooks.matcher import PROBE_LIMIT_S, Matcher, portable


def doubts(matcher: Matcher, row: Row, plan: Plan, vendor: Vendor, surface: Surface) -> list[Warned]:
    """What a matcher does not select here although its author may count on it; empty when nobody knows."""
    if matcher.text is None or not row.matched:
        return []
    by_tool = row.subject == "tool.name"
    found = _no_tool(matcher, vendor, surface) if by_tool else _no_value(matcher, row, plan, surface)
    bridged = plan.route is Route.OFFICIAL_BRIDGE
    if by_tool and bridged and not portable(matcher, vendor.dialect.matchers[row.matcher]):
        text = (
            f"the official bridge reads JavaScript, not the matcher {shown(matcher.text)}: there the hook runs on "
            "those of the known tools that it selects, and on no tool from outside; use bridge: native"
        )
        return [*([found] if found else []), Warned(code="bridge-narrows-matcher", text=text)]
    return [found] if found else []


def _no_tool(matcher: Matcher, vendor: Vendor, surface: Surface) -> Warned | None:
    text = matcher.text or ""
    called = [(tool.name, *tool.aliases) for tool in vendor.tools]
    known = {name for names in called for name in names}
    mapped = {tool.host for tool in vendor.tools}
    further = [(name,) for name in surface.tools if name not in mapped]
    if _selects_any(matcher, [*called, *further]) or _may_be_foreign(text, vendor):
        return None
    quoted = f"the matcher {shown(text)}"
    if matcher.names is not None and set(matcher.names) <= set(vendor.uncalled_tools):
        why = f"{quoted} names what no host calls: that work arrives under another tool's name, so the hook never runs."
        return Warned(code="matcher-never-fires", text=f"{why} Name the tools that do it instead.")
    if (name := re.split(r"[(:]", text, maxsplit=1)[0]) in known and name != text:
        hint = f" A matcher selects by name only: write {shown(name)} and decide about the rest in the hook."
    else:
        hint = nearest(text, [*known, *surface.tools])
    return Warned(
        code="matcher-never-fires",
        text=f"{quoted} selects no known tool of {vendor.title} or {surface.title}, so the hook runs only where the "
        f"host has a further tool by such a name.{hint}",
    )


def _may_be_foreign(text: str, vendor: Vendor) -> bool:
    """Whether a matcher looks as if it named a tool from outside, such as one of an MCP server."""
    if vendor.tool_pattern is None:
        return False
    words = set(re.split(r"[^\w-]+", text)) - set(vendor.uncalled_tools)
    return any(re.search(vendor.tool_pattern, word) for word in words)


def _no_value(matcher: Matcher, row: Row, plan: Plan, surface: Surface) -> Warned | None:
    text = matcher.text or ""
    if row.subject_values and not _selects_any(matcher, [(value,) for value in row.subject_values]):
        why = f"the matcher {shown(text)} selects no known value of {row.event}, so the hook never runs."
        return Warned(code="matcher-never-fires", text=why + nearest(text, row.subject_values))
    sent = _sent(row, plan, surface) if row.subject_const is None else (row.subject_const,)
    if sent is None or _selects_any(matcher, [(value,) for value in sent]):
        return None
    what = (
        f"none of what {row.event} is sent with ({', '.join(sent)})" if sent else f"by what {row.event} is sent without"
    )
    only = f"the matcher {shown(text)} selects {what}"
    if surface.caller_sends and row.subject_const is None:
        why = f"{only}, so the hook runs only where whoever fires the event sends something else."
        return Warned(code="matcher-value-not-sent", text=why)
    return Warned(code="matcher-never-fires", text=f"{only}, so the hook never runs.")


def _sent(row: Row, plan: Plan, surface: Surface) -> Sequence[str] | None:
    """All values, in the vendor's words, that the host sends as the subject; none when nobody knows."""
    assert row.subject is not None  # only then there is a matcher
    wanted = plan.when.get(row.subject, ())
    literal = [value for value in wanted if isinstance(value, str) and not value.startswith(("~", "!"))]
    values = literal if literal and len(literal) == len(wanted) else surface.sends.get(row.subject)
    if values is None:
        return None
    words = next((field.map for field in plan.payload.values() if field.path == row.subject), {})
    return [words.get(value, value) for value in values]


def _selects_any(matcher: Matcher, subjects: Sequence[Sequence[str]]) -> bool:
    """Whether one of these is selected; a pattern that cannot be judged at once may select anything."""
    for names in subjects:
        for name in matcher.compared(names):
            if matcher.accepts(name, PROBE_LIMIT_S) is not False:
                return True
    return False
