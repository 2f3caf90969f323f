"""Hooks in the front matter of an agent, a skill or a command: they live as long as that does, so none of them runs."""

from pathlib import Path

from ...catalog.model import Vendor
from ...errors import Where
from ..declaration import HookDeclaration
from ..front_matter import read_front_matter
from ..text_file import read_text
from .flat_hooks import entry
from .found import Found, Refused, total
from .walk import collect, group


@total
def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    file = str(path)
    matter = read_front_matter(read_text(path), file)
    if "hooks" not in matter.data:
        return Found(findings=matter.findings)

    def place(*steps: str | int) -> Where:
        return matter.where(file, *steps)

    flat = any(kind.shape == "flat-hooks" for kind in vendor.config)
    found = collect(matter.data, place, vendor, entry if flat else group, ())
    return Found(refused=tuple(_refused(hook, file) for hook in found.hooks), findings=found.findings)


def _refused(hook: HookDeclaration, file: str) -> Refused:
    return Refused(name=str(hook.event), where=hook.where or Where(file), code="hook-of-component")
