"""What a host offers, as frozen values of the catalog."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

DecisionKind = Literal["session-start", "prompt", "pre-tool", "post-tool", "continuation", "approval"]


class Seam(NamedTuple):
    """One extension point of a host; `name` is what this host calls it."""

    name: str
    kind: str
    decision: DecisionKind | None
    fields: tuple[str, ...]


class Surface(NamedTuple):
    """What one host version offers, seams by the name that rows use."""

    host: str
    version: str
    title: str
    services: frozenset[str]
    tools: tuple[str, ...]
    sends: Mapping[str, tuple[str, ...]]  # all values that the host itself ever sends at a path
    caller_sends: bool  # who fires an event on it may send others
    seams: Mapping[str, Seam]
    limits: Mapping[str, str]  # id -> statement (source)
