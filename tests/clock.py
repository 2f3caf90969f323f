"""How long tests wait, and the clock of an event loop in their hands: a limit is up when what has to come first has."""

import asyncio
from datetime import timedelta

PATIENCE_S = 60.0  # for what has no bound of its own; never reached by a test that works
LIMIT_S = timedelta(hours=1).total_seconds()  # passes in no test by itself


def pass_limit() -> None:
    """Let the time limits of `LIMIT_S` be up that run in this loop."""
    loop = asyncio.get_running_loop()
    now = loop.time
    loop.time = lambda: now() + LIMIT_S  # type: ignore[method-assign] # a loop asks itself for the time
