"""`dsh-compat build`: make a bundle that runs the hooks and rules of a project in DeepSeek Harness."""

import argparse
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from ..capability import to_json
from ..catalog.load import Catalog
from ..declare.finding_codes import Severity
from ..declare.findings import Finding
from ..declare.scan import Scan, scan
from ..declare.scan_file import scan_file
from ..errors import CompatError, ErrorCode
from ..events import Capability, Route
from ..hosts.dsh.adapter import installed_version
from ..hosts.dsh.bundle import Bundle, Item, collect, surface_of
from ..hosts.dsh.directory import write
from ..printable import printable
from .project import folder
from .text import coloured, paragraph, say

GRADE = {"ADAPTED": "green", "CARRY": "cyan", "UNSUPPORTED": "red"}
COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "dim"}


def run(arguments: argparse.Namespace) -> int:
    """Write the bundle and say what is in it; exit 1 when something of the project does not run in it."""
    catalog = Catalog.load()
    surface = surface_of(catalog, arguments.dsh or installed_version())
    home = folder(arguments.home) if arguments.home else None
    found = _scan(Path(arguments.path).absolute(), catalog, arguments.vendor, home)
    bundle = collect(found, catalog, surface, bridge=arguments.bridge, policy=arguments.policy)
    python = _python(arguments.python)
    patch = write(bundle, Path(arguments.output), catalog, python=python, add_shell=arguments.add_shell)
    if arguments.format == "json":
        say(to_json(_data(bundle, patch)))
    else:
        _print(bundle, patch, shell=arguments.add_shell)
    return 1 if any(finding.severity is Severity.ERROR for finding in _all_findings(bundle)) else 0


def _scan(path: Path, catalog: Catalog, vendor: str | None, home: Path | None) -> Scan:
    """A project's folder, or one manifest or hook file."""
    if path.is_file():
        return scan_file(path, path.parent, catalog, vendor)
    return scan(folder(str(path)), catalog, home=home)


def _python(command: str | None) -> Sequence[str]:
    """The command that starts Python, its program as an absolute path, because DSH starts it from another folder."""
    if command is None:
        return [sys.executable]
    words = shlex.split(command)
    program = shutil.which(words[0]) if words else None
    if program is None:
        raise CompatError(ErrorCode.INVALID_INPUT, f"--python {command!r:.120} names no program that can be found")
    return [os.path.abspath(program), *words[1:]]  # noqa: PTH100 - a link of an environment must not be resolved


def _all_findings(bundle: Bundle) -> list[Finding]:
    refused = [
        Finding(
            code=str(item.result.code),
            severity=Severity.ERROR,
            where=item.where,
            message=f"{item.name} does not run: {item.result.reason}",
            remedy=item.result.remedy,
        )
        for item in bundle.items
        if item.result.capability is Capability.UNSUPPORTED
    ]
    return [*bundle.findings, *refused]


def _data(bundle: Bundle, patch: Path) -> dict[str, object]:
    return {
        "directory": str(patch.parent),
        "patch": str(patch),
        "dsh": bundle.surface.version,
        "project": bundle.project,
        "policy": bundle.policy.value,
        "bridges": list(bundle.bridges),
        "seams": list(bundle.seams),
        "items": [
            {
                "file": item.where.file,
                "line": item.where.line,
                "column": item.where.column,
                "name": item.name,
                "result": item.result.to_dict(),
            }
            for item in bundle.items
        ],
        "findings": [finding.to_dict() for finding in _all_findings(bundle)],
    }


def _print(bundle: Bundle, patch: Path, *, shell: bool) -> None:
    say(coloured(printable(f"{patch.parent}: for {bundle.surface.title}, policy {bundle.policy.value}"), "bold"))
    for grade in (Capability.ADAPTED, Capability.CARRY, Capability.UNSUPPORTED):
        for item in (item for item in bundle.items if item.result.capability is grade):
            _print_item(item, bundle.project)
    for finding in bundle.findings:
        place = f"{finding.where}: {finding.message} [{finding.code}]"
        say(paragraph(place, 2, lead=finding.severity.value, colour=COLOUR[finding.severity]))
    say()
    if not bundle.hooks and not bundle.rules:
        say("nothing in this project runs in DSH; the bundle is empty")
        return
    say(printable(f"run it: dsh --patch {shlex.quote(str(patch))}   (or patches=[...] of the Python SDK)"))
    if bundle.hooks and not shell:
        say("hooks run on DSH's shell: profile sdk-minimal has none, --add-shell brings one")


def _print_item(item: Item, project: str) -> None:
    result = item.result
    grade = result.capability.value
    place = str(item.where).removeprefix(f"{project}/")
    route = f" by {result.route}" if result.route and result.route is not Route.CARRY else ""
    say(f"  {coloured(grade, GRADE[grade])} {printable(item.name)}{route}  {printable(place)}")
    if result.degradations:
        say(paragraph(", ".join(loss.code for loss in result.degradations), 6, lead="loses", colour="yellow"))
    if result.reason:
        say(paragraph(f"{result.reason} [{result.code}]", 6, lead="reason", colour="red"))
    if result.remedy:
        say(paragraph(result.remedy, 6, lead="do", colour="green"))
