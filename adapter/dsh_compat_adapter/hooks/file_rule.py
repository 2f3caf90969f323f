"""Whether the pattern of a permission rule such as `Write(src/**)` surely does not mean a file. Total.

The patterns are those of .gitignore, compared without regard to case: `//x` from the root of the file system, `~/x`
from the home, `/x` from the project, anything else from the working directory. Where a vendor takes globs instead, what
the two read alike is sure, and nothing else.
"""

import warnings
from collections.abc import Iterator
from functools import lru_cache
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


def surely_not(pattern: str, file: str, *, globs: bool, cwd: object, project_dir: object) -> bool:
    """Whether the pattern means neither the file nor, where it is a link, what it stands for.

    `cwd` and `project_dir` are absolute paths; without them nothing is sure.
    """
    if not (isinstance(cwd, str) and isinstance(project_dir, str) and cwd and project_dir) or "\0" in file:
        return False
    if not pattern.strip("./ ") or pattern.startswith("#") or (globs and "{" in pattern):
        return False
    try:
        readings = list(_readings(pattern, cwd, project_dir, globs=globs))
        return not any(_means(base, rest, Path(cwd, file)) for base, rest in readings)
    # no pattern of .gitignore, or one that may be read in two ways; a loop of links; nobody's home
    except (ValueError, FutureWarning, OSError, RuntimeError):
        return False


def _readings(pattern: str, cwd: str, project_dir: str, *, globs: bool) -> Iterator[tuple[Path, str]]:
    """Where a pattern may begin, and what it says from there."""
    if pattern.startswith("//"):
        yield Path("/"), pattern[1:]
    elif pattern.startswith("~/"):
        yield Path.home(), pattern[1:]
    elif pattern.startswith("/"):
        yield Path(project_dir), pattern
        if globs:
            yield Path("/"), pattern
    else:
        yield Path(cwd), pattern.removeprefix("./")


def _means(base: Path, rest: str, file: Path) -> bool:
    spec = _compiled(rest.lower())
    named, real = (Path(normpath(base)), Path(normpath(file))), (base.resolve(), file.resolve())
    return any(
        spec.match_file(path.relative_to(folder).as_posix().lower())
        for folder, path in (named, real)
        if path.is_relative_to(folder)
    )


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> "GitIgnoreSpec":
    from pathspec import GitIgnoreSpec  # noqa: PLC0415 - start-up: most projects have no such rule

    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        return GitIgnoreSpec.from_lines([pattern])
