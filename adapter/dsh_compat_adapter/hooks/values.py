"""The values of one host event, by path, and the view that a vendor's hook gets of them.

A host fills flat paths (`session.id`, `tool.host_name`, …). What a dialect renames (tool names and arguments) is a
view computed here, so that payload, matcher and filters read the same thing.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from ..catalog.model import Row, Vendor, When

Values = Mapping[str, object]
MISSING = object()


def view(values: Values, vendor: Vendor) -> Values:
    """The values with `tool.name`, `tool.alias` (the first one) and `tool.arguments` as its vendor has them. Total."""
    path = values.get("file.path")
    if isinstance(path, str) and "file.name" not in values:
        values = {**values, "file.name": PurePath(path).name}
    host_name = values.get("tool.host_name")
    if not isinstance(host_name, str):
        return values
    arguments = values.get("tool.host_arguments")
    tool = next((tool for tool in vendor.tools if tool.host == host_name), None)
    if tool is None:
        return {**values, "tool.name": host_name, "tool.alias": host_name, "tool.arguments": arguments}
    names = {host: vendor_name for vendor_name, host in tool.arguments.items()}
    alias = tool.aliases[0] if tool.aliases else tool.name
    return {**values, "tool.name": tool.name, "tool.alias": alias, "tool.arguments": renamed(arguments, names)}


def subjects(values: Values, row: Row, vendor: Vendor) -> Sequence[str]:
    """The names that a matcher is tried on: every vendor name of a tool, else the value as text, else nothing."""
    if row.subject_const is not None:
        return (row.subject_const,)
    if row.subject is None:
        return ()
    if row.subject == "tool.name":
        host_name = values.get("tool.host_name")
        names = [name for tool in vendor.tools if tool.host == host_name for name in (tool.name, *tool.aliases)]
        if names:
            return names
        if not vendor.tools:  # a dialect without names of its own takes the host's, and the one that the caller used
            given = values.get("tool.given_name")
            return [str(name) for name in (host_name, given) if isinstance(name, str)] or ("",)
    value = lookup(view(values, vendor), row.subject)
    if value is MISSING or value is None:
        return ("",)
    # a matcher is written against what the hook reads, so the payload's renaming applies to it as well
    fields = row.plan.payload.values() if row.plan else ()
    renamed = next((field.map for field in fields if field.path == row.subject), {})
    return (renamed.get(str(value), str(value)),)


def lookup(values: Values, path: str) -> object:
    """The value at a path, also inside an object that stands at a shorter path; MISSING when there is none.

    Behind an array stands the tuple of what its objects have under that name.
    """
    if path in values:
        return values[path]
    head, _, key = path.rpartition(".")
    if not head:
        return MISSING
    parent = lookup(values, head)
    if isinstance(parent, list | tuple):
        return tuple(member[key] for member in parent if isinstance(member, Mapping) and key in member)
    return parent.get(key, MISSING) if isinstance(parent, Mapping) else MISSING


def applies(values: Values, when: When) -> bool:
    """Whether an event is one that the row means: each path holds one of the values, `~pattern` or `!value`. Total.

    Of several values at a path, one that holds is enough.
    """
    return all(
        any(_holds(lookup(values, path), alternative) for alternative in alternatives)
        for path, alternatives in when.items()
    )


def possible(values: Values, when: When) -> bool:
    """Whether an event can be one that the row means, as far as its values are known. Total."""
    known = {path: alternatives for path, alternatives in when.items() if lookup(values, path) is not MISSING}
    return applies(values, known)


def _holds(value: object, expected: str | bool | int) -> bool:  # noqa: FBT001 - a literal, no switch
    if isinstance(value, tuple):
        return any(_holds(one, expected) for one in value)
    if isinstance(expected, str) and expected.startswith("~"):
        return isinstance(value, str) and re.search(expected[1:], value) is not None
    if isinstance(expected, str) and expected.startswith("!"):
        return value != expected[1:]
    return value is expected if isinstance(expected, bool) else value == expected


def renamed(arguments: object, names: Mapping[str, str]) -> object:
    """Arguments under other names; one without another name keeps its own.

    Of two that come to one name the renamed one counts: it is what the tool acts on, so nothing else may hide it.
    """
    if not isinstance(arguments, Mapping) or not names:
        return arguments
    told = {names.get(key, key): value for key, value in arguments.items()}
    return told | {names[key]: value for key, value in arguments.items() if key in names}
