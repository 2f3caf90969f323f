"""Names what the vendors' newest packages have and the catalog does not know: events, and fields that hooks are sent.

A list that cannot be found, or that is empty, is an error of its own: the watcher must not go blind unnoticed.
"""

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.model import Row, Vendor
from scripts.oracles.fetch import FetchError, fetch, newest

DATA = Path(__file__).with_name("watched.yaml")
FOUND, BLIND = 1, 2  # exit codes
_MEMBER = re.compile(r"^    (\w+)\??:", re.MULTILINE)


class BlindError(Exception):
    """What is watched is not where it was, so nothing can be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One published list; see `watched.yaml`."""

    vendor: str
    package: str
    file: str
    item: str
    suffix: str = ""  # of the version, where it names a platform
    begin: str = ""
    end: str = r"\Z"
    spelling: Literal["as-is", "pascal"] = "as-is"
    complete: bool = False
    unlisted: Mapping[str, str] = field(default_factory=dict)
    beyond: Mapping[str, str] = field(default_factory=dict)
    fields: str | None = None  # finds an event and the body of the type of what its hooks are sent


def watched() -> list[Watched]:
    """Every list that is watched."""
    data: list[dict[str, Any]] = yaml.safe_load(DATA.read_text("utf-8"))
    return [Watched(**entry) for entry in data]


def main(_: Sequence[str] | None = None) -> int:
    """Fetch the newest packages and compare: exit 0 when all is known, 1 with findings, 2 when a list was not found."""
    catalog = Catalog.load()
    code = 0
    with tempfile.TemporaryDirectory(prefix="watched-") as folder:
        for one in watched():
            try:
                package = fetch(one.package, newest(one.package) + one.suffix, None, Path(folder))
                findings = list(compare(one, package, catalog))
            except (BlindError, FetchError) as error:
                print(f"{one.vendor}: {error}")
                code = BLIND
                continue
            for finding in findings:
                print(f"{one.vendor}: {finding}")
            print(f"{one.vendor}: {one.package}, {len(findings)} beyond the catalog")
            code = max(code, FOUND if findings else 0)
    return code


def compare(one: Watched, package: Path, catalog: Catalog) -> Iterator[str]:
    """What the package says and the catalog does not. Raises BlindError when the list is not there."""
    text = _text(one, package)
    names = _names(one, text)
    vendor = catalog.vendor(one.vendor)
    known = {name: row for row in vendor.rows.values() for name in (row.event, *row.spellings)}
    for name in sorted(names - known.keys() - one.beyond.keys()):
        yield f"the event {name} stands in {one.file} and has no row"
    if one.complete:
        for name in sorted(set(vendor.rows) - names - one.unlisted.keys()):
            yield f"the event {name} has a row and stands no longer in {one.file}"
    if one.fields is not None:
        yield from _fields(one, text, vendor, known)


def _text(one: Watched, package: Path) -> str:
    path = package / one.file
    try:
        return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        raise BlindError(f"{one.package} has no file {one.file}; look where its list of events is now") from None


def _names(one: Watched, text: str) -> set[str]:
    found = re.search(f"{one.begin}(.*?){one.end}", text, re.DOTALL | re.MULTILINE) if one.begin else None
    if one.begin and found is None:
        raise BlindError(f"{one.file} of {one.package} has no list that begins with {one.begin!r}")
    names = set(re.findall(one.item, found[1] if found else text, re.MULTILINE))
    if not names:
        raise BlindError(f"the list of events in {one.file} of {one.package} is empty")
    return {_pascal(name) for name in names} if one.spelling == "pascal" else names


def _pascal(name: str) -> str:
    return "".join(part.capitalize() for part in name.split("-"))


def _fields(one: Watched, text: str, vendor: Vendor, known: Mapping[str, Row]) -> Iterator[str]:
    """The members of the types that hooks are sent which neither a payload nor a listed loss of the row names."""
    types = re.findall(one.fields or "", text, re.DOTALL | re.MULTILINE)
    if not types:
        raise BlindError(f"{one.file} of {one.package} has no type of what a hook is sent")
    for event, body in types:
        if (row := known.get(event)) is None or row.plan is None:
            continue  # what is never mounted is never sent
        said = _said(vendor, row)
        for name in _MEMBER.findall(body):
            if name not in said:
                yield f"{event} sends {name}, which no payload and no listed loss of the row names"


def _said(vendor: Vendor, row: Row) -> set[str]:
    plans = [plan for plan in (row.plan, row.native_plan) if plan is not None]
    members = {name.partition(".")[0] for plan in plans for name in (*plan.payload, *vendor.dialect.common["default"])}
    sentences = [loss.loss for plan in plans for loss in plan.degradations]
    return members | {word for sentence in sentences for word in re.findall(r"\w+", sentence)}
