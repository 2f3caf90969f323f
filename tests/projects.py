"""Projects on disk for tests: files by their path, and the short forms of what stands in them."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.model import Vendor
from dsh_compat_adapter.catalog.surface import Surface

CATALOG = Catalog.load()
SURFACE: Surface = CATALOG.surfaces["embedded-0.1"]
BOM = b"\xef\xbb\xbf"
# each example writes over the file of the one before
on_disk = settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])


def vendor(name: str) -> Vendor:
    """A vendor of the catalog, or this project's own dialect."""
    return CATALOG.native if name == "native" else CATALOG.vendor(name)


def project(root: Path, files: Mapping[str, object]) -> Path:
    """Write files: bytes and texts as they are, anything else as JSON."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8", newline="")
    return root


def command(text: str = "true", /, **more: object) -> dict[str, Any]:
    """A command handler."""
    return {"type": "command", "command": text, **more}


def grouped(event: str, *handlers: object, **group: object) -> dict[str, Any]:
    """Settings in the grouped shape, with one group."""
    return {"hooks": {event: [{**group, "hooks": list(handlers)}]}}


def unreadable(path: Path) -> Path:
    """A regular file that nobody can read, not even root: its first byte is no memory of this process."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/proc/self/mem")
    return path


def fifo(path: Path) -> Path:
    """A pipe with a name; whoever opens it to read waits for ever."""
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    return path


NOBODY = 65534
UNKNOWN = 54321  # an account in no list of accounts, as containers and services have


def without_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """Be an account that has no home folder, and nothing in the environment that names a place."""
    for name in ("HOME", "XDG_STATE_HOME", "DSH_COMPAT_FACTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: UNKNOWN)


@contextmanager
def as_nobody(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Works in a folder without the rights of root, whom no mode keeps out; paths are to be relative to it."""
    monkeypatch.chdir(folder)
    if os.geteuid() != 0:
        yield
        return
    folder.chmod(0o755)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
