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
from .point import Mounting, Unmount


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
    """The bridge's hooks.json: events, groups with a matcher, command handlers with a timeout in seconds."""
    events: dict[str, list[object]] = {}
    for hook in hooks:
        assert isinstance(hook.action, RunCommand)  # no vendor with a bridge runs another kind
        handler = {"type": "command", "command": hook.action.argv[-1], "timeout": hook.timeout_s}
        matcher = host_matcher(hook)
        group_entry = {"hooks": [handler]} if matcher is None else {"matcher": matcher, "hooks": [handler]}
        events.setdefault(hook.row.event, []).append(group_entry)
    return {"hooks": events}


def host_matcher(hook: Hook) -> str | None:
    """The matcher as an unanchored pattern over host names, with the original kept as it stands."""
    text = hook.matcher.text
    if text is None or hook.row.subject != "tool.name":
        return text
    selected = [tool.host for tool in hook.vendor.tools if hook.matcher.matches((tool.name, *tool.aliases))]
    exact = "|".join(re.escape(name) for name in dict.fromkeys(selected))
    return f"{text}|^(?:{exact})$" if exact else text
