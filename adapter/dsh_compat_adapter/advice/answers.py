"""Answers that a script seems to give in a form that does not count, by what its text says. Hints, and no more."""

import re
from collections.abc import Iterator

from ..catalog.model import Row
from ..declare.findings import Finding
from ..events import Canonical, Effect
from .case import Case
from .refusals import EXIT_2, only_warns, refuses

_STDERR = re.compile(r">&\s?2|stderr|console\.(?:error|warn)|/dev/fd/2|\bwarn\b|\bdie\b")
_PRINTED = re.compile(r"permissionDecision\W{1,6}(?:deny|ask|allow|\$|%|\{)|permissionDecision[\"']")
_BLOCK = re.compile(r"\bdecision\\*[\"']?\s*[:=]\s*\\*[\"']block\b")
_TOOLS = re.compile(r"PreToolUse|preToolUse|PermissionRequest|permissionRequest")
_STOPS = (Canonical.TURN_STOP, Canonical.SUBAGENT_END)


def advise(case: Case) -> Iterator[Finding]:
    """Findings about one hook whose command and scripts can be read as a whole."""
    if case.command is None or len(case.texts) < len(case.scripts):
        return
    text = "\n".join((case.command, *case.texts))
    row = case.hook.row
    if Effect.DENY in row.offers:
        yield from _decision(case, text)
    if Effect.CONTEXT in row.offers:
        yield from _context(case, text)
    # without a script there is no place for the question
    if row.canonical in _STOPS and case.texts and refuses(case) and "stop_hook_active" not in text:
        yield case.says(
            "stop-may-repeat",
            "the hook refuses the end and does not look at stop_hook_active, so it may refuse every end until the host "
            "stops asking",
            "let the end pass where stop_hook_active is true",
        )


def _other_answer(case: Case, text: str) -> Iterator[Finding]:
    """An answer that counts at another event, or by another exit code."""
    row, title = case.hook.row, case.vendor.title
    blocks = _BLOCK.search(text) is not None
    counts_here = _counts_here(row)
    ignored = row.decision.permission_decision == "ignored" or counts_here
    # a script for several events answers each in its own way, as nobody can tell who does not run it
    if ignored and _PRINTED.search(text) and not (blocks or _TOOLS.search(text)):
        here = "; here it counts" if counts_here else ""
        yield case.says(
            "decision-misplaced",
            "permissionDecision is read before a tool call; "
            f"on {row.event} {title} does not read it, and {_goes_on(text)}{here}",
            'print {"decision": "block", "reason": …}',
        )
    if only_warns(case):
        yield case.says(
            "exit-2-only-warns",
            f"on {case.hook.spelling} {title} takes exit 2 for a warning, so nothing is refused",
            'print {"decision": "block", "reason": …} and exit with 0',
        )


def _counts_here(row: Row) -> bool:
    """Whether a listed loss says that a permission decision counts at an event where the vendor does not read it."""
    plans = [plan for plan in (row.plan, row.native_plan) if plan is not None]
    return any(loss.code == "permission-decision-anywhere" for plan in plans for loss in plan.degradations)


def _context(case: Case, text: str) -> Iterator[Finding]:
    row, title = case.hook.row, case.vendor.title
    if row.decision.context_place == "inner" and "additionalContext" in text and "hookSpecificOutput" not in text:
        yield case.says(
            "context-misplaced",
            f"additionalContext counts inside hookSpecificOutput only; at the top level {title} does not read it, and "
            "the model is told nothing",
            f'print {{"hookSpecificOutput": {{"hookEventName": "{row.event}", "additionalContext": …}}}}',
        )


def _goes_on(text: str) -> str:
    """What follows from an answer that is not read, which is not all that an exit code of 2 says."""
    if EXIT_2.search(text):
        return "what refuses is exit 2 alone, with stderr as its reason"
    return "the action goes on"


def _decision(case: Case, text: str) -> Iterator[Finding]:
    decision, title = case.hook.row.decision, case.vendor.title
    yield from _other_answer(case, text)
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
    if decision.exit_2_needs_stderr and EXIT_2.search(text) and not _STDERR.search(text):
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
