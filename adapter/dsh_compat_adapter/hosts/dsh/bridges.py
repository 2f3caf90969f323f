"""The official bridges of a running harness: rows of the bundle, and rows that are added while it runs."""

import json
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ...catalog.model import Vendor
from ...errors import CompatError, ErrorCode
from ...routes.point import Unmount
from .calls import CallError, Calls

Config = Mapping[str, object]


def row_id(vendor: str, number: int = 0) -> str:
    """The id of a bridge's row: the bundle has number 0."""
    return f"compat-bridge-{vendor}" + (f"-{number}" if number else "")


def settings(vendor: Vendor, file: Path, project: str) -> dict[str, object]:
    """The configuration of a bridge's row."""
    assert vendor.bridge is not None  # grading gives the route only to vendors with one
    tells_project = "session.project_dir" in vendor.bridge.dialect.environment.values()
    return {"configPath": str(file), **({"projectDir": project} if tells_project else {})}


class Bridges:
    """Mounts bridges on one harness; what it writes for them is gone when they are."""

    def __init__(self, calls: Calls, project: str, standing: Mapping[str, Config]) -> None:
        """`standing` are the configurations in the bundle's rows, by vendor."""
        self._calls = calls
        self._project = project
        self._standing = standing
        self._number = 0

    async def mount(self, vendor: Vendor, config: Config) -> Unmount:
        """Have the vendor's bridge run a configuration; raises INVALID_DECLARATION when the harness refuses."""
        if self._standing.get(vendor.name) == config:
            return self._unmount(row_id(vendor.name), None)
        assert vendor.bridge is not None  # as above
        self._number += 1
        row = row_id(vendor.name, self._number)
        folder = Path(tempfile.mkdtemp(prefix="dsh-compat-bridge-"))
        file = folder / "hooks.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        args = {"id": row, "package": vendor.bridge.package, "config": settings(vendor, file, self._project)}
        try:
            await self._calls.call("mount_bridge", args)
        except BaseException as error:
            shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, CallError):
                message = f"the official bridge of {vendor.title} cannot be mounted: {error}; declare bridge: native"
                raise CompatError(ErrorCode.INVALID_DECLARATION, message) from None
            raise
        return self._unmount(row, folder)

    def _unmount(self, row: str, folder: Path | None) -> Unmount:
        async def unmount() -> None:
            # a harness that is gone has taken its bridges along
            with suppress(CallError):
                await self._calls.call("unmount_bridge", {"id": row})
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)

        return unmount
