"""What people write (`authoring.models*`) and what runs (`catalog.model`) have the same fields, or a reason is listed.

A field that is written and never read would be a promise that nobody keeps.
"""

from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from dsh_compat_adapter.catalog import loss, model, rules, surface
from dsh_compat_adapter.catalog.authoring import models, models_dialect, models_rules, models_surface, models_vendor
from dsh_compat_adapter.declare.readers import SHAPES
from dsh_compat_adapter.events import Capability

PAIRS: dict[type[BaseModel], Any] = {
    models_dialect.Bridge: model.Bridge,
    models.Checked: model.Checked,
    models_vendor.ConfigFile: model.ConfigFile,
    models_dialect.Decision: model.DecisionDialect,
    models.Degradation: loss.Degradation,
    models_dialect.Dialect: model.Dialect,
    models_vendor.Event: model.Row,
    models_dialect.Failure: model.Failure,
    models_dialect.ExecForm: model.ExecForm,
    models_dialect.Handlers: model.HandlerDialect,
    models.HookPoint: model.HookPoint,
    models.Loss: loss.LossKind,
    models_dialect.Matcher: model.MatcherDialect,
    models_vendor.Native: model.Plan,
    models_dialect.PayloadField: model.PayloadField,
    models_rules.Imports: rules.Imports,
    models_rules.RulesFile: rules.RulesFile,
    models_rules.RulesSetting: rules.RulesSetting,
    models_surface.Seam: surface.Seam,
    models_vendor.Spelling: model.Spelling,
    models_surface.Surface: surface.Surface,
    models_vendor.Setting: model.Setting,
    models_vendor.Tool: model.Tool,
    models_rules.UnreadRules: rules.UnreadRules,
    models_vendor.Vendor: model.Vendor,
}
# models without a value of their own on the running side
FOLDED = {
    models_dialect.DecisionHere: "Row.decision, over the decision of the dialect",
    models.Bilingual: "`en` and `zh` of LossKind (means, remedy)",
    models.Fact: "Vendor.facts: id -> statement (source)",
    models_surface.Limit: "Surface.limits: id -> statement (source)",
    models_rules.Rules: "its files are Vendor.rules, its unread places Vendor.unread_rules, its settings Vendor.rules_settings",
    models_dialect.Stdin: "Dialect.stdin_newline",
}
WRITTEN_ONLY = {
    "Bridge.decision": "in place of the vendor's in Bridge.dialect",
    "Bridge.environment": "in place of the vendor's in Bridge.dialect",
    "Bridge.matchers": "in place of the vendor's in Bridge.dialect",
    "Bridge.stdin": "in place of the vendor's in Bridge.dialect",
    "Dialect.common_alternate": "Dialect.common['alternate']",
    "Dialect.on_failure": "the default of Row.on_failure",
    "Dialect.stdin": "Dialect.stdin_newline",
    "Dialect.timeout_s": "the default of Row.timeout_s",
    "Event.degradations": "Plan.degradations",
    "Event.feedback": "Plan.feedback",
    "Event.honours": "Plan.honours",
    "Event.native": "Row.native_plan",
    "Event.payload": "Plan.payload",
    "Event.route": "Plan.route",
    "Event.seams": "Plan.seams",
    "Event.stops_at": "Plan.stops_at",
    "Event.when": "Plan.when",
    "HookPoint.canonical": "Row.point",
    "HookPoint.events": "Row.point",
    "Loss.en": "Degradation.loss, filled",
    "Loss.partial": "only the linter of effects needs it",
    "Loss.trigger": "Degradation.trigger",
    "Loss.zh": "Degradation.loss_zh, filled",
    "Surface.checked": "for the reader of the file",
    "Surface.fields": "part of the fields of each seam",
    "Surface.session_events": "only the linter of paths needs it",
    "Vendor.events": "Vendor.rows",
    "Vendor.vendor": "Vendor.name",
}
RUNNING_ONLY = {
    "Bridge.dialect": "the vendor's, with decision, stdin and environment of the bridge",
    "Degradation.field": "one of the further keys",
    "Degradation.loss": "Loss.en, filled",
    "Degradation.loss_zh": "Loss.zh, filled",
    "Degradation.trigger": "Loss.trigger",
    "Dialect.stdin_newline": "Dialect.stdin.newline",
    "HookPoint.name": "the key of the point",
    "LossKind.code": "the key of the loss",
    "LossKind.means_zh": "Loss.means.zh",
    "LossKind.remedy_zh": "Loss.remedy.zh",
    "Plan.route": "Event.route; a native plan always translates",
    "Row.event": "the key of the event",
    "Row.native_plan": "Event.native",
    "Row.point": "HookPoint.canonical and events",
    "Row.plan": "Event.route, seams, when, payload, honours, degradations",
    "Row.vendor": "Vendor.vendor",
    "Vendor.name": "Vendor.vendor",
    "Vendor.rows": "Vendor.events",
    "Vendor.rules": "Rules.files",
    "Vendor.rules_settings": "Rules.settings",
    "Vendor.unread_rules": "Rules.unread",
}


