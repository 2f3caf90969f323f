"""A file that a command executes, looked up in the project and read for hints. Nothing is run. Total."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Literal

from ..declare.text_file import read_regular
from .command import Program
from .shell_text import START, UNKNOWN

MAX_BYTES = 256 * 1024  # of a script that is read for hints

HOMES = ("~/", "$HOME/", "${HOME}/")
Place = Literal["inside", "outside", "windows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """One script as a command names it, and what was found there."""

    name: str
    path: Path
    place: Place
    relative: bool  # to the folder that the hook is started in
    interpreted: bool  # by a program that is named before it, so that it needs no right to be executed
    started_by: str = ""  # that program
    missing: str | None = None  # why it cannot be started
    executable: bool = True
    text: str | None = None


def find_scripts(programs: Sequence[Program], start: Path, folders: Sequence[Path]) -> Iterator[Script]:
    """The scripts of these programs, which are started in `start`; one inside of `folders` is read.

    A script is left out where only a running shell can tell which one it is.
    """
    for program in programs:
        name = program.script
        if name is not None and name.startswith(HOMES):
            yield Script(name=name, path=Path(name), place="outside", relative=False, interpreted=program.interpreted)
        if name is None or UNKNOWN.search(name):
            continue
        if program.folder is not None or PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive:
            yield _looked_up(program, name, start / (program.folder or START), folders)


def _looked_up(program: Program, name: str, start: Path, folders: Sequence[Path]) -> Script:
    path = Path(os.path.normpath(start.absolute() / name))
    inside = any(path.is_relative_to(os.path.normpath(folder.absolute())) for folder in folders)
    place: Place = "windows" if PureWindowsPath(name).drive else "inside" if inside else "outside"
    found = _Found(None, executable=True, text=None) if place != "inside" else _read(path)
    return Script(
        name=os.path.relpath(path, folders[0].absolute()) if place == "inside" else name,
        path=path,
        place=place,
        relative=not PurePosixPath(name).is_absolute() and program.folder == START,
        interpreted=program.interpreted,
        started_by=program.name,
        missing=found.missing,
        executable=found.executable,
        text=found.text,
    )


@dataclass(frozen=True, slots=True)
class _Found:
    missing: str | None
    executable: bool
    text: str | None


def _read(path: Path) -> _Found:
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        return _Found(getattr(error, "strerror", None) or str(error), executable=False, text=None)
    executable = bool(mode & (stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH))
    try:
        data = read_regular(path, MAX_BYTES)
    except (OSError, ValueError):
        data = None
    text = data.decode("utf-8", "replace") if data is not None and len(data) <= MAX_BYTES else None
    return _Found(None, executable, text)
