"""Reads a text for a POSIX shell: the simple commands in it, in the order in which they stand. Nothing is run. Total.

What the grammar cannot read is left out. A word that only a running shell can tell keeps its source, `$` included.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

START = ""  # the folder that the text starts in
UNKNOWN = re.compile(r"[$`*?~]")  # in a word whose value only a shell can tell
MAX_CHARACTERS = 128 * 1024
# the scanner of the grammar looks a large character up outside of its tables, and no shell gives one a meaning
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
# a change of folder inside of these ends with them
_SCOPES = frozenset({"subshell", "command_substitution", "process_substitution", "function_definition", "pipeline"})
_READ = frozenset({"command_substitution", "process_substitution"})  # what they print, somebody reads
_PROJECT = re.compile(r"\$\(\s*(?:git rev-parse --show-toplevel|pwd)\s*(?:2>\s*/dev/null\s*)?(?:\|\|\s*pwd\s*)?\)")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r"\\([\"$`\\\n])")


class Command(NamedTuple):
    """One simple command with its words, known folders filled in."""

    words: tuple[str, ...]
    folder: str | None  # that it is started in: START, a path (relative to that), or none where nobody can tell
    redirected: bool  # its output goes elsewhere, into a file or another command


@dataclass(frozen=True, slots=True)
class ShellText:
    """What was found in one text."""

    commands: tuple[Command, ...]
    functions: frozenset[str]  # that it declares
    whole: bool  # the grammar read all of it


def read_shell_text(text: str, folders: Mapping[str, str], project: str | None = None) -> ShellText:
    """Read one text; `folders` are variables whose value is known, `project` what asking git for the root prints."""
    if len(text) > MAX_CHARACTERS:
        return ShellText((), frozenset(), whole=False)
    root = syntax(text)
    walk = _Walk(text, {**({"PWD": project} if project else {}), **folders}, project)
    walk.run(root)
    return ShellText(tuple(walk.commands), frozenset(walk.functions), whole=not root.has_error)


def syntax(text: str) -> Node:
    """The tree of one text, whose offsets are those of the text."""
    # a letter for each such character, so that an offset in one is that in the other
    return _parser().parse(_NOT_ASCII.sub("x", text).encode("ascii")).root_node


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


class _Back(NamedTuple):
    """The end of a part that cannot change the folder of what comes after it."""

    folder: str | None


@dataclass(slots=True)
class _Walk:
    """One pass over the tree."""

    source: str
    folders: Mapping[str, str]
    project: str | None
    commands: list[Command] = field(default_factory=list)
    functions: set[str] = field(default_factory=set)

    def run(self, root: Node) -> None:
        folder: str | None = START
        stack: list[tuple[Node, bool] | _Back] = [(root, False)]  # with whether the output of a node goes elsewhere
        while stack:
            entry = stack.pop()
            if isinstance(entry, _Back):
                folder = entry.folder
                continue
            node, elsewhere = entry
            if node.type in {"ERROR", "comment", "heredoc_body"}:
                continue
            if node.type in _SCOPES:
                stack.append(_Back(folder))
            if node.type == "function_definition" and (name := node.child_by_field_name("name")) is not None:
                self.functions.add(self._source(name))
            if node.type == "command" and (words := tuple(self._words(node))):
                self.commands.append(Command(words, folder, elsewhere))
                folder = _moved(folder, words)
            elsewhere = (
                elsewhere or node.type in _READ or (node.type == "redirected_statement" and _is_redirected(node))
            )
            last = node.named_children[-1] if node.type == "pipeline" and node.named_children else None
            stack.extend((child, elsewhere or last not in {None, child}) for child in reversed(node.children))

    def _words(self, command: Node) -> Iterator[str]:
        for child in command.named_children:
            if child.type == "command_name":
                yield "".join(self._value(part) for part in child.named_children)
            elif child.type not in {"variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect"}:
                yield self._value(child)

    def _value(self, node: Node) -> str:
        text = self._source(node)
        match node.type:
            case "word":
                text = _ESCAPE.sub(r"\1", text)
            case "raw_string":
                text = text[1:-1]
            case "string":
                text = self._quoted(node)
            case "concatenation":
                text = "".join(self._value(child) for child in node.children)
            case "simple_expansion" | "expansion":
                text = self._variable(node, text)
            case "command_substitution" if self.project is not None and _PROJECT.fullmatch(text):
                text = self.project
        return text

    def _quoted(self, node: Node) -> str:
        """A text in double quotes: what stands between the expansions is taken from the source."""
        parts: list[str] = []
        at = node.start_byte + 1
        for child in node.named_children:
            if child.type != "string_content":
                parts += [self._literal(at, child.start_byte), self._value(child)]
                at = child.end_byte
        return "".join((*parts, self._literal(at, node.end_byte - 1)))

    def _literal(self, start: int, end: int) -> str:
        return _QUOTED_ESCAPE.sub(r"\1", self.source[start:end])

    def _variable(self, node: Node, text: str) -> str:
        name = next((self._source(child) for child in node.named_children if child.type == "variable_name"), "")
        plain = node.type == "simple_expansion" or re.fullmatch(r"\$\{\w+(?::?-.*)?\}", text, re.DOTALL)
        return self.folders.get(name, text) if plain else text

    def _source(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte]


def _is_redirected(statement: Node) -> bool:
    return any(child.type == "file_redirect" and _takes_stdout(child) for child in statement.named_children)


def _takes_stdout(redirect: Node) -> bool:
    descriptor = redirect.child_by_field_name("descriptor")
    if descriptor is not None and descriptor.text != b"1":
        return False
    return any(child.type in {">", ">>", ">&", "&>", "&>>", ">|"} for child in redirect.children)


def _moved(folder: str | None, words: tuple[str, ...]) -> str | None:
    """The folder after a command, which is another one after `cd`."""
    if words[0] not in {"cd", "pushd"}:
        return folder
    target = next((word for word in words[1:] if not word.startswith("-")), "~")
    if folder is None or UNKNOWN.search(target):
        return None
    return os.path.join(folder, target)  # noqa: PTH118 - the folder that the text starts in is the empty text