def running_fields(value: Any) -> set[str]:
    return set(value._fields) if hasattr(value, "_fields") else set(value.__dataclass_fields__)


def difference(pairs: dict[type[BaseModel], Any]) -> tuple[set[str], set[str]]:
    """The fields of either side that the other does not have under the same name."""
    written, running = set(), set()
    for authored, read in pairs.items():
        there, here = set(authored.model_fields), running_fields(read)
        written |= {f"{authored.__name__}.{name}" for name in there - here}
        running |= {f"{read.__name__}.{name}" for name in here - there}
    return written, running


def test_each_model_that_people_write_has_its_value_on_the_running_side_or_a_reason() -> None:
    written = {
        value
        for module in (models, models_dialect, models_rules, models_surface, models_vendor)
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, BaseModel) and value.__module__ == module.__name__
    }
    assert written - {models.Model} == PAIRS.keys() | FOLDED.keys()
    assert not PAIRS.keys() & FOLDED.keys()


def test_each_written_field_is_read_under_its_name_or_is_listed_with_where_it_went() -> None:
    written, _ = difference(PAIRS)
    assert written == WRITTEN_ONLY.keys()


def test_each_field_of_the_running_side_is_written_under_its_name_or_is_listed_with_where_it_is_from() -> None:
    _, running = difference(PAIRS)
    assert running == RUNNING_ONLY.keys()


def test_a_field_that_one_side_gains_is_noticed() -> None:
    class Tool(models_vendor.Tool):
        colour: str = "red"

    written, _ = difference({Tool: model.Tool})
    assert written == {"Tool.colour"}


def literals(annotation: object) -> set[object]:
    """The values of the first closed vocabulary inside an annotation."""
    if get_origin(annotation) is not None and str(get_origin(annotation)) == "typing.Literal":
        return set(get_args(annotation))
    return next((found for inner in get_args(annotation) if (found := literals(inner))), set())


def vocabulary(of: type[BaseModel], field: str) -> set[object]:
    return literals(of.model_fields[field].annotation)


@pytest.mark.parametrize(
    ("of", "field", "running"),
    [
        (models_dialect.Failure, "exit", set(get_args(model.FailureMode))),
        (models_dialect.Failure, "timeout", set(get_args(model.FailureMode))),
        (models_dialect.Failure, "spawn", set(get_args(model.FailureMode))),
        (models_dialect.Failure, "answer", set(get_args(model.FailureMode))),
        (models_dialect.Handlers, "types", set(get_args(model.HandlerKind))),
        (models_surface.Seam, "decision", set(get_args(surface.DecisionKind))),
        (models_vendor.ConfigFile, "shape", set(SHAPES)),
        # DIRECT may not be claimed and CARRY belongs to rules
        (models_vendor.Event, "capability", {Capability.ADAPTED, Capability.UNSUPPORTED}),
    ],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "__name__", ""),
)
def test_a_closed_vocabulary_has_the_same_words_on_both_sides(
    of: type[BaseModel], field: str, running: set[object]
) -> None:
    assert vocabulary(of, field) == running
