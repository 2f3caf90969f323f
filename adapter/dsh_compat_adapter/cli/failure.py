"""How a command ends that raised: a message for the user, and the exit code of the table in `main`."""

import errno
import os
import sys
import traceback

from ..errors import CompatError, ErrorCode

# the codes of a call that names something wrong; every other CompatError with a place is a finding about a file
USAGE = {ErrorCode.UNKNOWN_VENDOR, ErrorCode.UNKNOWN_EVENT, ErrorCode.UNKNOWN_NAME, ErrorCode.INVALID_INPUT}
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}  # a disk or a quota, and no defect of this program


def exit_code(error: Exception) -> int:
    """Say what went wrong on stderr; 0 when only the reader of stdout has left."""
    match error:
        case CompatError():
            print(f"dsh-compat: {error}", file=sys.stderr)
            return 2 if error.code in USAGE or error.where is None else 1
        case BrokenPipeError():
            # the reader left, as `| head` does; the interpreter must not complain at its own flush
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        case OSError(errno=number) if number in FULL:
            print(f"dsh-compat: the output cannot be written: {error.strerror}", file=sys.stderr)
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 2
        case _:
            traceback.print_exception(error)
            print("dsh-compat: a defect of this program; please report it with the lines above", file=sys.stderr)
            return 3
