"""Fetches the package of an engine with npm and unpacks it. Nothing of it is installed and no script of it runs."""

import base64
import hashlib
import subprocess
import tarfile
from pathlib import Path

FETCH_S = 900


class FetchError(Exception):
    """A package that npm did not give, or gave with other bytes than were pinned."""


def fetch(package: str, version: str, integrity: str | None, folder: Path) -> Path:
    """The unpacked package, below `folder`; what is there already is used again.

    Without `integrity` the bytes are not compared with a pin (npm itself compares them with the registry's).
    """
    name = f"{package}-{version}".replace("@", "").replace("/", "-")
    place = folder / name
    if (place / "package").is_dir():
        return place / "package"
    place.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(place), f"{package}@{version}"],  # noqa: S607 - npm is where the user has it
        capture_output=True,
        text=True,
        timeout=FETCH_S,
        check=False,
    )
    archives = sorted(place.glob("*.tgz"))
    if done.returncode != 0 or not archives:
        raise FetchError(f"npm pack {package}@{version} failed: {done.stderr.strip()[-400:]}")
    if integrity is not None and _sha512(archives[0]) != integrity:
        raise FetchError(f"{package}@{version} is not what was pinned: {_sha512(archives[0])}, expected {integrity}")
    with tarfile.open(archives[0]) as archive:
        archive.extractall(place, filter="data")
    archives[0].unlink()
    return place / "package"


def newest(package: str) -> str:
    """The version that npm gives without one."""
    done = subprocess.run(
        ["npm", "view", package, "version"],  # noqa: S607 - npm is where the user has it
        capture_output=True,
        text=True,
        timeout=FETCH_S,
        check=False,
    )
    if done.returncode != 0 or not done.stdout.strip():
        raise FetchError(f"npm view {package} failed: {done.stderr.strip()[-400:]}")
    return done.stdout.strip()


def _sha512(path: Path) -> str:
    with path.open("rb") as file:
        return "sha512-" + base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode("ascii")
