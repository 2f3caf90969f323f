"""`--format sarif`: SARIF 2.1.0, which code scanning and editors read.

The levels of SARIF are the severities of findings. Paths are relative to the folder that the command runs in, which
readers take for the root of the repository.
"""

import json
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from ...checking import Checked
from ...declare.findings import Finding, summary
from .options import Options
from .places import in_order, uri_from

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
PACKAGE = "dsh-compat-adapter"


def render(checked: Checked, options: Options) -> Iterator[str]:
    """One JSON text."""
    findings = in_order(checked.findings)
    levels = {finding.code: finding.severity.value for finding in findings}
    codes = {code: index for index, code in enumerate(sorted(levels))}
    driver = {
        "name": "dsh-compat",
        **_version(),
        "rules": [
            {
                "id": code,
                "shortDescription": {"text": summary(code, options.catalog)},
                "defaultConfiguration": {"level": levels[code]},
            }
            for code in codes
        ],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, codes, options) for finding in findings],
    }
    yield json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1)


def _result(finding: Finding, codes: dict[str, int], options: Options) -> dict[str, object]:
    where = finding.where
    location: dict[str, object] = {"artifactLocation": _artifact(where.file, options)}
    if where.line is not None:
        location["region"] = {"startLine": where.line} | ({"startColumn": where.column} if where.column else {})
    text = f"{finding.message}\n{finding.remedy}" if finding.remedy else finding.message
    return {
        "ruleId": finding.code,
        "ruleIndex": codes[finding.code],
        "level": finding.severity.value,
        "message": {"text": _text(text)},
        "locations": [{"physicalLocation": location}],
    }


def _artifact(file: str, options: Options) -> dict[str, str]:
    uri = uri_from(file, options.folder)
    return {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": "%SRCROOT%"}


def _text(text: str) -> str:
    """A message without lone surrogates, which strict JSON readers refuse."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _version() -> dict[str, str]:
    try:
        return {"version": version(PACKAGE)}
    except PackageNotFoundError:  # a checkout that is not installed
        return {}
