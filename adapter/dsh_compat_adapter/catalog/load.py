"""Reads the compiled `catalog.json` into frozen values; the only reader of that file.

The file is generated and drift-tested, so its shape is trusted here; nothing is validated twice.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import CompatError, ErrorCode, nearest, shown
from ..events import Canonical, Capability, Effect, Route
from .loss import Degradation, LossKind
from .model import (
    Bridge,
    Checked,
    ConfigFile,
    DecisionDialect,
    Dialect,
    ExecForm,
    Failure,
    HandlerDialect,
    HookPoint,
    MatcherDialect,
    Payload,
    PayloadField,
    Plan,
    Row,
    Setting,
    Spelling,
    Tool,
    Vendor,
    When,
)
from .rules import Imports, RulesFile, RulesSetting, UnreadRules
from .surface import Seam, Surface

FILE = Path(__file__).with_name("catalog.json")
NATIVE = "native"  # this project's own dialect: no vendor, not in the matrix

Data = dict[str, Any]  # generated JSON, drift-tested against the models


NO_RULES: Mapping[str, list[Data]] = {"files": [], "unread": [], "settings": []}


class Catalog:
    """Lookups over the compiled catalog. Immutable after construction, so that adapters may share one."""

    def __init__(self, data: Data) -> None:
        self._sentences: Data = data["losses"]
        self.losses: Mapping[str, LossKind] = {code: _loss(code, entry) for code, entry in data["losses"].items()}
        self.surfaces: Mapping[str, Surface] = {key: _surface(entry) for key, entry in data["surfaces"].items()}
        self._points = data["points"]
        dialects = {
            name: self._vendor(entry, data["rules"].get(name, NO_RULES)) for name, entry in data["vendors"].items()
        }
        self.native: Vendor = dialects.pop(NATIVE)
        self.vendors: Mapping[str, Vendor] = dialects

    @classmethod
    def load(cls, path: Path = FILE) -> "Catalog":
        """Read the compiled file, by default the one in this package."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def vendor(self, name: object) -> Vendor:
        """The vendor of a name or alias; raises UNKNOWN_VENDOR, there is no fallback."""
        if not isinstance(name, str):
            raise CompatError(ErrorCode.UNKNOWN_VENDOR, f"vendor must be a name, found {shown(name)}")
        if name in self.vendors:
            return self.vendors[name]
        if name == NATIVE:
            return self.native
        for vendor in self.vendors.values():
            if name in vendor.aliases:
                return vendor
        raise CompatError(
            ErrorCode.UNKNOWN_VENDOR,
            f"unknown vendor {shown(name)}.{nearest(name, self.vendors)} Known: {', '.join(self.vendors)}.",
        )

    def row(self, vendor: Vendor, event: object) -> Row:
        """The row of an event by any accepted spelling; raises UNKNOWN_EVENT with the nearest name."""
        if not isinstance(event, str):
            raise CompatError(ErrorCode.UNKNOWN_EVENT, f"event must be a name, found {shown(event)}")
        if event in vendor.rows:
            return vendor.rows[event]
        for row in vendor.rows.values():
            if event in row.spellings:
                return row
        known = [*vendor.rows, *(name for row in vendor.rows.values() for name in row.spellings)]
        raise CompatError(
            ErrorCode.UNKNOWN_EVENT,
            f"{vendor.title} has no event {shown(event)}.{nearest(event, known)} "
            f"`dsh-compat matrix` lists the events of {vendor.name}.",
        )

    def loss(self, code: str, **fields: str) -> Degradation:
        """A loss that a host causes by what it lacks, rather than a row; the surface is its evidence."""
        return self._degradation(code, "surface:services", **fields)

    def _vendor(self, entry: Data, rules: Data) -> Vendor:
        everywhere = entry["everywhere"]
        dialect = _dialect(entry["dialect"])
        return Vendor(
            name=entry["vendor"],
            title=entry["title"],
            aliases=tuple(entry["aliases"]),
            bridge=_bridge(entry),
            dialect=dialect,
            tools=tuple(
                Tool(tool["name"], tool["host"], tuple(tool["aliases"]), tool["arguments"]) for tool in entry["tools"]
            ),
            other_tools=tuple(entry["other_tools"]),
            tool_pattern=entry["tool_pattern"],
            uncalled_tools=tuple(entry["uncalled_tools"]),
            config=tuple(ConfigFile(**_tuples(file)) for file in entry["config"]),
            plugin_objects=entry["plugin_objects"],
            plugin_in_place=tuple(entry["plugin_in_place"]),
            plugin_apis=entry["plugin_apis"],
            beside_events=tuple(entry["beside_events"]),
            reads_comments=entry["reads_comments"],
            settings=tuple(Setting(**_tuples(setting)) for setting in entry["settings"]),
            rules=tuple(self._rules_file(file) for file in rules["files"]),
            unread_rules=tuple(UnreadRules(**place) for place in rules["unread"]),
            rules_settings=tuple(RulesSetting(**setting) for setting in rules["settings"]),
            everywhere=self._losses(everywhere),
            rows={
                name: self._row(entry, name, event, dialect.decision, everywhere)
                for name, event in entry["events"].items()
            },
            facts={fact["id"]: f"{fact['says']} ({fact['source']})" for fact in entry["facts"]},
        )

    def _rules_file(self, entry: Data) -> RulesFile:
        imports = entry["imports"]
        read = {
            "imports": imports and Imports(**_tuples(imports)),
            "degradations": self._losses(entry["degradations"]),
        }
        return RulesFile(**_tuples(entry) | read)

    def _row(self, vendor: Data, name: str, event: Data, decision: DecisionDialect, everywhere: list[Data]) -> Row:
        failure = event["on_failure"] or vendor["dialect"]["on_failure"]
        return Row(
            vendor=vendor["vendor"],
            event=name,
            capability=Capability(event["capability"]),
            baseline=event["baseline"],
            plan=self._plan(event, event["route"], everywhere) if event["route"] else None,
            native_plan=self._native_plan(event, everywhere),
            reason=self._losses([event["reason"]])[0] if event["reason"] else None,
            canonical=Canonical(event["canonical"]) if event["canonical"] else None,
            point=self._point(vendor["vendor"], name, event["canonical"]),
            subject=event["subject"],
            subject_const=event["subject_const"],
            subject_values=tuple(event["subject_values"]),
            matcher=event["matcher"],
            omit=frozenset(event["omit"]),
            stdout_context=event["stdout_context"],
            stdout_of_failure=event["stdout_of_failure"],
            stdout_fails=event["stdout_fails"],
            voids_file=event["voids_file"],
            exit_2=event["exit_2"],
            decision=decision._replace(**_said(event["decision"])) if event["decision"] else decision,
            offers=frozenset(map(Effect, event["offers"])),
            timeout_s=event["timeout_s"] or vendor["dialect"]["timeout_s"],
            on_failure=Failure(**failure),
            chain_ends=event["chain_ends"],
            spellings={
                key: Spelling(_payload(spelling["payload"]), spelling["common"], spelling["matcher"])
                for key, spelling in event["spellings"].items()
            },
            since=event["since"],
            checked=Checked(**event["checked"]),
        )

    def _point(self, vendor: str, event: str, canonical: str | None) -> HookPoint | None:
        for name, point in self._points.items():
            if canonical in point["canonical"] or event in point["events"].get(vendor, ()):
                return HookPoint(name, point["strict"])
        return None

    def _plan(self, event: Data, route: str, everywhere: list[Data]) -> Plan:
        return Plan(
            route=Route(route),
            seams=tuple(event["seams"]),
            when=_when(event["when"]),
            payload=_payload(event["payload"]),
            feedback=event["feedback"],
            stops_at=event["stops_at"],
            honours=frozenset(map(Effect, event["honours"])),
            degradations=self._losses([*event["degradations"], *everywhere]),
        )

    def _native_plan(self, event: Data, everywhere: list[Data]) -> Plan | None:
        if (native := event["native"]) is None:
            return None
        # what the native block leaves out is as in the row
        merged = event | _said(native)
        return self._plan(merged, Route.NATIVE_TRANSLATE, everywhere)

    def _losses(self, entries: Iterable[Data]) -> tuple[Degradation, ...]:
        return tuple(self._degradation(**entry) for entry in entries)

    def _degradation(self, code: str, evidence: str, **fields: str) -> Degradation:
        loss = self._sentences[code]
        return Degradation(
            code=code,
            loss=loss["en"].format_map(fields),
            loss_zh=loss["zh"].format_map(fields),
            evidence=evidence,
            trigger=loss["trigger"],
            field=fields.get("field"),
        )


