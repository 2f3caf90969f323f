"""Where facts go when nobody says it: below the user's state directory."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from ..errors import CompatError, ErrorCode

VARIABLE = "DSH_COMPAT_FACTS"  # a path, or `off`
OFF = "off"
FOLDER = "dsh-compat"
NAME = "facts.db"


def default_store(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The store that the environment names, or the user's; none when the environment switches facts off.

    Raises INVALID_INPUT for an account without a home, where nothing names a place.
    """
    named = environment.get(VARIABLE)
    if named:
        return None if named == OFF else Path(named).absolute()
    return _state_folder(environment) / FOLDER / NAME


def _state_folder(environment: Mapping[str, str]) -> Path:
    """Sources: the XDG base directory specification 0.8; the conventions of macOS and Windows."""
    if sys.platform == "win32":
        return Path(environment.get("LOCALAPPDATA") or _home(environment) / "AppData/Local")
    if sys.platform == "darwin":
        return _home(environment) / "Library/Application Support"
    named = Path(environment.get("XDG_STATE_HOME", ""))
    return named if named.is_absolute() else _home(environment) / ".local/state"  # a relative path counts as none


def _home(environment: Mapping[str, str]) -> Path:
    try:
        return Path(environment.get("HOME") or Path.home())
    except RuntimeError:
        text = f"this account has no home to keep facts in; name a place for them with --facts or {VARIABLE}"
        raise CompatError(ErrorCode.INVALID_INPUT, text) from None
