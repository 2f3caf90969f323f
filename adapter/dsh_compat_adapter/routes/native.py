"""The project's own translation: a listener at each seam of the row.

Serves three routes. What differs is data: a `native-seam` row honours nothing, so its outcome decides nothing, and
`builtin-bridge` rows belong to a dialect whose answers the codec normalises first.
"""

from collections.abc import Hashable, Sequence
from contextlib import suppress
from functools import partial

from ..hooks.hook import Hook
from .point import Mounting, Unmount, listener, nothing, unmount_all, unmounting
from .stops import Stops


def group(hook: Hook) -> Hashable:
    """Hooks of one vendor event share a hook point, so that their answers are folded."""
    return hook.vendor.name, hook.row.event


async def mount(hooks: Sequence[Hook], mounting: Mounting) -> Unmount:
    """Listen at every seam of the plan that the hooks share."""
    plan, host = hooks[0].plan, mounting.host
    stops = Stops()
    standing: list[Unmount] = []
    try:
        for seam in plan.seams:
            kind = host.surface.seams[seam].decision
            told = nothing if plan.stops_at is None else partial(stops.note, any_turn=kind == "session-start")
            standing += [unmounting(host.subscribe(seam, listener(hooks, kind, mounting, told)))]
        if plan.stops_at is not None:
            standing += [unmounting(host.subscribe(plan.stops_at, stops.listener(hooks, mounting)))]
    except BaseException:  # one seam that refuses leaves nothing at the others
        with suppress(Exception):  # the first refusal says more
            await unmount_all(standing)
        raise
    return partial(unmount_all, standing)
