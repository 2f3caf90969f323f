"""Reads one file that somebody named, instead of looking for files."""

from pathlib import Path, PurePath

from ..catalog.load import NATIVE, Catalog
from ..catalog.model import ConfigFile, Vendor
from ..errors import CompatError, ErrorCode, shown
from .discover import ConfigFound, stands
from .manifest import read_manifest
from .readers import SHAPES
from .scan import Scan, disabled

MANIFESTS = (".yaml", ".yml")


def scan_file(path: Path, root: Path, catalog: Catalog, vendor: str | None) -> Scan:
    """The declarations of one file.

    A YAML file is a manifest; a JSON or TOML file is read as the vendor's whose place its name is, or as the given
    vendor's. Raises INVALID_FILE when it cannot be read at all, and INVALID_INPUT when nobody says whose it is.
    """
    if not stands(path):
        raise CompatError(ErrorCode.INVALID_FILE, f"{shown(str(path))} is no file")
    if path.suffix in MANIFESTS:
        manifest = read_manifest(path)
        return Scan(
            root=root,
            files=(path,),
            hooks=manifest.hooks,
            rules=manifest.rules,
            refused=(),
            findings=(),
            manifest=manifest,
        )
    owner, kind = _kind(path, catalog, vendor)
    config = ConfigFound(path=path, vendor=owner, kind=kind)
    found = SHAPES[kind.shape](path, owner)
    off = bool(found.disables) and kind.disables != "nothing"
    return Scan(
        root=root,
        files=(path,),
        hooks=() if off else found.hooks,
        rules=(),
        refused=tuple((owner.name, refused) for refused in found.refused),
        findings=(*found.findings, *([disabled(config, path, found.switch)] if off else [])),
        manifest=None,
    )


def _kind(path: Path, catalog: Catalog, vendor: str | None) -> tuple[Vendor, ConfigFile]:
    candidates = [catalog.vendor(vendor)] if vendor else [*catalog.vendors.values(), catalog.native]
    places = [
        (PurePath(kind.path.removeprefix("~/").removeprefix("/")), one, kind)
        for one in candidates
        for kind in one.config
        if kind.of is None
    ]
    fitting = [place for place in places if PurePath(path.absolute()).match(str(place[0]))]
    # `.codex/hooks.json` says more than `hooks.json`
    longest = max((len(place.parts) for place, _, _ in fitting), default=0)
    owners = {one.name: (one, kind) for place, one, kind in reversed(fitting) if len(place.parts) == longest}
    if len(owners) == 1:
        return next(iter(owners.values()))
    if vendor:
        one = candidates[0]
        same = [kind for kind in one.config if kind.of is None and PurePath(kind.path).suffix == path.suffix]
        if not same:
            message = f"{one.title} keeps no hooks in a file of this kind: {shown(str(path))}"
            raise CompatError(ErrorCode.INVALID_INPUT, message)
        return one, same[0]
    known = ", ".join([*catalog.vendors, NATIVE])
    raise CompatError(ErrorCode.INVALID_INPUT, f"whose file is {shown(str(path))}? Say it with --vendor: {known}")
