"""What a reader finds in one file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path

from ...catalog.model import Vendor
from ...errors import CompatError, Where
from ..declaration import HookDeclaration
from ..findings import Finding, from_error


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


Reader = Callable[[Path, Vendor], Found]


def total(read: Reader) -> Reader:
    """The reader for which a file that cannot be read is a finding."""

    @wraps(read)
    def reading(path: Path, vendor: Vendor) -> Found:
        try:
            return read(path, vendor)
        except CompatError as error:
            return Found(findings=(from_error(error, Where(str(path))),))

    return reading
