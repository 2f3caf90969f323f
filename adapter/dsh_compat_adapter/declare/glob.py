"""Finds the files that patterns name, all of them in one walk, and says of every folder that it could not search.

`*`, `?` and `[…]` stand for part of a name, `**` for any number of folders. Links to folders are followed, each folder
once, but not by a `**` at the beginning: it would leave the project. Total, and linear in the folders that are read.
"""

import fnmatch
import os
import re
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

MAX_FOLDERS = 20_000  # in one walk; a link to `/` must not make a scan of the whole machine
WILDCARDS = "*?["
ANY_DEPTH = "**"

Part = str | re.Pattern[str]  # a name (`**` included), or what it looks like
State = tuple[int, int]  # a pattern, and how many of its parts stand behind
States = frozenset[State]


class Unsearched(NamedTuple):
    """A folder that could not be searched, and why."""

    path: Path
    why: str


class Globbed(NamedTuple):
    """What one pattern came to: files in the order of their folders, and what could not be seen."""

    files: list[Path]
    unsearched: list[Unsearched]


class _Folder(NamedTuple):
    path: Path
    states: States
    linked: bool  # reached over a symbolic link


class _Entry(NamedTuple):
    path: Path
    is_folder: bool
    is_link: bool


def glob(base: Path, pattern: str) -> Globbed:
    """The files that one pattern names below `base`; a folder only for a pattern that is one plain path."""
    (files,), unsearched = glob_all(base, (pattern,))
    return Globbed(files, unsearched)


def glob_all(
    base: Path, patterns: Sequence[str], *, skip: frozenset[str] = frozenset()
) -> tuple[list[list[Path]], list[Unsearched]]:
    """The files of each pattern. Folders named in `skip` are entered only where a pattern spells the name out."""
    return _Walk([_parts(pattern) for pattern in patterns], skip).run(base)


def fits(path: str, pattern: str) -> bool:
    """Whether a pattern names a whole absolute path; `*` stays in one folder. Total, and looks at no file."""
    parts = _parts(pattern)
    if not pattern.startswith(("/", ANY_DEPTH)):
        return False
    reached = _past_any_depth({0}, parts)  # how many of the parts may stand behind
    for name in path.strip("/").split("/"):
        behind = {
            at if parts[at] == ANY_DEPTH else at + 1 for at in reached if at < len(parts) and _is_named(name, parts[at])
        }
        reached = _past_any_depth(behind, parts)
    return len(parts) in reached


def _past_any_depth(reached: set[int], parts: Sequence[Part]) -> set[int]:
    found = set(reached)
    for at, part in enumerate(parts):
        if at in found and part == ANY_DEPTH:
            found.add(at + 1)
    return found


def _is_named(name: str, part: Part) -> bool:
    return part in (ANY_DEPTH, name) if isinstance(part, str) else part.match(name) is not None


def has_wildcard(text: str) -> bool:
    """Whether a text is a pattern and no plain path."""
    return any(character in text for character in WILDCARDS)


def _parts(pattern: str) -> list[Part]:
    return [_part(part) for part in pattern.split("/") if part not in ("", ".")]


def _part(text: str) -> Part:
    if text == ANY_DEPTH or not has_wildcard(text):
        return text
    return re.compile(fnmatch.translate(text.replace(ANY_DEPTH, "*")))


