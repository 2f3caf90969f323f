"""The codes of findings: how bad each is, and what all findings of it have in common.

A code never changes its meaning. Beside these a finding can have the code of an error (`errors.ErrorCode`, in lower
case) or, for a hook that does not run, the code of a loss.
"""

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """error: it will not do what was meant; warning: it may not; note: good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class FindingKind(NamedTuple):
    """What stands behind one code."""

    severity: Severity
    summary: str


def _error(summary: str) -> FindingKind:
    return FindingKind(Severity.ERROR, summary)


def _warning(summary: str) -> FindingKind:
    return FindingKind(Severity.WARNING, summary)


def _note(summary: str) -> FindingKind:
    return FindingKind(Severity.NOTE, summary)


KINDS: dict[str, FindingKind] = {
    "bridge-drops-setting": _warning("A setting of a hook has no place in the configuration of the official bridge."),
    "bridge-narrows-matcher": _warning("On the official bridge a matcher selects known tools only."),
    "duplicate-key": _warning("A key stands twice in one object, and only the last one counts."),
    "files-not-discovered": _note("The manifest says that the vendors' own files of the project do not count."),
    "folder-not-searched": _error("A folder cannot be searched, so what stands in it is not seen."),
    "hooks-disabled": _note("A switch turns the hooks of a file off."),
    "hooks-object-missing": _error("Events stand at the top level of a file, so nothing in it is loaded."),
    "ignore-unused": _note("An entry of the manifest's ignore leaves out nothing."),
    "matcher-ignored": _warning("A matcher stands on an event that has nothing to match, so the hook always runs."),
    "matcher-never-fires": _warning("A matcher selects nothing that is known to exist, so the hook never runs."),
    "matcher-value-not-sent": _warning(
        "A matcher selects values only that no known host sends, so the hook hardly runs."
    ),
    "no-known-callback": _warning("A plugin offers no callback that is known here."),
    "not-strict-json": _warning("A comment or a trailing comma, which a strict reader refuses."),
    "option-ignored": _warning("An option of a handler has no effect here."),
    "place-not-read": _error("A file stands where no host looks for it."),
    "placeholder-unset": _warning("A command uses a variable or a placeholder that nobody fills in."),
    "timeout-in-milliseconds": _warning("A time limit in seconds looks as if milliseconds were meant."),
    "unknown-key": _error("A key that the file's format does not have."),
    "wrong-shape": _error("A value has another shape than its place asks for."),
}
