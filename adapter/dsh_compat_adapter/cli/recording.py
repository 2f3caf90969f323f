"""Where the facts of `run` and `listen` go: the options, read in one way."""

import argparse
import uuid

from ..errors import CompatError, ErrorCode
from ..facts.choose import FactsTo, sinks
from ..facts.recorder import Recorder, warn
from ..facts.sink import Sink
from ..facts.store.retention import Keep


def recorder(arguments: argparse.Namespace) -> Recorder | None:
    """The recorder that the options ask for; none when facts are switched off."""
    to: FactsTo = False if arguments.no_facts else arguments.facts or True
    found = sinks(to, warn, Keep(days=arguments.facts_days, mib=arguments.facts_mib))
    if arguments.otel:
        found.append(_exporting())
    if not found:
        return None
    return Recorder(found, session=f"{arguments.command}-{uuid.uuid4().hex}", names=arguments.redact)


def _exporting() -> Sink:
    try:
        from ..facts.otel import exporting  # noqa: PLC0415 - an extra, and slow
    except ModuleNotFoundError as error:
        text = f"--otel needs the extra: pip install 'dsh-compat-adapter[otel]' ({error})"
        raise CompatError(ErrorCode.INVALID_INPUT, text) from None
    return exporting()
