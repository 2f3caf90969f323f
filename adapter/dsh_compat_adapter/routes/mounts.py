"""What one adapter has mounted on its host, changed all or nothing.

A group that gains a hook is mounted anew before its former mount goes, so a host that refuses keeps what stood before.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from ..hooks.closing import to_the_end
from ..hooks.hook import Hook
from ..seams.host import Host
from . import ROUTES, carry
from .point import Mounting, Unmount, unmounting


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
        self._unmount_rules: Unmount | None = None
        self._refused: list[Unmount] = []  # what the host was asked to take off and did not

    async def add(self, hooks: Sequence[Hook], rules: Sequence[carry.Rule], stands: Callable[[], None]) -> None:
        """Mount more, and call `stands` when all of it does. Raises what the host raises; then nothing has changed.

        A cancellation that comes when the former mounts already go is raised after everything stands.
        """
        mounted: dict[Hashable, _Group] = {}
        unmount_rules: Unmount | None = None
        try:
            for key, group in self._grown(hooks).items():
                mounted[key] = await self._mount(group)
            if rules:
                unmount_rules = unmounting(carry.mount(self._host, [*self._rules, *rules]))
        except BaseException:
            await to_the_end(self._undo(mounted, unmount_rules))
            raise
        await to_the_end(self._swap(mounted, unmount_rules, rules, stands))

    async def _swap(
        self,
        mounted: Mapping[Hashable, _Group],
        unmount_rules: Unmount | None,
        rules: Sequence[carry.Rule],
        stands: Callable[[], None],
    ) -> None:
        """Take the former mounts off, now that the new ones stand; or the new ones, with the former ones back."""
        gone: list[Hashable] = []
        refused: list[Exception] = []
        for key in [key for key in mounted if key in self._groups]:
            gone.append(key)
            if refused := await self._take_off([self._groups[key].unmount]):
                break
        if rules and self._unmount_rules is not None and not refused:
            refused = await self._take_off([self._unmount_rules])
            self._unmount_rules = None
        if refused:
            # whether the host has let go of the refused one is unknown: a guard that stands twice is none too few
            for key in gone:
                self._groups[key] = await self._mount(self._groups[key].hooks)
            if self._rules and self._unmount_rules is None:
                self._unmount_rules = unmounting(carry.mount(self._host, self._rules))
            await self._undo(mounted, unmount_rules)
            raise refused[0]
        self._groups |= mounted
        if unmount_rules is not None:
            self._unmount_rules, self._rules = unmount_rules, (*self._rules, *rules)
        stands()

    async def remove(self) -> None:
        """Take everything off. Goes on when the host refuses and raises its refusals at the end.

        Called again, it tries again what the host has not taken off.
        """
        rules = [] if self._unmount_rules is None else [self._unmount_rules]
        standing = [*rules, *[group.unmount for group in self._groups.values()], *self._refused]
        self._unmount_rules, self._groups, self._refused = None, {}, []
        if refused := await self._take_off(standing):
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

    async def _undo(self, mounted: Mapping[Hashable, _Group], unmount_rules: Unmount | None) -> None:
        """Take new mounts off again; the error on the way here says more than what the host refuses now."""
        rules = [] if unmount_rules is None else [unmount_rules]
        await self._take_off([*rules, *[group.unmount for group in mounted.values()]])

    async def _take_off(self, unmounts: Sequence[Unmount]) -> list[Exception]:
        """Run each, whatever the others do, since a host is foreign code; keeps and returns what it refused."""
        refused: list[Exception] = []
        for unmount in unmounts:
            try:
                await unmount()
            except Exception as error:  # noqa: BLE001 - see above
                refused.append(error)
                self._refused.append(unmount)
        return refused
