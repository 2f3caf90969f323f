"""Writes a bundle as a directory that DSH loads: as a patch, as an installed plugin, or through its Python SDK.

The directory appears whole or not at all, and the same bundle always has the same bytes. Nothing else is touched.
"""

import ctypes
import errno
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from ...catalog.load import Catalog
from ...errors import CompatError, ErrorCode
from .bridges import row_id, settings
from .bundle import MANIFEST, Bundle

PATCH = "cordis.patch.yml"
CONNECTOR = "connector.mjs"
PACKAGE = "dsh-compat-bundle"
MARK = "dshCompatBundle"  # in package.json: this directory is ours to replace
SHELL = "@deepseek-ai/dsh-bash-local"
CONNECT = ("-P", "-m", "dsh_compat_adapter", "connect")
AT_FDCWD, RENAME_EXCHANGE = -100, 2  # linux/fs.h


def write(
    bundle: Bundle, directory: Path, catalog: Catalog, *, python: Sequence[str] = (), add_shell: bool = False
) -> Path:
    """Write the bundle and return the path of its patch.

    `python` starts an interpreter that has this package (by default this one); `add_shell` adds DSH's local shell, for
    a profile that has none. Raises INVALID_INPUT for a directory that holds anything but an earlier bundle, and for one
    that cannot be written.
    """
    target = Path(os.path.realpath(directory))
    _check(target)
    texts = _texts(bundle, target, catalog, list(python) or [sys.executable], add_shell=add_shell)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise _unwritable(target, error) from None
    try:
        for name, text in texts.items():
            (new / name).parent.mkdir(exist_ok=True)
            (new / name).write_text(text, encoding="utf-8")
        new.chmod(0o755)
        _replace(new, target)
    except OSError as error:
        raise _unwritable(target, error) from None
    finally:
        shutil.rmtree(new, ignore_errors=True)  # after an exchange this is the former bundle
    return target / PATCH


def _check(target: Path) -> None:
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise CompatError(ErrorCode.INVALID_INPUT, f"{target} is no folder; name another one with -o")
    try:
        ours = MARK in json.loads((target / "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, RecursionError):
        ours = False
    if not ours and any(target.iterdir()):
        message = f"{target} holds something else than a bundle and would be replaced; name an empty folder with -o"
        raise CompatError(ErrorCode.INVALID_INPUT, message)


def _texts(bundle: Bundle, target: Path, catalog: Catalog, python: list[str], *, add_shell: bool) -> dict[str, str]:
    """The files of the directory by name."""
    package = {
        "name": PACKAGE,
        "version": "1.0.0",
        "private": True,
        "type": "module",
        "main": CONNECTOR,
        "dsh": {"bundle": {"patch": PATCH}},
        MARK: 1,
    }
    configs = {f"bridges/{vendor}.json": config for vendor, config in bundle.bridges.items()}
    return {
        "package.json": _json(package),
        PATCH: _patch(_rows(bundle, target, catalog, python, add_shell=add_shell)),
        CONNECTOR: files(__package__).joinpath(CONNECTOR).read_text(encoding="utf-8"),
        MANIFEST: bundle.manifest(),
        **{name: _json(config) for name, config in configs.items()},
    }


def _rows(
    bundle: Bundle, target: Path, catalog: Catalog, python: list[str], *, add_shell: bool
) -> list[dict[str, object]]:
    seams = bundle.surface.seams
    needed = [
        {"seam": seam, "name": seams[seam].name, "kind": seams[seam].kind, "decision": seams[seam].decision}
        for seam in bundle.seams
    ]
    config: dict[str, object] = {"command": [*python, *CONNECT], "policy": bundle.policy.value, "seams": needed}
    rows: list[dict[str, object]] = [{"id": "compat-shell", "name": SHELL}] if add_shell else []
    rows.append({"id": "compat-adapter", "name": f"./{CONNECTOR}", "config": config})
    for name in bundle.bridges:
        vendor = catalog.vendor(name)
        assert vendor.bridge is not None  # grading gives the route only to vendors with one
        config = settings(vendor, target / "bridges" / f"{name}.json", bundle.project)
        rows.append({"id": row_id(name), "name": vendor.bridge.package, "config": config})
    return rows


def _patch(rows: Sequence[Mapping[str, object]]) -> str:
    """The patch. A row is one line of JSON, which is YAML as well."""
    lines = "".join(f"    - {json.dumps(row)}\n" for row in rows)
    return f"# made by `dsh-compat build`; build again instead of changing it\n- insert:\n{lines}"


def _json(data: object) -> str:
    return json.dumps(data, indent=2) + "\n"


def _replace(new: Path, target: Path) -> None:
    """Put the new directory in the place of the target, in one step where the system has one."""
    if not target.exists():
        new.rename(target)
        return
    if _exchange(new, target):
        return
    former = new.with_name(f"{new.name}.former")
    target.rename(former)
    new.rename(target)
    former.rename(new)  # removed by the caller


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two directories at once; false where the system or the file system cannot."""
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "renameat2"):
        return False
    if library.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in (errno.ENOSYS, errno.EINVAL):
        return False
    raise OSError(code, os.strerror(code), str(other))


def _unwritable(target: Path, error: OSError) -> CompatError:
    return CompatError(ErrorCode.INVALID_INPUT, f"{target} cannot be written: {error.strerror or error}")
