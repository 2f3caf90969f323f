"""Reads a command text for the programs that it starts. Nothing is run, and what cannot be read is left out. Total."""

import os
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from .shell_text import START, UNKNOWN, Command, read_shell_text

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
POWERSHELLS = frozenset({"pwsh", "powershell"})
INTERPRETERS = SHELLS | POWERSHELLS | {"python", "python3", "node", "ruby", "perl", "php", "tsx", "ts-node"}
RUNNERS = {"uv": "run", "poetry": "run", "bun": "run", "deno": "run"}  # which word stands before the script
CODE_OPTIONS = ("-c", "-e", "-m", "--eval", "-p")  # what follows is code or a module, and no file
# programs that start the one behind their options, with the options that take a value
WRAPPERS: Mapping[str, tuple[str, ...]] = {
    "command": (),
    "env": ("-u", "-C", "-S"),
    "exec": ("-a",),
    "nice": ("-n",),
    "nohup": (),
    "setsid": (),
    "sudo": ("-u", "-g"),
    "time": (),
    "timeout": ("-k", "-s"),
    "xargs": ("-n", "-I", "-P", "-d", "-L"),
}
ASKERS = frozenset({"which", "type", "hash"})  # whether a program is there, without starting it
MAX_DEPTH = 3  # of `sh -c` in `sh -c`
_SHELL_CODE = re.compile(r"-[a-z]*c")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_DURATION = re.compile(r"[\d.]+[smhd]?")


class Program(NamedTuple):
    """One program with its arguments, known folders filled in."""

    argv: tuple[str, ...]
    folder: str | None = START  # where it is started, see `Command`

    @property
    def name(self) -> str:
        """The program without its folder and a Windows suffix."""
        return re.split(r"[/\\]", self.argv[0])[-1].removesuffix(".exe")

    @property
    def script(self) -> str | None:
        """The file that it executes, where that is one of somebody's own: itself by a path, or an interpreter's."""
        if "/" in self.argv[0] or self.argv[0].startswith("."):
            return self.argv[0] if self.name not in INTERPRETERS else self._argument()
        return self._argument() if self.name in INTERPRETERS or self.name in RUNNERS else None

    @property
    def interpreted(self) -> bool:
        """Whether the script is an argument of an interpreter, and so needs no right to be executed."""
        return self.script is not self.argv[0]

    @property
    def code(self) -> str | None:
        """The text of `sh -c`."""
        if self.name in SHELLS:
            for option, text in pairwise(self.argv[1:]):
                if _SHELL_CODE.fullmatch(option):
                    return text
                if not option.startswith("-"):
                    return None
        return None

    @property
    def asks(self) -> tuple[str, ...]:
        """The programs that it only looks for."""
        if self.name in ASKERS or (self.name == "command" and self.argv[1:2] in {("-v",), ("-V",)}):
            return tuple(word for word in self.argv[1:] if not word.startswith("-"))
        return ()

    def _argument(self) -> str | None:
        arguments = self.argv[1:]
        word = RUNNERS.get(self.name)
        if word is not None and arguments[:1] == (word,):
            arguments = arguments[1:]
        if self.name in POWERSHELLS:
            found = [text for option, text in pairwise(arguments) if option.lower() == "-file"]
            return found[0] if found else next(iter(arguments), None) if _path_like(*arguments[:1]) else None
        if self.code is not None:
            return None
        for argument in arguments:
            if argument in CODE_OPTIONS:
                return None
            if not argument.startswith("-"):
                return argument if _path_like(argument) else None
        return None


def _path_like(text: str = "") -> bool:
    return not text.startswith("-") and ("/" in text or re.search(r"\.\w+$", text) is not None)


def programs(command: str, folders: Mapping[str, str], project: str | None = None, depth: int = 0) -> Iterator[Program]:
    """Every program that the text starts by name, those inside of `sh -c` and behind `timeout` included."""
    text = read_shell_text(command, folders, project)
    for one in text.commands:
        if one.words[0] not in text.functions:
            yield from _started(one, folders, project, depth)


def _started(one: Command, folders: Mapping[str, str], project: str | None, depth: int) -> Iterator[Program]:
    words = one.words
    while words and words[0]:
        program = Program(words, one.folder)
        yield program
        if program.code is not None and depth < MAX_DEPTH:
            for inner in programs(program.code, folders, project, depth + 1):
                yield inner._replace(folder=_within(one.folder, inner.folder))
        if program.asks or program.name not in WRAPPERS:
            return
        words = _wrapped(program)


def _within(outer: str | None, inner: str | None) -> str | None:
    if inner is None or (outer is None and not os.path.isabs(inner)):  # noqa: PTH117 - START is no path
        return None
    return os.path.join(outer or START, inner) if inner != START else outer  # noqa: PTH118 - START is no path


def _wrapped(program: Program) -> tuple[str, ...]:
    """The words of the program that another one starts."""
    words = program.argv[1:]
    valued = WRAPPERS[program.name]
    while words and (words[0].startswith("-") or _ASSIGNMENT.match(words[0])):
        words = words[2:] if words[0] in valued else words[1:]
    if program.name == "timeout" and words and (_DURATION.fullmatch(words[0]) or UNKNOWN.search(words[0])):
        words = words[1:]
    return words
