"""The project's own translation: a listener at each seam of the row.

Serves three routes. What differs is data: a `native-seam` row honours nothing, so its outcome decides nothing, and
`builtin-bridge` rows belong to a dialect whose answers the codec normalises first.
"""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from functools import partial

from ..hooks.hook import Hook
from .point import Mounting, Unmount, listener, unmount_all, unmounting


def group(hook: Hook) -> Hashable:
    """Hooks of one vendor event share a hook point, so that their answers are folded."""
    return hook.vendor.name, hook.row.event


async def mount(hooks: Sequence[Hook], mounting: Mounting) -> Unmount:
    """Listen at every seam of the plan that the hooks share."""
    seams = mounting.host.surface.seams
    standing: list[Unmount] = []
    try:
        for seam in hooks[0].plan.seams:
            standing += [unmounting(mounting.host.subscribe(seam, listener(hooks, seams[seam].decision, mounting)))]
    except BaseException:  # one seam that refuses leaves nothing at the others
        with suppress(Exception):  # the first refusal says more
            await unmount_all(standing)
        raise
    return partial(unmount_all, standing)
