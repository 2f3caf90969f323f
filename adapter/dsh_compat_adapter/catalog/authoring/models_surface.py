"""A surface file: what one host version offers."""

from __future__ import annotations

from typing import Literal

from .models import Checked, Code, Model, Path, Text


class Seam(Model):
    """One extension point of a host."""

    name: Text  # what this host calls it
    kind: Literal["waterfall", "serial", "emit"]
    decision: Literal["session-start", "prompt", "pre-tool", "post-tool", "continuation", "approval"] | None = None
    fields: list[Path] = []


class Limit(Model):
    """Something the host cannot do, with where that was established: evidence for degradations."""

    id: Code
    says: Text
    source: Text


class Surface(Model):
    """What one host version offers."""

    host: Text
    version: Text
    title: Text
    services: list[Text]  # shell, approval, subagents, bridge:<package>
    tools: list[Text]
    sends: dict[Path, list[Text]] = {}  # all values that the host itself ever sends at a path
    caller_sends: bool = False  # who fires an event on it may send others
    fields: list[Path]  # known at every seam
    seams: dict[str, Seam]  # by the name that vendor rows use
    session_events: dict[str, list[str]]  # type -> fields of its data
    limits: list[Limit]
    checked: Checked
