"""Whether the condition of a handler, a permission rule such as `Bash(git *)`, surely leaves an occurrence out. Total.

A guard runs rather than not. Sure are another tool, a shell command that neither whole nor in a part can begin as the
rule wants, and a file that its pattern does not mean; everything else runs the hook, also where the vendor would not.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..catalog.model import HandlerDialect, Vendor
from .file_rule import surely_not
from .values import Values, view

_RULE = re.compile(r"([^\s()]+)(?:\((.*)\))?", re.DOTALL)
_BETWEEN_COMMANDS = re.compile(r"[;&|\n]+")
_EXPANDS = re.compile(r"[$`(){}\\]")  # what such a command runs is not what stands there
_PLAIN_WORD = re.compile(r"[\w./@+:-]+")
_QUOTE = re.compile(r"['\"]|\d*[<>]")
# behind these words stands another command, which the vendor may look at
BEFORE_A_COMMAND = frozenset(
    {"builtin", "command", "do", "doas", "elif", "else", "env", "eval", "exec", "for", "if", "ionice", "nice", "noglob"}
    | {"nohup", "select", "stdbuf", "sudo", "then", "time", "timeout", "until", "watch", "while", "xargs"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A rule, read. Without a pattern it names a tool alone; without a tool it is no rule."""

    tool: str | None
    pattern: str | None
    command_arguments: Mapping[str, str]  # tool -> its argument that is a shell command
    file_arguments: Mapping[str, str]  # tool -> its argument that is a file
    globs: bool  # what a file is compared with, instead of patterns as in .gitignore
    runs_broken: bool  # without a tool the hook runs, instead of never

    @property
    def by_name_only(self) -> bool:
        """Whether the pattern is about an argument that is not compared here."""
        compared = (*self.command_arguments, *self.file_arguments)
        return self.tool is not None and self.pattern is not None and self.tool not in compared

    def excludes(self, names: Sequence[str], values: Values, vendor: Vendor) -> bool:
        """Whether the rule surely does not hold for a call of the tool that goes by these names."""
        if self.tool is None:
            return not self.runs_broken
        if not _names(self.tool, names):
            return True
        is_file = self.tool in self.file_arguments
        name = self.file_arguments.get(self.tool) or self.command_arguments.get(self.tool)
        arguments = view(values, vendor).get("tool.arguments")
        value = arguments.get(name) if isinstance(arguments, Mapping) else None
        if self.pattern is None or not isinstance(value, str):
            return False
        if is_file:
            cwd, project_dir = values.get("session.cwd"), values.get("session.project_dir")
            return surely_not(self.pattern, value, globs=self.globs, cwd=cwd, project_dir=project_dir)
        return _surely_other(value, self.pattern)


def read_condition(text: str, dialect: HandlerDialect) -> Condition:
    """The rule that a text is."""
    rule = _RULE.fullmatch(text.strip())
    tool, pattern = (rule[1], rule[2]) if rule else (None, None)
    runs_broken = dialect.broken_condition == "always"
    return Condition(
        tool=tool,
        pattern=pattern,
        command_arguments=dialect.conditions,
        file_arguments=dialect.file_conditions,
        globs=dialect.file_patterns == "glob",
        runs_broken=runs_broken,
    )


def _names(tool: str, names: Sequence[str]) -> bool:
    """Whether a rule's tool can be one of these names; a server of tools stands for all of its tools."""
    beginning, star, _ = tool.partition("*")
    if star or beginning.startswith("mcp_"):
        return any(name.startswith(beginning) for name in names)
    return tool in names


def _surely_other(command: str, pattern: str) -> bool:
    """Whether neither a command nor a part of it can be one that the pattern means."""
    if _EXPANDS.search(command) or "\\" in pattern:
        return False
    beginning, star, _ = pattern.removesuffix(":*").partition("*")
    wanted = " ".join(beginning.split())
    open_end = bool(star) or pattern.endswith(":*")
    parts = [" ".join(part.split()) for part in (command, *_BETWEEN_COMMANDS.split(command))]
    return bool(wanted and any(parts)) and not any(_can_be(part, wanted, open_end=open_end) for part in parts if part)


def _can_be(part: str, wanted: str, *, open_end: bool) -> bool:
    first = part.partition(" ")[0]
    if first in BEFORE_A_COMMAND or not _PLAIN_WORD.fullmatch(first):
        return True
    if quote := _QUOTE.search(part):  # the vendor may compare without quotes and redirections
        before = part[: quote.start()].rstrip()
        return wanted.startswith(before) or (open_end and before.startswith(wanted))
    return part.startswith(wanted) if open_end else part == wanted
