"""Commands and scripts that are written for bash and started by `/bin/sh`, which is another shell on many systems.

What follows was tried with dash, the `sh` of Debian and Ubuntu: a text that it cannot read ends with 2, which to most
vendors is a refusal, and a `[[ … ]]` is a program that is not there, so that what depends on it never happens.
"""

import re
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from tree_sitter import Node

from ..declare.findings import Finding
from ..events import Effect
from .case import Case
from .script import Script
from .shell_text import MAX_CHARACTERS, syntax

OTHERS = frozenset({"sh", "dash"})  # shells that do not read it
_SHEBANG = re.compile(r"#![ \t]*\S*/(?:env[ \t]+)?(\w+)")


class Construct(NamedTuple):
    """What only bash reads: as a text shows it, and whether another shell gives the whole text up because of it."""

    shown: str
    ends: bool  # with exit code 2


class _Alone(NamedTuple):
    """A node of the grammar that only bash reads where its text begins so; without a name its text is shown."""

    node: str
    begins: re.Pattern[str]
    shown: str
    ends: bool


_ALONE = (
    _Alone("herestring_redirect", re.compile(""), "<<<", ends=True),
    _Alone("process_substitution", re.compile(""), "<(…)", ends=True),
    _Alone("array", re.compile(""), "an array", ends=True),
    _Alone("c_style_for_statement", re.compile(""), "for ((…))", ends=True),
    _Alone("|&", re.compile(""), "|&", ends=True),
    _Alone("function_definition", re.compile(r"function\s"), "`function`", ends=True),
    # behind the name: an entry of an array, a replacement, another case, or a cut
    _Alone("expansion", re.compile(r"\$\{(?:!|#?\w+(?:\[|/|\^|,|:(?:[ \t]*+[\d$]|[ \t]++-)))"), "", ends=True),
    _Alone("command", re.compile(r"set\s.*\bpipefail\b"), "`set -o pipefail`", ends=True),
    _Alone("test_command", re.compile(r"\[\["), "[[ … ]]", ends=False),
    _Alone("command", re.compile(r"source\s"), "`source`", ends=False),
)


def advise(case: Case) -> Iterator[Finding]:
    """One finding for a command, and one for each script, that another shell than bash starts."""
    action = case.hook.action
    shell = PurePath(getattr(action, "argv", ("",))[0]).name
    if case.command is not None and shell in OTHERS:
        yield from _finding(case, "the command", case.command, shell)
    for script in case.scripts:
        if script.text is not None and (started := _shell(script)) in OTHERS:
            yield from _finding(case, f"{script.name!r:.120}", script.text, started)


def _shell(script: Script) -> str:
    if script.interpreted:
        return script.started_by
    found = _SHEBANG.match(script.text or "")
    return found[1] if found else ""


def _finding(case: Case, what: str, text: str, shell: str) -> Iterator[Finding]:
    found = next(iter(sorted(set(constructs(text)), key=lambda one: not one.ends)), None)
    if found is None:
        return
    if not found.ends:
        then = "there it is no command, so what depends on it never happens"
    elif case.hook.row.exit_2 == "deny" and Effect.DENY in case.hook.row.offers:
        then = "there the hook ends with 2 at every event, which refuses it"
    else:
        then = "there the hook breaks at every event"
    yield case.says(
        "needs-bash",
        f"{what} has {found.shown}, which bash reads, and {shell} starts it: on Debian and Ubuntu that is dash, "
        f"and {then}",
        "have bash start it (bash -c '…', a script with #!/usr/bin/env bash that is started by its own name)",
    )


def constructs(text: str) -> Iterator[Construct]:
    """What of one text bash alone reads. Total."""
    if len(text) > MAX_CHARACTERS:
        return
    stack = [syntax(text)]
    while stack:
        node = stack.pop()
        if (found := _construct(node, text)) is not None:
            yield found
        stack.extend(reversed(node.children))


def _construct(node: Node, source: str) -> Construct | None:
    text = source[node.start_byte : node.end_byte]
    for one in _ALONE:
        if node.type == one.node and (found := one.begins.match(text)):
            return Construct(one.shown or f"{found[0]}…}}", ends=one.ends)
    return None