def _said(entry: Data) -> Data:
    return {key: value for key, value in entry.items() if value is not None}


def _loss(code: str, entry: Data) -> LossKind:
    means, remedy = entry["means"], entry["remedy"] or {"en": None, "zh": None}
    return LossKind(code, means["en"], means["zh"], remedy["en"], remedy["zh"])


def _payload(entries: Data) -> Payload:
    return {name: _field(entry) for name, entry in entries.items()}


def _field(entry: str | Data) -> PayloadField:
    if isinstance(entry, str):
        return PayloadField(entry, None, None, {})
    return PayloadField(entry["path"], entry["const"], entry["encode"], entry["map"] or {})


def _when(entries: Data) -> When:
    return {path: tuple(value) if isinstance(value, list) else (value,) for path, value in entries.items()}


def _dialect(entry: Data) -> Dialect:
    return Dialect(
        matchers={
            name: MatcherDialect(**matcher | {"match_all": tuple(matcher["match_all"])})
            for name, matcher in entry["matchers"].items()
        },
        stdin_newline=entry["stdin"]["newline"],
        common={"default": _payload(entry["common"]), "alternate": _payload(entry["common_alternate"])},
        decision=DecisionDialect(**_tuples(entry["decision"])),
        handlers=_handlers(entry["handlers"]),
        environment=entry["environment"],
        plugin_root=tuple(entry["plugin_root"]),
        placeholders=entry["placeholders"],
        replaces=tuple(entry["replaces"]),
        expected_variables=entry["expected_variables"],
        matchers_ignored_by=entry["matchers_ignored_by"],
        windows_shell=entry["windows_shell"],
        starts_in=entry["starts_in"],
        concurrency=entry["concurrency"],
        deduplicates=entry["deduplicates"],
    )


