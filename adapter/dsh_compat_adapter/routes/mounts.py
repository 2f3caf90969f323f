"""What one adapter has mounted on its host, changed all or nothing.

A group that gains a hook is mounted anew before its former mount goes, so a host that refuses keeps what stood before.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ..hooks.hook import Hook
from ..seams.host import Dispose, Host
from . import ROUTES, carry
from .point import Mounting, Unmount


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    hooks: tuple[Hook, ...]
    unmount: Unmount


class Mounts:
    """The groups of hooks, by route, and the carried rules of one adapter. Not safe for concurrent changes."""

    def __init__(self, host: Host, mounting: Mounting | None) -> None:
        """Without `mounting` (a host without a shell) only rules are ever added."""
        self._host = host
        self._mounting = mounting
        self._groups: dict[Hashable, _Group] = {}
        self._rules: tuple[carry.Rule, ...] = ()
        self._dispose_rules: Dispose | None = None

    async def add(self, hooks: Sequence[Hook], rules: Sequence[carry.Rule]) -> None:
        """Mount more. Raises what the host raises; then nothing has changed."""
        mounted: dict[Hashable, _Group] = {}
        dispose_rules: Dispose | None = None
        try:
            for key, group in self._grown(hooks).items():
                mounted[key] = await self._mount(group)
            if rules:
                dispose_rules = carry.mount(self._host, [*self._rules, *rules])
            for key in mounted:
                if key in self._groups:
                    await self._groups[key].unmount()
            if rules:
                await self._drop_rules()
        except BaseException:
            if dispose_rules is not None:
                dispose_rules()
            for one in mounted.values():
                await one.unmount()
            raise
        self._groups |= mounted
        if dispose_rules is not None:
            self._dispose_rules, self._rules = dispose_rules, (*self._rules, *rules)

    async def remove(self) -> None:
        """Take everything off. Goes on when the host refuses and raises its refusals at the end."""
        groups, self._groups = self._groups, {}
        refused: list[Exception] = []
        for unmount in (self._drop_rules, *[group.unmount for group in groups.values()]):
            try:
                await unmount()
            except Exception as error:  # noqa: BLE001 - a host is foreign code, and the rest has to go as well
                refused.append(error)
        if refused:
            raise ExceptionGroup("the host did not take everything off", refused)

    def _grown(self, added: Sequence[Hook]) -> dict[Hashable, list[Hook]]:
        """The groups that gain a hook, with their former hooks first."""
        groups: dict[Hashable, list[Hook]] = {}
        for hook in added:
            key = (hook.plan.route, ROUTES[hook.plan.route].group(hook))
            former = self._groups[key].hooks if key in self._groups else ()
            groups.setdefault(key, [*former]).append(hook)
        return groups

    async def _mount(self, hooks: Sequence[Hook]) -> _Group:
        assert self._mounting is not None  # grading refuses hooks on a host without a shell
        return _Group(hooks=tuple(hooks), unmount=await ROUTES[hooks[0].plan.route].mount(hooks, self._mounting))

    async def _drop_rules(self) -> None:
        if self._dispose_rules is not None:
            self._dispose_rules()
            self._dispose_rules = None
