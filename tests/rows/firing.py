"""Whether the hook of a row ran exactly when the row says, and read exactly what the host had."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from dsh_compat_adapter.catalog.model import PayloadField, Vendor
from tests.rows.cases import Case
from tests.rows.recorder import Performance, value_at
from tests.rows.tour import Seen

MOMENTS = Path(__file__).with_name("moments.yaml")


def complaints(played: Performance, moments: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """What is wrong about a whole tour with a silent hook; `moments` are those of the vendor's rows."""
    case, occurrences = played.case, played.occurrences
    found = dict(Counter(seen.chapter for seen in occurrences))
    if found != moments.get(case.key):
        yield f"the row means other moments than moments.yaml says: {found}"
    if not occurrences:
        yield f"nothing that the host does is what the row means: {case.plan.seams} {dict(case.plan.when)}"
    if len(played.runs) != len(occurrences):
        yield f"the hook ran {len(played.runs)} times for {len(occurrences)} events that the row means"
        return
    for payload, seen in zip(played.payloads, occurrences, strict=True):
        wanted = expected(case, seen)
        if payload != wanted:
            yield f"in the chapter {seen.chapter!r} the hook read {payload}, and the host had {wanted}"
            break
    for name in promised(case):
        if not any(_has(payload, name.split(".")) for payload in played.payloads):
            yield f"the field {name!r} of the payload never came"


def moments() -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    """Vendor -> row -> how often its hook runs in which chapter of the tour."""
    loaded: Mapping[str, Mapping[str, Mapping[str, int]]] = yaml.safe_load(MOMENTS.read_text(encoding="utf-8"))
    return loaded


def promised(case: Case) -> Mapping[str, PayloadField]:
    """The fields of the payload under the name of the event that the hook was registered for."""
    other = case.row.spellings.get(case.spelling)
    common = case.vendor.dialect.common[other.common if other else "default"]
    own = other.payload if other else case.plan.payload
    return {**{name: field for name, field in common.items() if name not in case.row.omit}, **own}


def expected(case: Case, seen: Seen) -> dict[str, Any]:
    """The payload of one event, from the values that the host told and the names that the vendor's data has."""
    payload: dict[str, Any] = {}
    for name, field in promised(case).items():
        value = field.const if field.path is None else _told(case, seen.values, field)
        if value is not ...:
            *outer, last = name.split(".")
            place = payload
            for one in outer:
                place = place.setdefault(one, {})
            place[last] = value
    return payload


CALL = ("tool.name", "tool.alias", "tool.arguments")


def plain(value: object) -> Any:
    """A value of the host as JSON."""
    return json.loads(json.dumps(value, default=dict))


def vendor_call(vendor: Vendor, values: Mapping[str, object]) -> tuple[object, object, object]:
    """The name, the first alias and the arguments of a tool call as the vendor calls them."""
    if "tool.host_name" not in values:
        return ..., ..., ...
    name, arguments = values["tool.host_name"], plain(values["tool.host_arguments"])
    for tool in vendor.tools:
        if tool.host == name:
            for own, host in tool.arguments.items():
                if host in arguments:
                    arguments[own] = arguments.pop(host)
            return tool.name, next(iter(tool.aliases), tool.name), arguments
    return name, name, arguments


def _told(case: Case, values: Mapping[str, object], field: PayloadField) -> Any:
    assert field.path is not None
    if field.path == "event.name":
        value: object = case.spelling
    elif field.path in CALL:
        value = vendor_call(case.vendor, values)[CALL.index(field.path)]
    else:
        value = value_at(values, field.path)
    if value is ...:
        return ...
    if field.encode == "json-string":
        return json.dumps(plain(value), separators=(",", ":"))
    return field.map.get(value, value) if isinstance(value, str) else plain(value)


def _has(payload: Any, names: list[str]) -> bool:
    for name in names:
        if not isinstance(payload, dict) or name not in payload:
            return False
        payload = payload[name]
    return True
