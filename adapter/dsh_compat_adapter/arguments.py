"""What a caller of the adapter passes, read so that whatever its values do ends in one exception."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from .catalog.surface import Surface
from .errors import CompatError, ErrorCode, shown
from .facts.choose import FactsTo, sinks
from .facts.sink import Sink
from .seams.host import Host

MEMBERS = ("surface", "shell", "project_dir", "can_ask", "subscribe")  # of a host
T = TypeVar("T")
C = TypeVar("C", bound=Callable[..., object])


@contextmanager
def reading(what: str) -> Iterator[None]:
    """Whatever the values of a caller raise while they are read, the caller gets one exception."""
    try:
        yield
    except CompatError:
        raise
    except Exception as error:
        why = f"{what} cannot be read, {type(error).__name__}: {shown(error)}"
        raise CompatError(ErrorCode.INVALID_DECLARATION, why) from error


def texts(environment: object) -> dict[str, str]:
    """An environment; raises INVALID_DECLARATION for anything else."""
    with reading("environment"):
        if isinstance(environment, Mapping):
            found = dict(environment)
            if all(isinstance(text, str) for pair in found.items() for text in pair):
                return found
    raise CompatError(ErrorCode.INVALID_DECLARATION, f"environment maps names to strings, found {shown(environment)}")


def merged(declaration: object, fields: Mapping[str, object]) -> Mapping[str, object]:
    """A declaration that is given as a mapping, by keyword or both."""
    if declaration is None:
        return fields
    if not isinstance(declaration, Mapping):
        found = type(declaration).__name__
        raise CompatError(ErrorCode.INVALID_DECLARATION, f"a declaration is keywords or a mapping, found {found}")
    return {**declaration, **fields}


def path_of(value: object, what: str) -> Path:
    """A path; raises INVALID_INPUT for what is none, and for one with a NUL, which no system takes."""
    with reading(what):
        if isinstance(value, str | bytes | os.PathLike):
            path = os.fsdecode(value)
            os.fsencode(path)  # raises for what no name of a file can hold
            if "\0" not in path:
                return Path(path)
    raise CompatError(ErrorCode.INVALID_INPUT, f"{what} is a path without a NUL, found {shown(value)}")


def all_of(values: object, kind: type[T], what: str) -> tuple[T, ...]:
    """The values of a sequence, each of this kind; raises INVALID_INPUT for anything else."""
    with reading(what):
        found = tuple(values) if isinstance(values, Sequence) and not isinstance(values, str | bytes) else None
        if found is not None and all(isinstance(one, kind) for one in found):
            return found
    raise CompatError(ErrorCode.INVALID_INPUT, f"{what} is a list of {kind.__name__}, found {shown(values)}")


def one_of(value: object, kind: type[T], what: str) -> T:
    """A value of this kind; raises INVALID_INPUT for anything else."""
    if isinstance(value, kind):
        return value
    raise CompatError(ErrorCode.INVALID_INPUT, f"{what} is a {kind.__name__}, found {shown(value)}")


def callable_or_none(value: C | None, what: str) -> C | None:
    """A function, or none; raises INVALID_INPUT for anything else."""
    if value is None or callable(value):
        return value
    raise CompatError(ErrorCode.INVALID_INPUT, f"{what} is a function, found {shown(value)}")


def host_of(host: Host) -> Host:
    """A host; raises INVALID_INPUT for what has not the members of one."""
    with reading("the host"):
        given: object = host
        missing = [name for name in MEMBERS if not hasattr(given, name)]
        if not missing and isinstance(getattr(given, "surface", None), Surface):
            return host
    raise CompatError(ErrorCode.INVALID_INPUT, f"the host has no {missing or 'surface'}, found {shown(host)}")


def sinks_of(facts: FactsTo, say: Callable[[str], None]) -> list[Sink]:
    """What is to take the facts; raises INVALID_INPUT for what is neither a switch, nor a path, nor sinks."""
    if isinstance(facts, bool):
        return sinks(facts, say)
    if isinstance(facts, str | bytes | os.PathLike) or not isinstance(facts, Sequence):
        return sinks(path_of(facts, "facts"), say)
    with reading("facts"):
        if all(hasattr(one, name) for one in facts for name in ("name", "write", "close")):
            return sinks(facts, say)
    raise CompatError(ErrorCode.INVALID_INPUT, f"facts is true, false, a path or a list of sinks, found {shown(facts)}")
