"""The official DSH bridges: the hooks become a configuration file in the bridge's own format, and the host mounts it.

A bridge compares matchers with the host's tool names only, so the generated matcher gains the host names of exactly
those tools that the original selects.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from ..catalog.model import Vendor
from ..errors import CompatError, ErrorCode
from ..hooks.hook import Hook, RunCommand
from ..hooks.matcher import portable
from ..hooks.patterns import compile_pattern
from .point import Mounting, Unmount

_REFERS = re.compile(r"\\[1-9k]|\(\?<[A-Za-z_$]")
BRIDGE_FLAVOUR = "ecmascript"
NEVER = r"[^\s\S]"  # a pattern that no name fits


@runtime_checkable
class BridgeHost(Protocol):
    """A host that has official bridges."""

    async def mount_bridge(self, vendor: Vendor, config: Mapping[str, object], mounting: Mounting) -> Unmount:
        """Start the vendor's bridge with this configuration; raises when it refuses."""
        ...


def group(hook: Hook) -> Hashable:
    """One bridge serves all events of a vendor with one file."""
    return hook.vendor.name


async def mount(hooks: Sequence[Hook], mounting: Mounting) -> Unmount:
    """Generate the configuration and hand it to the host's bridge."""
    if not isinstance(mounting.host, BridgeHost):
        raise CompatError(
            ErrorCode.INVALID_DECLARATION,
            f"{mounting.host.surface.title} says that it has official bridges and offers no way to mount one",
        )
    return await mounting.host.mount_bridge(hooks[0].vendor, bridge_config(hooks), mounting)


def bridge_config(hooks: Sequence[Hook]) -> dict[str, object]:
    """The bridge's hooks.json: events, groups with a matcher, command handlers with a timeout in seconds.

    A bridge runs a command once for each group that names it. Where the vendor runs a repeated command once, its groups
    become one, with the matchers joined.
    """
    events: dict[str, list[object]] = {}
    for same in _repeated(hooks):
        first = same[0]
        assert isinstance(first.action, RunCommand)  # no vendor with a bridge runs another kind
        handler = {"type": "command", "command": first.action.argv[-1], "timeout": first.timeout_s}
        for matcher in _joined([host_matcher(hook) for hook in same]):
            group_entry = {"hooks": [handler]} if matcher is None else {"matcher": matcher, "hooks": [handler]}
            events.setdefault(first.row.event, []).append(group_entry)
    return {"hooks": events}


def _repeated(hooks: Sequence[Hook]) -> list[list[Hook]]:
    """The hooks, those together of which the vendor would run one, in the order of the first."""
    groups: dict[Hashable, list[Hook]] = {}
    for position, hook in enumerate(hooks):
        key: Hashable = (hook.row.event, hook.identity) if hook.dialect.deduplicates else position
        groups.setdefault(key, []).append(hook)
    return list(groups.values())


def _joined(matchers: Sequence[str | None]) -> Sequence[str | None]:
    """One matcher for all, or all of them where one refers to its own groups by number or name."""
    patterns = [matcher for matcher in matchers if matcher is not None]
    if len(patterns) < len(matchers):
        return [None]
    different = list(dict.fromkeys(patterns))
    if len(different) == 1 or any(_REFERS.search(pattern) for pattern in different):
        return different
    return ["|".join(f"(?:{pattern})" for pattern in different)]


def host_matcher(hook: Hook) -> str | None:
    """The matcher as the bridge reads it: an unanchored JavaScript pattern over the host's names.

    It selects the host names of exactly the tools that the original selects, and compares the original with names that
    the vendor's table does not have, unless JavaScript would read it otherwise.
    """
    matcher = hook.matcher
    if matcher.text is None:
        return None
    known = _known(hook)
    selected = {host for host, names in known.items() if matcher.selects(names)}
    left_out = set(known) - selected
    if matcher.names is not None:
        return _exactly([*(name for name in matcher.names if name not in left_out), *sorted(selected)])
    if not portable(matcher, hook.vendor.dialect.matchers[hook.row.matcher]):
        return _exactly(sorted(selected))
    accepts = compile_pattern(matcher.text, BRIDGE_FLAVOUR, anchored=False)
    overreached = sorted(name for name in left_out if accepts(name) is not False)
    original = f"^(?!{_group(overreached)}$)[\\s\\S]*?(?:{matcher.text})" if overreached else matcher.text
    return f"{original}|{_exactly(sorted(selected))}" if selected else original


def _known(hook: Hook) -> Mapping[str, Sequence[str]]:
    """What the subject can be at the host, as far as that is known, with the vendor's names for it."""
    if hook.row.subject == "tool.name":
        return {tool.host: (tool.name, *tool.aliases) for tool in hook.vendor.tools}
    return {value: (value,) for value in hook.row.subject_values}


def _exactly(names: Sequence[str]) -> str:
    return f"^{_group(names)}$" if names else NEVER


def _group(names: Sequence[str]) -> str:
    return f"(?:{'|'.join(re.escape(name) for name in dict.fromkeys(names))})"
