"""One line of a journal: the type of a fact, its fields by their order, and its evidence, as a JSON array.

The names of the fields are left out, and msgspec writes the tuples as they are: a line is made before each hook and
before each answer, and half of what facts cost was the dictionaries of these lines.
"""

import json
from typing import Any

import msgspec

from ..fact import Evidence, Fact, FactsDropped, FactType, HookCompleted, HookFailed, HookStarted, PolicyChanged
from ..sink import Record

FACTS: dict[FactType, type[Fact]] = {
    FactType.STARTED: HookStarted,
    FactType.COMPLETED: HookCompleted,
    FactType.FAILED: HookFailed,
    FactType.POLICY: PolicyChanged,
    FactType.DROPPED: FactsDropped,
}
NAMES = {fact: name.value for name, fact in FACTS.items()}
_encode = msgspec.json.Encoder().encode


def line_of(record: Record) -> bytes:
    """A fact with its evidence as one line."""
    line = (NAMES[type(record.fact)], record.fact, record.evidence)
    try:
        return _encode(line) + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which JSON can say and UTF-8 cannot
        return json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n"


def record_of(line: bytes) -> Record:
    """What a line says; raises ValueError, TypeError or LookupError for one that this program did not write."""
    type_, fields, texts = json.loads(line)
    fact: Any = msgspec.convert(fields, FACTS[type_])
    return Record(fact, msgspec.convert(texts, tuple[Evidence, ...])).settled()
