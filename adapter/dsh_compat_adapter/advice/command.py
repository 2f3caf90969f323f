"""Reads a command text for the programs that it starts. Nothing is run, and what cannot be read is left out. Total."""

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import NamedTuple

SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh"})
INTERPRETERS = SHELLS | {"python", "python3", "node", "ruby", "perl", "php", "tsx", "ts-node", "pwsh", "powershell"}
RUNNERS = {"uv": "run", "poetry": "run", "bun": "run", "deno": "run"}  # which word stands before the script
CODE_OPTIONS = ("-c", "-e", "-m", "--eval", "-Command", "-p")  # what follows is code or a module, and no file
WORDS_BEFORE = frozenset(
    {"!", "{", "if", "then", "else", "elif", "do", "while", "until", "exec", "command", "time", "nohup"}
)
MAX_DEPTH = 3  # of `sh -c` in `sh -c`
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|([A-Za-z_]\w*))")


class Program(NamedTuple):
    """One program with its arguments, known folders filled in."""

    argv: tuple[str, ...]

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

    def _argument(self) -> str | None:
        arguments = self.argv[1:]
        word = RUNNERS.get(self.name)
        if word is not None and arguments[:1] == (word,):
            arguments = arguments[1:]
        for argument in arguments:
            if argument in CODE_OPTIONS:
                return None
            if not argument.startswith("-"):
                return argument if "/" in argument or re.search(r"\.\w+$", argument) else None
        return None


def programs(command: str, folders: Mapping[str, str], depth: int = 0) -> Iterator[Program]:
    """Every program that the text starts by name, those inside of `sh -c` included."""
    for words in _simple_commands(command):
        argv = tuple(_filled(word, folders) for word in words)
        program = Program(argv)
        yield program
        if program.name in SHELLS and depth < MAX_DEPTH and "-c" in argv[1:-1]:
            yield from programs(argv[argv.index("-c") + 1], folders, depth + 1)


def _simple_commands(command: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(command.replace("\n", " ; "), posix=True, punctuation_chars=";|&()<>")
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    try:
        tokens = list(lexer)
    except ValueError:  # a quotation that does not end: the shell will say so
        return
    redirected = False
    for token in tokens:
        if set(token) <= set(";|&()"):
            yield from _named(words)
            words, redirected = [], False
        elif set(token) <= set("<>&"):
            redirected = True
        elif redirected:
            redirected = False
        else:
            words.append(token)
    yield from _named(words)


def _named(words: list[str]) -> Iterator[list[str]]:
    while words and (words[0] in WORDS_BEFORE or _ASSIGNMENT.match(words[0])):
        words = words[1:]
    if words:
        yield words


def _filled(word: str, folders: Mapping[str, str]) -> str:
    return _REFERENCE.sub(lambda found: folders.get(found[1] or found[2], found[0]), word)
