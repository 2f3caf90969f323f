"""Plain text that a hook prints where nobody reads it, or where the vendor takes it for a broken answer."""

from collections.abc import Iterator, Sequence

from ..declare.findings import Finding, make_finding
from ..events import Canonical
from .case import Case
from .files import at_lines, by_file
from .shell_text import read_shell_text

PRINTERS = frozenset({"echo", "printf"})
# on others a vendor has its own uses for the text
_UNREAD = frozenset({Canonical.TOOL_BEFORE, Canonical.TOOL_AFTER, Canonical.TURN_STOP, Canonical.SUBAGENT_END})
_OPEN = ("{", "[", "$", "`", "%")  # of a text that is JSON, or that nobody can tell


def advise(cases: Sequence[Case]) -> Iterator[Finding]:
    """One finding a file and code, with the lines of all hooks that it is about."""
    for alike in by_file(cases):
        printing = [case for case in alike if not case.hook.row.stdout_context and _prints(case)]
        if failing := [case for case in printing if case.hook.row.stdout_fails]:
            event = failing[0].hook.spelling
            yield make_finding(
                "text-counts-as-failure",
                failing[0].where,
                f"the commands{at_lines(failing)} print plain text, which {failing[0].vendor.title} takes for a broken "
                f"answer on {event} and its like; here nobody reads it either",
                'print nothing, or one JSON object such as {"systemMessage": "…"}',
            )
        if unread := [case for case in printing if not case.hook.row.stdout_fails]:
            yield make_finding(
                "text-not-read",
                unread[0].where,
                f"the commands{at_lines(unread)} print plain text, which does not reach the model on "
                f"{unread[0].hook.spelling} and its like",
                "print JSON with additionalContext or systemMessage where the event takes it",
            )


def _prints(case: Case) -> bool:
    """Whether a command prints a text that is no JSON, and that nobody but the host reads."""
    row = case.hook.row
    if case.command is None or not (row.stdout_fails or row.canonical in _UNREAD) or "exit 2" in case.command:
        return False
    text = read_shell_text(case.command, case.paths)
    printed = [command.words for command in text.commands if command.words[0] in PRINTERS and not command.redirected]
    texts = [next((word for word in words[1:] if word not in {"-n", "-e"}), "") for words in printed]
    return text.whole and any(texts) and not any(text.lstrip().startswith(_OPEN) for text in texts)
