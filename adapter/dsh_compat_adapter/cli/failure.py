"""How a command ends that raised: a message for the user, and the exit code of the table in `main`."""

import errno
import os
import sys
import traceback
from contextlib import suppress

from ..errors import CompatError, ErrorCode

# the codes of a call that names something wrong; every other CompatError with a place is a finding about a file
USAGE = {ErrorCode.UNKNOWN_VENDOR, ErrorCode.UNKNOWN_EVENT, ErrorCode.UNKNOWN_NAME, ErrorCode.INVALID_INPUT}
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}  # a disk or a quota, and no defect of this program


def exit_code(error: Exception) -> int:
    """Say what went wrong on stderr; 0 when only the reader of stdout has left."""
    match error:
        case CompatError():
            _tell(f"dsh-compat: {error}")
            return 2 if error.code in USAGE or error.where is None else 1
        case BrokenPipeError():
            # the reader left, as `| head` does; the interpreter must not complain at its own flush
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        case OSError(errno=number) if number in FULL:
            _tell(f"dsh-compat: the output cannot be written: {error.strerror}")
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 2
        case _:
            _tell("".join(traceback.format_exception(error)).rstrip())
            _tell("dsh-compat: a defect of this program; please report it with the lines above")
            return 3


def _tell(text: str) -> None:
    """A line on stderr; where that is closed or full, the exit code says it alone."""
    if sys.stderr is not None:
        with suppress(OSError):
            print(text, file=sys.stderr, flush=True)
