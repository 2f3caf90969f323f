"""Hooks that refuse: where nothing can be refused, and what happens when such a hook breaks."""

import re
from collections.abc import Iterator, Mapping, Sequence

from ..declare.findings import Finding, make_finding
from ..events import Effect
from ..hooks.hook import Hook
from ..hooks.outcome import FailureKind
from ..hooks.policy import Policy, failure_mode
from .case import Case
from .files import at_lines, by_file

EXIT_2 = re.compile(r"\bexit[ \t]+2\b|\b(?:exit|_exit|SystemExit)\(\s*2\b|\bexitCode\s*=\s*2\b")
# as JSON, as the source that makes it, and with its quotes escaped
_SAYS = re.compile(r"permissionDecision|\b(?:decision|behavior)\\*[\"']?\s*[:=]\s*\\*[\"'](?:block|deny)\b")
_BLOCKS = re.compile(f"{EXIT_2.pattern}|{_SAYS.pattern}")
# an event after the fact takes a refusal as text for the model, which its losses say
_HEARD = {Effect.DENY, Effect.FEEDBACK}


def advise(case: Case) -> Iterator[Finding]:
    """A finding about a hook that refuses, by what its command says, where nothing can be refused."""
    hook = case.hook
    if refuses(case) and not _HEARD & hook.plan.honours:
        yield case.says(
            "cannot-block",
            f"the command refuses, and nothing can be refused on {hook.row.event}: whatever it says, things go on",
            "refuse on an event that comes before the action",
        )


def in_background(case: Case) -> Iterator[Finding]:
    """A finding about a hook that refuses and that its vendor does not wait for."""
    raw, dialect = case.declaration.handler, case.vendor.dialect.handlers
    detaching = [key for key in dialect.detaching if isinstance(raw, Mapping) and raw.get(key) is True]
    if detaching and Effect.DENY in case.hook.row.offers and refuses(case):
        yield case.says(
            "background-cannot-refuse",
            f"the hook refuses, and {detaching[0]} makes {case.vendor.title} go on without waiting for it",
            f"take {detaching[0]} out",
        )


def fail_open(cases: Sequence[Case], policy: Policy) -> Iterator[Finding]:
    """One finding a file: which of its hooks let pass what they would refuse when they break, under this policy."""
    may = [
        case
        for case in cases
        if case.hook.plan.can_block and _may_fail_open(case.hook, policy) and refuses(case) and not only_warns(case)
    ]
    for alike in by_file(may):
        yield make_finding(
            "fails-open",
            alike[0].where,
            f"{len(alike)} of the hooks here refuse ({at_lines(alike).strip()}); what such a hook would refuse goes on "
            "when it cannot start, breaks or takes too long, as at the vendor",
            "use the policy `strict` in compat.yaml, or `on_error: block` of a hook there",
        )


def _may_fail_open(hook: Hook, policy: Policy) -> bool:
    """Whether some failure of the hook lets the action go on; an exit code is an answer, so none counts here."""
    return any(
        failure_mode(kind, policy, hook.on_error, hook.on_failure, hook.plan, hook.row.point) == "warn"
        for kind in FailureKind
        if kind is not FailureKind.EXIT
    )


def only_warns(case: Case) -> bool:
    """Whether a hook refuses by exit 2 alone, at an event where its vendor takes that for a warning."""
    text = _text(case)
    return case.hook.row.exit_2 != "deny" and EXIT_2.search(text) is not None and _SAYS.search(text) is None


def _text(case: Case) -> str:
    return "\n".join([case.command or "", *case.texts])


def refuses(case: Case) -> bool:
    """Whether the command, or a script of the project that it starts, says what refuses an action."""
    return _BLOCKS.search(_text(case)) is not None
