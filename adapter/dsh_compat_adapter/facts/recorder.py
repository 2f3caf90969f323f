"""Gives every fact its id, its moment and its evidence, and hands it to the sinks. Never raises."""

import logging
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from .fact import Evidence, FactsDropped, PolicyChanged, Scope, address
from .ids import new_id, now_us
from .redaction import Redactor
from .sink import Guarded, Record, Sink

KEPT = 512 * 1024  # characters of one evidence
MARGIN = 8 * 1024  # at the end of a text that was cut: a credential may have been cut in two there
DEFAULT_POLICY = "vendor"


def warn(text: str) -> None:
    """Say something about the facts where the program that uses this package logs, or else on stderr."""
    logging.getLogger("dsh_compat_adapter.facts").warning("dsh-compat: facts: %s", text)


class Recorder:
    """Where the facts of one adapter or one process go.

    `session` stands for the session of an event that names none; `names` are further names whose values are secrets.
    """

    def __init__(
        self,
        sinks: Sequence[Sink],
        *,
        session: str,
        names: Sequence[str] = (),
        say: Callable[[str], None] = warn,
    ) -> None:
        self.session = session
        self._names = tuple(names)
        self._say = say
        self._sinks = [Guarded(sink, say, self._tell_dropped) for sink in sinks]
        self._policy = DEFAULT_POLICY
        self._defects = 0
        self.recorded = 0

    @cached_property
    def redactor(self) -> Redactor:
        """Made when it is first needed, since compiling the shapes takes as long as a hook."""
        return Redactor(self._names)

    def record(self, fact: Record) -> None:
        """Hand a fact to every sink. Total."""
        self.recorded += 1
        for sink in self._sinks:
            sink.put(fact)

    def defect(self, error: Exception) -> None:
        """A fact could not be made, which is our own fault; said once."""
        self._defects += 1
        if self._defects == 1:
            self._say(f"a fact could not be made ({type(error).__name__}: {error}); the hooks go on")

    def policy(self, after: str, source: str) -> None:
        """The failure policy that holds from here on; a fact when it is another one than before."""
        before, self._policy = self._policy, after
        if before != after:
            scope = Scope(session_id=self.session)
            at_us = now_us()
            changed = PolicyChanged(
                id=new_id(at_us), at_us=at_us, scope=scope, before=before, after=after, source=source
            )
            self.record(Record(changed))

    def keep(self, text: str) -> Evidence:
        """The evidence of a text: without credentials, and only its beginning when it is long."""
        one = self._kept(text)
        return one._replace(ref=address(one.text))

    def keep_value(self, value: Mapping[str, object], encoded: bytes) -> Evidence:
        """The evidence of a JSON object of which there is the text already; its address comes by `Record.settled`."""
        data = encoded.rstrip(b"\n")
        if len(data) > KEPT:
            return self._kept(data.decode("ascii"))
        if self.redactor.clean(data):
            return Evidence("", data.decode("ascii"), len(encoded), 0, cut=False)
        redacted = self.redactor.value(value)
        return Evidence("", redacted.text, len(encoded), redacted.redactions, cut=False)

    def status(self) -> dict[str, object]:
        """How many facts there were, and how the sinks fared, as JSON-ready data."""
        sinks = [sink.status() for sink in self._sinks]
        return {"recorded": self.recorded, "defects": self._defects, "sinks": sinks}

    def close(self) -> None:
        """Write what waits and close every sink. Total; may be called twice."""
        sinks, self._sinks = self._sinks, []
        for sink in sinks:
            sink.close()

    def _kept(self, text: str) -> Evidence:
        size = len(text)
        cut = size > KEPT
        redacted = self.redactor.text(text[:KEPT] if cut else text)
        return Evidence("", redacted.text[:-MARGIN] if cut else redacted.text, size, redacted.redactions, cut)

    def _tell_dropped(self, sink: str, count: int, error: str) -> None:
        at_us = now_us()
        scope = Scope(session_id=self.session)
        fact = FactsDropped(id=new_id(at_us), at_us=at_us, scope=scope, sink=sink, lost=count, error=error)
        self.record(Record(fact))
