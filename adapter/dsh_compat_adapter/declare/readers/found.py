"""What a reader finds in one file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...catalog.model import Vendor
from ...errors import Where
from ..declaration import HookDeclaration
from ..findings import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Something in the place of a hook that can never be one, with why."""

    name: str
    where: Where
    code: str  # of losses.yaml
    loses: tuple[str, ...] = ()  # what it does that does not happen here


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Declarations, refused things and findings of one file, in file order."""

    hooks: tuple[HookDeclaration, ...] = ()
    refused: tuple[Refused, ...] = ()
    findings: tuple[Finding, ...] = ()
    disables: bool | None = None  # what the file says about switching all hooks off, if anything
    switch: str = "disableAllHooks is true"  # what says it
    environment: Mapping[str, Where] = field(default_factory=dict)  # variables that settings give to each hook


# total: a broken file is a finding
Reader = Callable[[Path, Vendor], Found]
