"""What a caller of the adapter passes, read so that whatever its values do ends in one exception."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from .errors import CompatError, ErrorCode, shown


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
