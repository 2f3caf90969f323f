"""The project that `listen`, `validate`, `list` and `dump` are about: the same options, read in one way."""

import argparse
import os
import sys
from contextlib import suppress
from pathlib import Path

from ..catalog.load import Catalog
from ..declare.finding_codes import Severity
from ..declare.scan import Scan, scan
from ..declare.scan_file import scan_file
from ..errors import CompatError, ErrorCode
from ..hooks.stop_guard import StopGuard
from ..hosts.stdio.project import LoadedProject
from ..loading import Loaded, load
from ..printable import printable
from .recording import recorder

SURFACE = "embedded-0.1"


def folder(path: str) -> Path:
    """The project folder that an argument names."""
    if not os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises for a name that is too long
        raise CompatError(ErrorCode.INVALID_INPUT, f"{path!r} is no folder; give the folder of a project")
    return Path(path)


def scanned(arguments: argparse.Namespace, catalog: Catalog) -> Scan:
    """What the files of the project declare: the given one, or those that are found."""
    root = folder(arguments.root)
    if arguments.config:
        return scan_file(Path(arguments.config), root, catalog, arguments.vendor)
    return scan(root, catalog, home=Path(arguments.home) if arguments.home else _home())


def _home() -> Path | None:
    """That of this account; one that has none has no files in it."""
    with suppress(RuntimeError):
        return Path.home()
    return None


def loaded(arguments: argparse.Namespace, catalog: Catalog) -> Loaded:
    """The hooks of the project, graded."""
    surface = catalog.surfaces[SURFACE]
    return load(scanned(arguments, catalog), catalog, surface, bridge=arguments.bridge, policy=arguments.policy)


class ServedProject:
    """The project as the stdio door serves it. The guard of stops and the recorder outlive a reload."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._guard = StopGuard()
        self._recorder = recorder(arguments)

    def load(self) -> LoadedProject:
        """Read the project; its errors are said on stderr, since a guard that is not there must not go unnoticed."""
        catalog = Catalog.load()
        project = loaded(self._arguments, catalog)
        for finding in project.findings:
            if finding.severity is Severity.ERROR:
                print(printable(f"dsh-compat: {finding.where}: {finding.message} [{finding.code}]"), file=sys.stderr)
        return LoadedProject(project, catalog, self._guard, self._recorder)

    def close(self) -> None:
        """Close the recorder."""
        if self._recorder is not None:
            self._recorder.close()
