"""Answers that a script seems to give in a form that does not count, by what its text says. Hints, and no more."""

import re
from collections.abc import Iterator

from ..declare.findings import Finding
from ..events import Canonical, Effect
from .case import Case
from .refusals import refuses

_EXIT_2 = re.compile(r"\bexit 2\b|\bsys\.exit\(2\)|\bprocess\.exit\(2\)")
_STDERR = re.compile(r">&\s?2|stderr|console\.(?:error|warn)|/dev/fd/2|\bwarn\b|\bdie\b")
_PRINTED = re.compile(r"permissionDecision\W{1,6}(?:deny|ask|allow|\$|%|\{)|permissionDecision[\"']")
_STOPS = (Canonical.TURN_STOP, Canonical.SUBAGENT_END)


def advise(case: Case) -> Iterator[Finding]:
    """Findings about one hook whose command and scripts can be read as a whole."""
    if case.command is None or len(case.texts) < len(case.scripts):
        return
    text = "\n".join((case.command, *case.texts))
    row = case.hook.row
    if Effect.DENY in row.offers:
        yield from _decision(case, text)
    # without a script there is no place for the question
    if row.canonical in _STOPS and case.texts and refuses(case) and "stop_hook_active" not in text:
        yield case.says(
            "stop-may-repeat",
            "the hook refuses the end and does not look at stop_hook_active, so it may refuse every end until the host "
            "stops asking",
            "let the end pass where stop_hook_active is true",
        )


def _goes_on(text: str) -> str:
    """What follows from an answer that is not read, which is not all that an exit code of 2 says."""
    if _EXIT_2.search(text):
        return "what refuses is exit 2 alone, with stderr as its reason"
    return "the action goes on"


def _decision(case: Case, text: str) -> Iterator[Finding]:
    decision, title = case.hook.row.decision, case.vendor.title
    if decision.grammar == "nested" and _PRINTED.search(text) and "hookSpecificOutput" not in text:
        yield case.says(
            "decision-misplaced",
            f"permissionDecision counts inside hookSpecificOutput only; at the top level {title} does not read it, and "
            f"{_goes_on(text)}",
            'print {"hookSpecificOutput": {"hookEventName": …, "permissionDecision": …}}',
        )
    elif decision.missing_event_name == "drops" and "hookSpecificOutput" in text and "hookEventName" not in text:
        yield case.says(
            "event-name-missing",
            f"hookSpecificOutput without hookEventName is dropped by {title}, with the decision in it, and "
            f"{_goes_on(text)}",
            f'add "hookEventName": "{case.hook.row.event}"',
        )
    if decision.exit_2_needs_stderr and _EXIT_2.search(text) and not _STDERR.search(text):
        yield case.says(
            "refusal-without-reason",
            f"{title} takes exit 2 with nothing on stderr for a broken hook, and the action goes on",
            "say on stderr why it is refused",
        )
    elif decision.deny_needs_reason and _PRINTED.search(text) and "permissionDecisionReason" not in text:
        yield case.says(
            "refusal-without-reason",
            f"{title} takes a denial without permissionDecisionReason for a broken answer, and the action goes on",
            "add permissionDecisionReason",
        )
