"""`dsh-compat validate`: what the hook files of a project have wrong."""

import argparse

from ..capability import to_json
from ..catalog.load import Catalog
from ..declare.finding_codes import Severity
from .project import loaded
from .text import paragraph, say

COLOUR = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.NOTE: "cyan"}


def run(arguments: argparse.Namespace) -> int:
    """Print every finding; exit 1 when one is an error or a warning."""
    project = loaded(arguments, Catalog.load())
    if arguments.format == "json":
        data = {
            "findings": [finding.to_dict() for finding in project.findings],
            "unsupported": [result.to_dict() for result in project.unsupported],
        }
        say(to_json(data))
    else:
        for finding in project.findings:
            text = f"{finding.where}: {finding.message} [{finding.code}]"
            say(paragraph(text, lead=finding.severity.value, colour=COLOUR[finding.severity]))
        for result in project.unsupported:
            text = f"{result.vendor} {result.event}: {result.reason} [{result.code}]"
            say(paragraph(text, lead="unsupported", colour="red"))
        say(
            f"{len(project.hooks)} hooks ready, {len(project.unsupported)} unsupported, "
            f"{len(project.findings)} findings"
        )
    bad = any(finding.severity is not Severity.NOTE for finding in project.findings)
    return 1 if bad or project.unsupported else 0
