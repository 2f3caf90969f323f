"""Reads one rules file: its bytes, and the text that they are."""

from pathlib import Path
from typing import NamedTuple

from ..errors import CompatError, ErrorCode
from .text_file import read_regular

MAX_BYTES = 1024 * 1024  # of one file; a rules file that long is no instruction any more


class RulesText(NamedTuple):
    """A rules file as it was read."""

    data: bytes
    text: str  # without a byte order mark


def read_rules_text(path: Path, inside: str | None) -> RulesText:
    """The file, if it stands in the real folder `inside`; raises INVALID_FILE, TOO_LARGE or NOT_TEXT."""
    try:
        data = read_regular(path, MAX_BYTES, inside=inside)
    except OSError as error:
        raise CompatError(ErrorCode.INVALID_FILE, f"{path} cannot be read: {error.strerror}") from None
    if data is None:
        raise CompatError(ErrorCode.INVALID_FILE, f"{path} is no regular file, or was swapped while it was read")
    if len(data) > MAX_BYTES:
        raise CompatError(ErrorCode.TOO_LARGE, f"{path} is larger than {MAX_BYTES} bytes; carry the part that matters")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        raise CompatError(ErrorCode.NOT_TEXT, message) from None
    return RulesText(data, text.removeprefix("\ufeff"))
