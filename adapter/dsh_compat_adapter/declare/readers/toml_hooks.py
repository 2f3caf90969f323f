"""The grouped shape in TOML: `[[hooks.Event]]` with a matcher, then `[[hooks.Event.hooks]]`.

The standard parser keeps no positions, so a finding names the file only.
"""

import tomllib
from pathlib import Path

from ...catalog.model import Vendor
from ...errors import CompatError, ErrorCode, Where
from ..findings import from_error
from ..text_file import read_text
from .found import Found
from .walk import collect, group


def read(path: Path, vendor: Vendor) -> Found:
    """Read one file. Total."""
    where = Where(str(path))
    try:
        data = tomllib.loads(read_text(path))
    except CompatError as error:
        return Found(findings=(from_error(error, where),))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return Found(findings=(from_error(CompatError(ErrorCode.INVALID_FILE, f"no valid TOML: {error}"), where),))

    def place(*_: str | int) -> Where:
        return where

    return collect(data, place, vendor, group, ())