class _Walk:
    """The parts of all patterns are tried side by side, so that no folder is read twice for the same of them."""

    def __init__(self, patterns: list[list[Part]], skip: frozenset[str]) -> None:
        self._patterns = patterns
        self._skip = skip
        self._files: list[set[Path]] = [set() for _ in patterns]
        # a folder in the place of one file: its reader says that it is none
        self._plain = {i for i, parts in enumerate(patterns) if all(self._is_name(part) for part in parts)}
        self._unsearched: list[Unsearched] = []
        self._seen: dict[tuple[int, int], set[State]] = {}

    def run(self, base: Path) -> tuple[list[list[Path]], list[Unsearched]]:
        start = frozenset((pattern, 0) for pattern in range(len(self._patterns)))
        near, far = deque([_Folder(base, self._closed(start), linked=False)]), deque[_Folder]()
        read = 0
        while near or far:
            # what stands in the tree itself comes first, so that a folder has its own name and not that of a link to it
            folder = self._unseen((near or far).popleft())
            if not folder.states:
                continue
            read += 1
            if read > MAX_FOLDERS:
                self._miss(folder.path, f"more than {MAX_FOLDERS} folders")
                break
            for inner in self._inner(folder):
                (far if inner.linked else near).append(inner)
        return [sorted(files, key=lambda path: path.parts) for files in self._files], self._unsearched

    def _unseen(self, folder: _Folder) -> _Folder:
        """The folder with those states that it was not yet read for, by whatever name."""
        try:
            status = folder.path.stat()
        except OSError as error:
            self._missed(folder.path, error)
            return folder._replace(states=frozenset())
        seen = self._seen.setdefault((status.st_dev, status.st_ino), set())
        new = folder.states - seen
        seen |= new
        return folder._replace(states=new)

    def _inner(self, folder: _Folder) -> Iterator[_Folder]:
        """The folders to go on with; files that end a pattern are kept on the way."""
        named: set[str] = set()
        searching = False
        for state in folder.states:
            match self._part(state):
                case None:
                    pass
                case str() as name if self._is_name(name):
                    named.add(name)
                case _:
                    searching = True
        found = [(name, entry) for name in sorted(named) if (entry := self._look(folder.path / name))]
        if searching:
            found += [(entry.path.name, entry) for entry in self._listed(folder.path) if entry.path.name not in named]
        for name, entry in found:
            after = self._after(folder.states, name, is_link=entry.is_link)
            for pattern in [pattern for pattern, at in after if at == len(self._patterns[pattern])]:
                if not entry.is_folder or pattern in self._plain:
                    self._files[pattern].add(entry.path)
            if entry.is_folder and any(self._part(state) is not None for state in after):
                yield _Folder(entry.path, self._closed(after), linked=entry.is_link or folder.linked)

    def _part(self, state: State) -> Part | None:
        parts = self._patterns[state[0]]
        return parts[state[1]] if state[1] < len(parts) else None

    @staticmethod
    def _is_name(part: Part) -> bool:
        return isinstance(part, str) and part != ANY_DEPTH

    def _look(self, path: Path) -> _Entry | None:
        """What stands at a path; none when nothing does, or nobody can say."""
        try:
            is_link = stat.S_ISLNK(path.lstat().st_mode)
        except OSError as error:
            self._missed(path.parent, error)
            return None
        except ValueError:  # a NUL in the name
            return None
        return _Entry(path, os.path.isdir(path), is_link)  # noqa: PTH112 - Path.is_dir raises for a link to itself

    def _listed(self, path: Path) -> list[_Entry]:
        try:
            with os.scandir(path) as entries:
                return sorted(_Entry(path / entry.name, _is_folder(entry), entry.is_symlink()) for entry in entries)
        except OSError as error:
            self._missed(path, error)
            return []

    def _after(self, states: States, name: str, *, is_link: bool) -> States:
        """Where the patterns stand behind an entry of this name."""
        found: set[State] = set()
        for pattern, at in states:
            part = self._part((pattern, at))
            if part == name and part != ANY_DEPTH:
                found.add((pattern, at + 1))
            elif name in self._skip:
                continue
            elif part == ANY_DEPTH and not (is_link and at == 0):
                found.add((pattern, at))
            elif isinstance(part, re.Pattern) and part.match(name):
                found.add((pattern, at + 1))
        return frozenset(found)

    def _closed(self, states: States) -> States:
        """These states, and those behind each `**`, which may stand for no folder at all."""
        found = set(states)
        waiting = list(states)
        while waiting:
            pattern, at = waiting.pop()
            behind = (pattern, at + 1)
            if self._part((pattern, at)) == ANY_DEPTH and behind not in found:
                found.add(behind)
                waiting.append(behind)
        return frozenset(found)

    def _missed(self, path: Path, error: OSError) -> None:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            self._miss(path, error.strerror or str(error))

    def _miss(self, path: Path, why: str) -> None:
        if (missed := Unsearched(path, why)) not in self._unsearched:
            self._unsearched.append(missed)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself is no folder, and its reader says what is wrong with it
        return False
