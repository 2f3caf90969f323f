"""From what somebody asks for (a path, a switch, sinks of their own) to the sinks."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from ..errors import CompatError
from .json_lines import SUFFIX, JsonLinesSink
from .place import default_store
from .sink import Sink
from .store.journal import JournalSink
from .store.retention import DEFAULT_KEEP, Keep

FactsTo = bool | str | os.PathLike[str] | Sequence[Sink]


def sinks(to: FactsTo, say: Callable[[str], None], keep: Keep = DEFAULT_KEEP) -> list[Sink]:
    """The user's own store for true, none for false, a store or a `.jsonl` file for a path, sinks as they are.

    Where the user can have no store, that is said and there is none: hooks run all the same.
    """
    if to is False:
        return []
    if to is True:
        try:
            store = default_store()
        except CompatError as error:
            say(error.message)
            return []
        return [] if store is None else [at(store, say, keep)]
    if isinstance(to, str | os.PathLike):
        return [at(Path(to), say, keep)]
    return list(to)


def at(path: Path, say: Callable[[str], None], keep: Keep) -> Sink:
    """The sink that a path means by its suffix."""
    where = path.absolute()  # a handler or a host may change the working directory
    return JsonLinesSink(where) if where.suffix == SUFFIX else JournalSink(where, say, keep)