def _handlers(entry: Data) -> HandlerDialect:
    form = entry["exec_form"]
    return HandlerDialect(**_tuples(entry) | {"exec_form": form and ExecForm(**form)})


def _bridge(entry: Data) -> Bridge | None:
    if (bridge := entry["bridge"]) is None:
        return None
    habits = {key: bridge[key] for key in ("matchers", "decision", "stdin", "environment")}
    return Bridge(
        package=bridge["package"],
        dialect=_dialect(entry["dialect"] | habits),
        on_failure=Failure(**bridge["on_failure"]),
        refuses=tuple(bridge["refuses"]),
    )


def _surface(entry: Data) -> Surface:
    common = entry["fields"]
    return Surface(
        host=entry["host"],
        version=entry["version"],
        title=entry["title"],
        services=frozenset(entry["services"]),
        tools=tuple(entry["tools"]),
        sends={path: tuple(values) for path, values in entry["sends"].items()},
        caller_sends=entry["caller_sends"],
        seams={
            name: Seam(seam["name"], seam["kind"], seam["decision"], (*common, *seam["fields"]))
            for name, seam in entry["seams"].items()
        },
        limits={limit["id"]: f"{limit['says']} ({limit['source']})" for limit in entry["limits"]},
    )


def _tuples(entry: Data) -> Data:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}
