"""Names events, fields and handler options of the vendors' newest packages that the catalog does not know.

A list that cannot be found, or that is empty, is an error of its own: the watcher must not go blind unnoticed.
"""

import json
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.model import Row, Vendor
from scripts.oracles.fetch import FetchError, fetch, newest

DATA = Path(__file__).with_name("watched.yaml")
FOUND, BLIND = 1, 2  # exit codes
SCHEMA = '{\n  "$schema"'  # how each JSON schema begins
FLAGS = re.DOTALL | re.MULTILINE
HANDLER = {"type", "command", "timeout"}  # what every handler has
SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "as-is": lambda name: name,
    "kebab": lambda name: "".join(part.capitalize() for part in name.split("-")),  # of an event in pascal case
    "pascal": lambda name: name[:1].lower() + name[1:],  # of an event in camel case
}


class BlindError(Exception):
    """What is watched is not where it was, so nothing can be said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One published list; see `watched.yaml`."""

    of: Literal["events", "fields", "options", "numbers"]
    file: str
    item: str | None = None
    begin: str = ""
    end: str = r"\Z"
    spelling: Literal["as-is", "kebab", "pascal"] = "as-is"
    complete: bool = False
    unlisted: Mapping[str, str] = field(default_factory=dict)
    beyond: Mapping[str, str] = field(default_factory=dict)
    type: str = ""
    base: str = ""
    numbers: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What one vendor publishes."""

    vendor: str
    package: str
    suffix: str = ""  # of the version, where it names a platform
    lists: tuple[Listed, ...]


def watched() -> list[Watched]:
    """Everything that is watched."""
    data: list[dict[str, Any]] = yaml.safe_load(DATA.read_text("utf-8"))
    return [Watched(**{**entry, "lists": tuple(Listed(**one) for one in entry["lists"])}) for entry in data]


def main() -> int:
    """Fetch the newest packages and compare: exit 0 when all is known, 1 with findings, 2 when a list was not found."""
    catalog = Catalog.load()
    code = 0
    with tempfile.TemporaryDirectory(prefix="watched-") as folder:
        for one in watched():
            try:
                version = newest(one.package) + one.suffix
                package = fetch(one.package, version, None, Path(folder))
                findings = list(compare(one, package, catalog))
            except (BlindError, FetchError) as error:
                print(f"{one.vendor}: {error}")
                code = BLIND
                continue
            for finding in findings:
                print(f"{one.vendor}: {finding}")
            print(f"{one.vendor}: {one.package}@{version}, {len(findings)} beyond the catalog")
            code = max(code, FOUND if findings else 0)
    return code


def compare(one: Watched, package: Path, catalog: Catalog) -> Iterator[str]:
    """What the package says and the catalog does not. Raises BlindError when a list is not there."""
    vendor = catalog.vendor(one.vendor)
    known = {name: row for row in vendor.rows.values() for name in (row.event, *row.spellings)}
    for listed in one.lists:
        where = f"{listed.file} of {one.package}"
        text = _part(listed, _text(listed, package, where), where)
        match listed.of:
            case "events":
                yield from _events(listed, _names(listed, text, where), vendor, known)
            case "fields":
                yield from _fields(listed, text, where, vendor, known)
            case "options":
                for name in sorted(_names(listed, text, where) - _options(vendor) - listed.beyond.keys()):
                    yield f"the handler option {name} stands in {listed.file}, and the dialect does not name it"
            case "numbers":
                yield from _numbers(listed, text, where)


def _text(listed: Listed, package: Path, where: str) -> str:
    try:
        return (package / listed.file).read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")
    except OSError:
        raise BlindError(f"there is no {where}; look where its {listed.of} are now") from None


def _part(listed: Listed, text: str, where: str) -> str:
    if not listed.begin:
        return text
    if (found := re.search(f"{listed.begin}(.*?){listed.end}", text, FLAGS)) is None:
        raise BlindError(f"{where} has nothing that begins with {listed.begin!r}")
    return found[1]


def _names(listed: Listed, text: str, where: str) -> set[str]:
    names = set(re.findall(listed.item or "", text, re.MULTILINE))
    if not names:
        raise BlindError(f"the list of {listed.of} in {where} is empty")
    return set(map(SPELLINGS[listed.spelling], names))


def _events(listed: Listed, names: set[str], vendor: Vendor, known: Mapping[str, Row]) -> Iterator[str]:
    for name in sorted(names - known.keys() - listed.beyond.keys()):
        yield f"the event {name} stands in {listed.file} and has no row"
    if listed.complete:
        for name in sorted(set(vendor.rows) - names - listed.unlisted.keys()):
            yield f"the event {name} has a row and stands no longer in {listed.file}"


def _fields(listed: Listed, text: str, where: str, vendor: Vendor, known: Mapping[str, Row]) -> Iterator[str]:
    """The members of what hooks are sent which neither a payload nor a listed loss of the row names."""
    said = {name: _said(vendor, row) for name, row in known.items() if row.plan is not None}
    for event, members in _types(listed, text, where).items():
        if event in said:  # what is never mounted is never sent
            for name in sorted(members - said[event] - listed.beyond.keys()):
                yield f"{event} sends {name}, which no payload and no listed loss of the row names"
    if listed.base:
        if not (base := re.findall(listed.base, text, FLAGS)):
            raise BlindError(f"{where} has no type of what all hooks are sent")
        members = set(re.findall(listed.item or "", base[0], re.MULTILINE))
        for name in sorted(members - set().union(*said.values()) - listed.beyond.keys()):
            yield f"every event sends {name}, which no row names"


def _types(listed: Listed, text: str, where: str) -> Mapping[str, set[str]]:
    spelled = SPELLINGS[listed.spelling]
    if listed.item is not None:
        types = re.findall(listed.type, text, FLAGS)
        found = {spelled(name): set(re.findall(listed.item, body, re.MULTILINE)) for name, body in types}
    else:
        titles = re.finditer(listed.type, text)
        found = {spelled(title[1]): _properties(text, title.start(), where) for title in titles}
    if not any(found.values()):
        raise BlindError(f"{where} has no type of what a hook is sent, or none with a member")
    return found


def _properties(text: str, title: int, where: str) -> set[str]:
    """The properties of the JSON schema in which the title stands."""
    try:
        schema, _ = json.JSONDecoder().raw_decode(text, text.rindex(SCHEMA, 0, title))
        return set(schema["properties"])
    except (ValueError, KeyError, TypeError):
        raise BlindError(f"the schema in {where} at {title} cannot be read") from None


def _numbers(listed: Listed, text: str, where: str) -> Iterator[str]:
    for pattern, expected in listed.numbers.items():
        if (found := re.search(pattern, text)) is None:
            raise BlindError(f"{where} has nothing like {pattern!r}")
        if int(found[1]) != expected:
            yield f"{found[0]!r} stands in {listed.file}; when somebody last looked it was {expected}"


def _said(vendor: Vendor, row: Row) -> set[str]:
    plans = [plan for plan in (row.plan, row.native_plan) if plan is not None]
    payloads = [*[plan.payload for plan in plans], *[spelling.payload for spelling in row.spellings.values()]]
    sent = [*payloads, *vendor.dialect.common.values()]
    members = {part for payload in sent for name in payload for part in name.split(".")}
    sentences = [loss.loss for plan in plans for loss in plan.degradations]
    return members | {word for sentence in sentences for word in re.findall(r"\w+", sentence)}


def _options(vendor: Vendor) -> set[str]:
    handlers = vendor.dialect.handlers
    form = (handlers.exec_form.program, handlers.exec_form.arguments) if handlers.exec_form else ()
    keys = (*handlers.command_keys, *handlers.windows_command_keys, *handlers.timeout_keys, *form)
    return {*handlers.options, *keys, *HANDLER}
