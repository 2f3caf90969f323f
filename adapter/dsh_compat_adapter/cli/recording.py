"""Where the facts of `run` and `listen` go: the options, read in one way."""

import argparse
import uuid

from ..facts.choose import FactsTo, sinks
from ..facts.recorder import Recorder, warn
from ..facts.store.retention import Keep


def recorder(arguments: argparse.Namespace) -> Recorder | None:
    """The recorder that the options ask for; none when facts are switched off."""
    to: FactsTo = False if arguments.no_facts else arguments.facts or True
    found = sinks(to, warn, Keep(days=arguments.facts_days, mib=arguments.facts_mib))
    if not found:
        return None
    return Recorder(found, session=f"{arguments.command}-{uuid.uuid4().hex}", names=arguments.redact)
