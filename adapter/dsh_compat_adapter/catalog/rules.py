"""Which rules a vendor reads, as frozen values of the catalog."""

from typing import NamedTuple

from .loss import Degradation


class Imports(NamedTuple):
    """How a vendor reads `@path` in a rules file."""

    syntax: str  # markdown or anywhere
    depth: int
    outside: str  # of the project, for its own files: asks or reads
    suffixes: tuple[str, ...]


class RulesFile(NamedTuple):
    """One kind of rules file of a vendor."""

    path: str
    layer: str
    format: str
    scope_key: str | None
    scope_aliases: tuple[str, ...]
    unscoped: str  # when a file without such a key is loaded: always or on-demand
    off_key: str | None
    always_key: str | None
    shadowed_by: tuple[str, ...]
    shadowed_above: bool
    max_bytes: int | None
    max_chars: int | None
    imports: Imports | None
    nested: bool
    degradations: tuple[Degradation, ...]


class RulesSetting(NamedTuple):
    """A key of a vendor's settings that changes which rules it reads."""

    path: str
    layer: str
    format: str
    key: str
    means: str  # files, names, max-bytes or excludes


class UnreadRules(NamedTuple):
    """A place where people put rules that the vendor does not read, and why it does not."""

    path: str
    why: str
