"""Every case that an engine can be asked, whichever kind of hooks it has."""

from scripts.oracles import callbacks, cases
from scripts.oracles.cases import Trial
from scripts.oracles.engine import Engine

KINDS = {"callbacks": callbacks.trials, "groups": cases.trials, "flat": cases.trials}  # by the shape of a hook file


def trials(engine: Engine) -> list[Trial]:
    """The cases for this engine, in the order of their file."""
    return KINDS[engine.hook_shape](engine)
