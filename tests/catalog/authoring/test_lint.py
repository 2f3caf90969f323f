"""The linters: the real sources are clean, and one change of them makes exactly one rule complain."""

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.catalog.authoring import models, models_dialect, models_vendor
from dsh_compat_adapter.catalog.authoring.lint import RULES, lint
from dsh_compat_adapter.catalog.authoring.lint.effects import POWERS
from dsh_compat_adapter.catalog.authoring.lint.languages import fields
from dsh_compat_adapter.catalog.authoring.rows import degradations, rows
from dsh_compat_adapter.catalog.authoring.sources import Sources
from dsh_compat_adapter.catalog.surface import DecisionKind
from dsh_compat_adapter.events import Capability, Effect, Route
from dsh_compat_adapter.hooks.outcome import Outcome, Rank
from dsh_compat_adapter.seams.translate import translate
from tests.checkout import PACKAGE, sources

Change = Callable[[Sources], Sources]
FUTURE = models.Checked(version="1", date=dt.datetime.now(dt.UTC).date() + dt.timedelta(days=2), basis="read")


def loss_of(code: str, evidence: str = "surface:emit-observes", **further: str) -> models.Degradation:
    return models.Degradation.model_validate({"code": code, "evidence": evidence, **further})


# changes of the sources, unvalidated, so that a linter sees what no model would refuse


def vendor(name: str, **update: Any) -> Change:
    return lambda s: replace(s, vendors=s.vendors | {name: s.vendors[name].model_copy(update=update)})


def dialect(of: str, **update: Any) -> Change:
    return lambda s: vendor(of, dialect=s.vendors[of].dialect.model_copy(update=update))(s)


def tool(of: str, **update: Any) -> Change:
    return lambda s: vendor(of, tools=[s.vendors[of].tools[0].model_copy(update=update), *s.vendors[of].tools[1:]])(s)


def event(of: str, name: str, **update: Any) -> Change:
    def change(s: Sources) -> Sources:
        events = s.vendors[of].events
        return vendor(of, events=events | {name: events[name].model_copy(update=update)})(s)

    return change


def loses(of: str, name: str, *more: models.Degradation) -> Change:
    """Further degradations of one row."""
    return lambda s: event(of, name, degradations=[*s.vendors[of].events[name].degradations, *more])(s)


def loses_not(of: str, name: str, code: str) -> Change:
    """One row without its degradations of a code."""
    return lambda s: event(
        of, name, degradations=[one for one in s.vendors[of].events[name].degradations if one.code != code]
    )(s)


def native(of: str, name: str, **update: Any) -> Change:
    def change(s: Sources) -> Sources:
        block = s.vendors[of].events[name].native
        assert block is not None
        return event(of, name, native=block.model_copy(update=update))(s)

    return change


def spelling(of: str, name: str, key: str, **update: Any) -> Change:
    def change(s: Sources) -> Sources:
        spellings = s.vendors[of].events[name].spellings
        return event(of, name, spellings=spellings | {key: spellings[key].model_copy(update=update)})(s)

    return change


def loss(code: str, **update: Any) -> Change:
    return lambda s: replace(s, losses=s.losses | {code: s.losses[code].model_copy(update=update)})


def new_loss(code: str) -> Change:
    """One more code, at its place in the alphabet."""
    return lambda s: replace(s, losses=dict(sorted({**s.losses, code: s.losses["sequential"]}.items())))


def rules(of: str, **update: Any) -> Change:
    return lambda s: replace(s, rules=s.rules | {of: s.rules[of].model_copy(update=update)})


def rules_file(of: str, *more: models.Degradation) -> Change:
    """Further degradations of the first rules file of a vendor."""

    def change(s: Sources) -> Sources:
        first, *others = s.rules[of].files
        return rules(of, files=[first.model_copy(update={"degradations": [*first.degradations, *more]}), *others])(s)

    return change


def surface(name: str, **update: Any) -> Change:
    return lambda s: replace(s, surfaces=s.surfaces | {name: s.surfaces[name].model_copy(update=update)})


def without_row(of: str, name: str) -> Change:
    return lambda s: vendor(of, events={key: row for key, row in s.vendors[of].events.items() if key != name})(s)


def bridged_block(s: Sources) -> models_vendor.Native:
    block = s.vendors["claude"].events["PreToolUse"].native
    assert block is not None
    return block


def bridge_of(s: Sources, name: str) -> models_dialect.Bridge:
    bridge = s.vendors[name].bridge
    assert bridge is not None
    return bridge


def twice(entries: list[Any]) -> list[Any]:
    return [*entries, entries[0]]


class Bad(NamedTuple):
    """One change that a rule rejects: where its finding stands and what it says."""

    rule: str
    change: Change
    where: str
    says: str


BAD = {
    "a baseline row is missing": Bad(
        "baseline", without_row("claude", "WorktreeRemove"), "vendors/claude.yaml", "expected 24, found 23"
    ),
    "a baseline row is marked as beyond it": Bad(
        "baseline", event("opencode", "session.idle", baseline=False), "vendors/opencode.yaml", "expected 29, found 28"
    ),
    "a row beyond the baseline is counted to it": Bad(
        "baseline", event("codex", "PostModelRequest", baseline=True), "vendors/codex.yaml", "expected 1, found 2"
    ),
    "a row takes another route than the specification's": Bad(
        "baseline",
        event("claude", "WorktreeRemove", route=Route.NATIVE_SEAM),
        "vendors/claude.yaml",
        "native-seam: expected 2, found 3",
    ),
    "a row becomes approximate": Bad(
        "baseline",
        loses("claude", "Notification", loss_of("approximate-display")),
        "vendors/claude.yaml Notification",
        "is not approximate in the specification",
    ),
    "an approximate row claims to be exact": Bad(
        "baseline",
        loss("approximate-interrupt", en="Runs when a turn has ended.", zh="在回合结束后运行。"),
        "vendors/codex.yaml Interrupt",
        "is approximate in the specification",
    ),
    "a bridged row does not say how it runs without the bridge": Bad(
        "bridge-rows", event("codex", "Stop", native=None), "vendors/codex.yaml Stop", "`native` stands"
    ),
    "a translated row has a native block": Bad(
        "bridge-rows",
        lambda s: event(
            "claude",
            "PostToolUseFailure",
            native=bridged_block(s).model_copy(
                update={
                    "honours": [],
                    "stops_at": None,
                    "payload": {},
                    "degradations": s.vendors["claude"].events["PreCompact"].degradations,
                }
            ),
            offers=[],
            honours=[],
            stops_at=None,
            degradations=s.vendors["claude"].events["PreCompact"].degradations,
        )(s),
        "vendors/claude.yaml PostToolUseFailure",
        "`native` stands on official-bridge rows and on no other",
    ),
    "a vendor with bridged rows names no bridge": Bad(
        "bridge-rows", vendor("codex", bridge=None), "vendors/codex.yaml Stop", "names no bridge"
    ),
    "a condition is no regular expression": Bad(
        "conditions",
        event("claude", "UserPromptExpansion", when={"prompt.text": "~^/("}),
        "vendors/claude.yaml UserPromptExpansion",
        "'^/(' is no regular expression",
    ),
    "a condition of a native block is no regular expression": Bad(
        "conditions",
        native("claude", "UserPromptSubmit", when={"prompt.text": ["a", "~["]}),
        "vendors/claude.yaml UserPromptSubmit",
        "'[' is no regular expression",
    ),
    "a condition that nothing fulfils": Bad(
        "conditions",
        event("opencode", "file.edited", when={"tool.host_name": []}),
        "vendors/opencode.yaml file.edited",
        "the hook never runs",
    ),
    "a row was checked in the future": Bad(
        "dates", event("claude", "Stop", checked=FUTURE), "vendors/claude.yaml Stop", "in the future"
    ),
    "a rules file was checked in the future": Bad(
        "dates", rules("codex", checked=FUTURE), "rules/codex.yaml", "in the future"
    ),
    "a surface was checked in the future": Bad(
        "dates", surface("embedded-0.1", checked=FUTURE), "surface embedded-0.1", "in the future"
    ),
    "an effect that is offered vanishes without a loss": Bad(
        "effects",
        lambda s: event(
            "claude", "WorktreeRemove", offers=[*s.vendors["claude"].events["WorktreeRemove"].offers, "ask"]
        )(s),
        "vendors/claude.yaml WorktreeRemove",
        "ask is offered, not honoured, and no degradation is triggered by it",
    ),
    "an effect is honoured and listed as lost": Bad(
        "effects",
        loses("opencode", "tool.execute.before", loss_of("cannot-block", what="the call")),
        "vendors/opencode.yaml tool.execute.before",
        "deny is honoured and a degradation says that it is lost",
    ),
    "an effect is honoured that the vendor does not offer": Bad(
        "effects",
        lambda s: event(
            "claude",
            "PreToolUse",
            offers=[effect for effect in s.vendors["claude"].events["PreToolUse"].offers if effect is not Effect.ASK],
        )(s),
        "vendors/claude.yaml PreToolUse",
        "ask is honoured and the vendor does not offer it",
    ),
    "an effect is lost in part on a row that does not honour it": Bad(
        "effects",
        loses("claude", "WorktreeRemove", loss_of("stop-becomes-deny", what="call")),
        "vendors/claude.yaml WorktreeRemove",
        "stop is lost in part only, so the row honours it",
    ),
    "an effect is honoured that no seam of the row can carry": Bad(
        "effects",
        event("opencode", "tool.execute.before", seams=["tools/result"], payload={}, when={}),
        "vendors/opencode.yaml tool.execute.before",
        "no seam of ['tools/result'] can carry deny",
    ),
    "a native block honours what no seam can carry": Bad(
        "effects",
        native("claude", "PreToolUse", seams=["tools/result"]),
        "vendors/claude.yaml PreToolUse native",
        "can carry deny",
    ),
    "a stop ends the turn at a seam that refuses no step": Bad(
        "effects",
        event("claude", "PostToolUseFailure", stops_at="tools/result"),
        "vendors/claude.yaml PostToolUseFailure",
        "no step can be refused at tools/result",
    ),
    "a stop ends the turn and the row does not honour it": Bad(
        "effects",
        event("codex", "SubagentStart", stops_at="agent/pre-step"),
        "vendors/codex.yaml SubagentStart",
        "a stop ends the turn at agent/pre-step, and the row does not honour it",
    ),
    "a row that only observes honours something": Bad(
        "effects",
        event(
            "claude", "SessionEnd", honours=[Effect.CONTEXT], offers=[Effect.CONTEXT, Effect.MESSAGE, Effect.SUPPRESS]
        ),
        "vendors/claude.yaml SessionEnd",
        "native-seam only observes",
    ),
    "the evidence is a fact that is not in the file": Bad(
        "evidence",
        loses("claude", "Stop", loss_of("fires-after-denial", "fact:no-such-fact")),
        "vendors/claude.yaml Stop",
        "'fact:no-such-fact' does not exist",
    ),
    "the evidence is a fact of another vendor": Bad(
        "evidence",
        loses("codex", "Stop", loss_of("fires-after-denial", "fact:block-cap")),
        "vendors/codex.yaml Stop",
        "'fact:block-cap' does not exist",
    ),
    "the evidence is a limit that no surface has": Bad(
        "evidence",
        loses("claude", "Stop", loss_of("fires-after-denial", "surface:no-such-limit")),
        "vendors/claude.yaml Stop",
        "'surface:no-such-limit' does not exist",
    ),
    "the evidence is a test file that is not there": Bad(
        "evidence",
        loses("claude", "Stop", loss_of("fires-after-denial", "test:tests/test_nothing.py::test_it")),
        "vendors/claude.yaml Stop",
        "'test:tests/test_nothing.py::test_it' does not exist",
    ),
    "the evidence is a test that its file does not have": Bad(
        "evidence",
        loses("claude", "Stop", loss_of("fires-after-denial", f"test:{Path(__file__).name}::test_that_nobody_wrote")),
        "vendors/claude.yaml Stop",
        "does not exist",
    ),
    "the evidence of a rules file is missing": Bad(
        "evidence",
        rules_file("codex", loss_of("rules-are-text", "fact:no-such-fact")),
        "rules/codex.yaml",
        "rules-are-text: the evidence 'fact:no-such-fact' does not exist",
    ),
    "an ADAPTED row loses nothing": Bad(
        "invariants",
        event("native", "session:end", degradations=[], offers=[]),
        "vendors/native.yaml session:end",
        "lists no degradation",
    ),
    "an ADAPTED row has no seam": Bad(
        "invariants",
        event("claude", "WorktreeRemove", seams=[]),
        "vendors/claude.yaml WorktreeRemove",
        "has no route or no seam",
    ),
    "an ADAPTED row gives a reason": Bad(
        "invariants",
        event("claude", "Stop", reason=loss_of("no-shell", host="h")),
        "vendors/claude.yaml Stop",
        "ADAPTED gives a reason",
    ),
    "an UNSUPPORTED row gives no reason": Bad(
        "invariants",
        event("claude", "PreSkillShellCommand", reason=None),
        "vendors/claude.yaml PreSkillShellCommand",
        "UNSUPPORTED has a reason",
    ),
    "an UNSUPPORTED row has a seam": Bad(
        "invariants",
        event("claude", "PreSkillShellCommand", seams=["tools/pre-execute"]),
        "vendors/claude.yaml PreSkillShellCommand",
        "no route, seam",
    ),
    "an UNSUPPORTED row has a route": Bad(
        "invariants",
        event("claude", "PreSkillShellCommand", route=Route.NATIVE_TRANSLATE),
        "vendors/claude.yaml PreSkillShellCommand",
        "no route, seam",
    ),
    "an UNSUPPORTED row lists losses that nobody would read": Bad(
        "invariants",
        loses("claude", "PreSkillShellCommand", loss_of("sequential")),
        "vendors/claude.yaml PreSkillShellCommand",
        "or degradation",
    ),
    "an UNSUPPORTED row honours something": Bad(
        "invariants",
        event("claude", "PreSkillShellCommand", honours=[Effect.DENY]),
        "vendors/claude.yaml PreSkillShellCommand",
        "honoured effect",
    ),
    "the languages have other placeholders": Bad(
        "languages",
        lambda s: loss("allow-adds-nothing", zh=s.losses["allow-adds-nothing"].zh.replace("{what}", "{who}"))(s),
        "vendors/losses.yaml allow-adds-nothing",
        "en has placeholders ['what'], zh has ['who']",
    ),
    "only the Chinese sentence is approximate": Bad(
        "languages",
        lambda s: loss("sequential", zh="近似" + s.losses["sequential"].zh)(s),
        "vendors/losses.yaml sequential",
        'en begins with "Approximate" exactly when',
    ),
    "a dialect has no default matcher": Bad(
        "matchers",
        lambda s: dialect("opencode", matchers={"other": s.vendors["opencode"].dialect.matchers["default"]})(
            vendor(
                "opencode",
                events={
                    name: row.model_copy(update={"matcher": "other"})
                    for name, row in s.vendors["opencode"].events.items()
                },
            )(s)
        ),
        "vendors/opencode.yaml",
        "the dialect has no matcher `default`",
    ),
    "a bridge has no default matcher": Bad(
        "matchers",
        lambda s: vendor("codex", bridge=bridge_of(s, "codex").model_copy(update={"matchers": {}}))(s),
        "vendors/codex.yaml",
        "the bridge has no matcher `default`",
    ),
    "a row names a matcher that its dialect does not have": Bad(
        "matchers",
        event("claude", "Stop", matcher="fuzzy"),
        "vendors/claude.yaml Stop",
        "the dialect has no matcher 'fuzzy'",
    ),
    "a spelling names a matcher that its dialect does not have": Bad(
        "matchers",
        spelling("copilot", "preToolUse", "PreToolUse", matcher="fuzzy"),
        "vendors/copilot.yaml preToolUse",
        "the dialect has no matcher 'fuzzy'",
    ),
    "subjects are listed for a row without a subject": Bad(
        "matchers",
        event("claude", "Stop", subject=None, subject_values=["a"]),
        "vendors/claude.yaml Stop",
        "subject_values without a subject",
    ),
    "a vendor file says another vendor": Bad(
        "names",
        lambda s: replace(
            s,
            vendors=s.vendors
            | {"new": s.vendors["opencode"].model_copy(update={"vendor": "newer", "events": {}, "everywhere": []})},
        ),
        "vendors/new.yaml",
        "name it vendors/newer.yaml",
    ),
    "a rules file says another vendor": Bad(
        "names", rules("codex", vendor="claude"), "rules/codex.yaml", "the file is about 'claude'"
    ),
    "a rules file belongs to no vendor": Bad(
        "names",
        lambda s: replace(s, rules={**s.rules, "codecs": s.rules["codex"].model_copy(update={"vendor": "codecs"})}),
        "rules/codecs.yaml",
        "vendors/codecs.yaml has to be there",
    ),
    "an alias is the name of another vendor": Bad(
        "names", vendor("codex", aliases=["claude"]), "vendors/", "the vendor 'claude' stands 2 times"
    ),
    "a spelling is the name of another event": Bad(
        "names",
        lambda s: event(
            "copilot",
            "preToolUse",
            spellings={"sessionEnd": s.vendors["copilot"].events["preToolUse"].spellings["PreToolUse"]},
        )(s),
        "vendors/copilot.yaml",
        "the event 'sessionEnd' stands 2 times",
    ),
    "a fact stands twice": Bad(
        "names",
        lambda s: vendor("claude", facts=twice(s.vendors["claude"].facts))(s),
        "vendors/claude.yaml",
        "the fact 'event-list' stands 2 times",
    ),
    "a fact of a rules file stands twice": Bad(
        "names",
        lambda s: rules("claude", facts=twice(s.rules["claude"].facts))(s),
        "rules/claude.yaml",
        "the fact 'carrying' stands 2 times",
    ),
    "a limit stands twice": Bad(
        "names",
        lambda s: surface("embedded-0.1", limits=twice(s.surfaces["embedded-0.1"].limits))(s),
        "surface embedded-0.1",
        "stands 2 times",
    ),
    "a code is out of order": Bad(
        "order",
        lambda s: replace(
            s, losses=dict(sorted(s.losses.items(), key=lambda entry: (entry[0] != "sequential", entry[0])))
        ),
        "vendors/losses.yaml agent-type-constant",
        "stands after 'sequential'",
    ),
    "a row names a seam that the embedded host does not have": Bad(
        "paths",
        event("claude", "WorktreeRemove", seams=["tools/pre-execute", "tools/none"]),
        "vendors/claude.yaml WorktreeRemove",
        "the embedded surface has no seam 'tools/none'",
    ),
    "a payload reads a path that its seam does not have": Bad(
        "paths",
        event("claude", "WorktreeRemove", payload={"a": "result.text"}),
        "vendors/claude.yaml WorktreeRemove",
        "result.text is not a field of ['tools/pre-execute']",
    ),
    "a spelling reads a path that its seam does not have": Bad(
        "paths",
        spelling("copilot", "preToolUse", "PreToolUse", payload={"a": "result.text"}),
        "vendors/copilot.yaml preToolUse",
        "result.text is not a field",
    ),
    "a native block reads a path that its seam does not have": Bad(
        "paths",
        native("claude", "PreToolUse", payload={"a": "result.text"}),
        "vendors/claude.yaml PreToolUse",
        "result.text is not a field",
    ),
    "a condition is about a path that its seam does not have": Bad(
        "paths",
        event("claude", "WorktreeRemove", when={"result.is_error": True}),
        "vendors/claude.yaml WorktreeRemove",
        "result.is_error is not a field",
    ),
    "a matcher is compared with a path that its seam does not have": Bad(
        "paths",
        event("claude", "WorktreeRemove", subject="result.text"),
        "vendors/claude.yaml WorktreeRemove",
        "result.text is not a field",
    ),
    "a condition names an unknown session event": Bad(
        "paths",
        event("claude", "PreCompact", when={"event.type": ["compaction/start", "compaction/never"]}),
        "vendors/claude.yaml PreCompact",
        "no session event 'compaction/never'",
    ),
    "a common field is not known at every seam": Bad(
        "paths",
        lambda s: dialect("claude", common=s.vendors["claude"].dialect.common | {"tool": "tool.name"})(s),
        "vendors/claude.yaml dialect",
        "tool.name is not known at every seam",
    ),
    "a variable is not known at every seam": Bad(
        "paths",
        lambda s: dialect("claude", environment=s.vendors["claude"].dialect.environment | {"TOOL": "tool.name"})(s),
        "vendors/claude.yaml dialect",
        "tool.name is not known at every seam",
    ),
    "a variable of the bridge is not known at every seam": Bad(
        "paths",
        lambda s: vendor(
            "claude", bridge=bridge_of(s, "claude").model_copy(update={"environment": {"TOOL": "tool.name"}})
        )(s),
        "vendors/claude.yaml dialect",
        "tool.name is not known at every seam",
    ),
    "a field is a value and an object": Bad(
        "payloads",
        event("claude", "WorktreeRemove", payload={"tool": "tool.name", "tool.a.b": "tool.name"}),
        "vendors/claude.yaml WorktreeRemove",
        "'tool' is a value, so 'tool.a.b' cannot stand inside it",
    ),
    "a field stands inside a common field": Bad(
        "payloads",
        event("claude", "WorktreeRemove", payload={"cwd.name": "tool.name"}),
        "vendors/claude.yaml WorktreeRemove",
        "'cwd' is a value",
    ),
    "a field of a native block is a value and an object": Bad(
        "payloads",
        native("claude", "PreToolUse", payload={"tool": "tool.name", "tool.a": "tool.name"}),
        "vendors/claude.yaml PreToolUse",
        "'tool' is a value",
    ),
    "a field of a spelling is a value and an object": Bad(
        "payloads",
        spelling("copilot", "preToolUse", "PreToolUse", payload={"session_id.a": "tool.name"}),
        "vendors/copilot.yaml preToolUse",
        "'session_id' is a value",
    ),
    "a row omits what is not common": Bad(
        "payloads",
        event("claude", "WorktreeRemove", omit=["permission_mood"]),
        "vendors/claude.yaml WorktreeRemove",
        "'permission_mood' is omitted and is no common field",
    ),
    "a place is never read and no place of its layer is": Bad(
        "places",
        lambda s: vendor(
            "codex",
            config=[file.model_copy(update={"read": file.layer != "project"}) for file in s.vendors["codex"].config],
        )(s),
        "vendors/codex.yaml config",
        "no place of its layer is read",
    ),
    "a row names a code that nobody defined": Bad(
        "placeholders",
        loses("claude", "Stop", loss_of("no-such-code")),
        "vendors/claude.yaml Stop",
        "'no-such-code' is not in vendors/losses.yaml",
    ),
    "a row does not fill a placeholder": Bad(
        "placeholders",
        loses("claude", "WorktreeRemove", loss_of("payload-fields-missing")),
        "vendors/claude.yaml WorktreeRemove",
        "payload-fields-missing: expected the keys ['fields'], found []",
    ),
    "a row fills what its sentence does not have": Bad(
        "placeholders",
        loses("claude", "WorktreeRemove", loss_of("sequential", what="hooks")),
        "vendors/claude.yaml WorktreeRemove",
        "sequential: expected the keys [], found ['what']",
    ),
    "a loss that a field triggers does not say which": Bad(
        "placeholders",
        loss("sequential", trigger="field"),
        "vendors/claude.yaml PreToolUse",
        "sequential: expected the keys ['field'], found []",
    ),
    "a rules file names a code that nobody defined": Bad(
        "placeholders",
        rules_file("codex", loss_of("no-such-code")),
        "rules/codex.yaml",
        "'no-such-code' is not in vendors/losses.yaml",
    ),
    "a hook point names an event that nobody has": Bad(
        "points",
        lambda s: replace(
            s, points=s.points | {"stop": s.points["stop"].model_copy(update={"events": {"claude": ["Stopp"]}})}
        ),
        "vendors/points.yaml stop",
        "claude has no event 'Stopp'",
    ),
    "an event belongs to two hook points": Bad(
        "points",
        lambda s: replace(
            s,
            points=s.points
            | {"stop": s.points["stop"].model_copy(update={"events": {"claude": ["PermissionRequest"]}})},
        ),
        "vendors/points.yaml stop",
        "claude PermissionRequest belongs to permission_request already",
    ),
    "two tools have one name": Bad(
        "tools", tool("claude", aliases=["Write"]), "vendors/claude.yaml tools", "'Write' stands twice"
    ),
    "a tool maps to one that no host has": Bad(
        "tools", tool("claude", host="teleport"), "vendors/claude.yaml tools", "no surface has a tool 'teleport'"
    ),
    "one tool of the host is two of the vendor": Bad(
        "tools", tool("claude", host="read"), "vendors/claude.yaml tools", "the host's 'read' stands twice"
    ),
    "a tool that a host has is one that no host calls": Bad(
        "tools",
        lambda s: vendor("opencode", uncalled_tools=[*s.vendors["opencode"].uncalled_tools, "bash"])(s),
        "vendors/opencode.yaml tools",
        "'bash' is in uncalled_tools and a surface has it",
    ),
    "a row does not list what no host calls": Bad(
        "tools",
        loses_not("opencode", "tool.execute.before", "tools-never-called"),
        "vendors/opencode.yaml tool.execute.before",
        "uncalled_tools are not listed as tools-never-called",
    ),
    "a row lists other tools than those that no host calls": Bad(
        "tools",
        vendor("opencode", uncalled_tools=["apply_patch"]),
        "vendors/opencode.yaml tool.execute.after",
        "lists something else than uncalled_tools: apply_patch",
    ),
    "a code is used by nobody": Bad(
        "unused", new_loss("nobody-loses-this"), "vendors/losses.yaml nobody-loses-this", "no row uses this code"
    ),
    "a code that the run time raises is deleted": Bad(
        "unused",
        lambda s: replace(s, losses={code: entry for code, entry in s.losses.items() if code != "no-shell"}),
        "vendors/losses.yaml",
        "no-shell is missing",
    ),
}


def test_the_real_sources_are_clean() -> None:
    assert [str(finding) for finding in lint(sources())] == []


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD.keys())
def test_one_rule_and_no_other_complains_when(bad: Bad) -> None:
    changed = bad.change(sources())
    complaints = {name: [str(finding) for finding in rule(changed)] for name, rule in RULES.items()}
    assert [name for name, found in complaints.items() if found] == [bad.rule], complaints
    assert [one for one in complaints[bad.rule] if one.startswith(bad.where) and bad.says in one], complaints[bad.rule]


def test_each_rule_has_a_case_that_it_rejects() -> None:
    assert {bad.rule for bad in BAD.values()} == set(RULES)


def test_each_rule_is_a_module_of_its_own_and_is_in_the_table_in_alphabetical_order() -> None:
    files = {path.stem.replace("_", "-") for path in (PACKAGE / "catalog/authoring/lint").glob("*.py")}
    assert files - {"--init--"} == set(RULES)
    assert list(RULES) == sorted(RULES)


def test_a_finding_names_the_place_and_the_rule() -> None:
    found = lint(new_loss("nobody-loses-this")(sources()))
    assert [str(one) for one in found] == [
        "vendors/losses.yaml nobody-loses-this: no row uses this code; delete it or use it [unused]"
    ]


def test_a_test_of_this_repository_is_evidence() -> None:
    evidence = "test:tests/catalog/authoring/test_lint.py::test_a_test_of_this_repository_is_evidence"
    assert lint(loses("claude", "WorktreeRemove", loss_of("fires-after-denial", evidence))(sources())) == []


def test_a_row_checked_tomorrow_is_accepted_because_authors_live_in_every_time_zone() -> None:
    tomorrow = FUTURE.model_copy(update={"date": dt.datetime.now(dt.UTC).date() + dt.timedelta(days=1)})
    assert lint(event("claude", "Stop", checked=tomorrow)(sources())) == []


def test_the_native_dialect_is_linted_as_well_and_not_counted() -> None:
    changed = event("native", "tool:before", matcher="fuzzy")(sources())
    assert [finding.where for finding in lint(changed)] == ["vendors/native.yaml tool:before"]


def test_no_model_accepts_a_row_that_claims_direct() -> None:
    row = sources().vendors["claude"].events["Stop"].model_dump()
    assert models_vendor.Event.model_validate(row).capability is Capability.ADAPTED
    with pytest.raises(ValueError, match="ADAPTED"):
        models_vendor.Event.model_validate(row | {"capability": "DIRECT"})


def test_a_rows_degradations_are_those_of_the_row_its_vendor_its_reason_and_its_native_block() -> None:
    (row,) = [row for row in rows(sources()) if row.where == "vendors/claude.yaml PreToolUse"]
    assert row.event.native is not None
    expected = [*row.event.degradations, *row.vendor.everywhere, *row.event.native.degradations]
    assert list(degradations(row)) == expected
    (refused,) = [row for row in rows(sources()) if row.where == "vendors/claude.yaml PreSkillShellCommand"]
    assert refused.event.reason in list(degradations(refused))


# an outcome that asks for one effect, for each effect that a decision may carry
ASKED = {
    Effect.DENY: Outcome(decision=Rank.DENY, reason="no"),
    Effect.ASK: Outcome(decision=Rank.ASK, reason="sure?"),
    Effect.ALLOW: Outcome(decision=Rank.ALLOW),
    Effect.CONTEXT: Outcome(contexts=("text",)),
    Effect.FEEDBACK: Outcome(feedback="look again"),
    Effect.REWRITE_INPUT: Outcome(rewrites={Effect.REWRITE_INPUT: {"a": 1}}),
    Effect.REWRITE_OUTPUT: Outcome(rewrites={Effect.REWRITE_OUTPUT: "other"}),
    Effect.REWRITE_PROMPT: Outcome(rewrites={Effect.REWRITE_PROMPT: "other"}),
    Effect.STOP: Outcome(stop=True, stop_reason="enough"),
    Effect.MESSAGE: Outcome(messages=("text",)),
    Effect.SUPPRESS: Outcome(suppress=True),
}


@pytest.mark.parametrize("kind", POWERS, ids=str)
def test_the_linter_says_of_a_seam_what_its_translation_really_carries(kind: DecisionKind | None) -> None:
    nothing = translate(Outcome(), kind)
    carried = {effect for effect, outcome in ASKED.items() if translate(outcome, kind) != nothing}
    if kind == "continuation":  # a stop is carried by what is missing: the block of another hook
        carried |= {Effect.STOP}
    assert carried == POWERS[kind]


@given(st.lists(st.text(alphabet="abcdefgh_", min_size=1)), st.text(alphabet="xyz {}中"))
def test_the_placeholders_of_a_sentence_are_its_names_sorted_and_once(names: list[str], between: str) -> None:
    text = between.replace("{", "{{").replace("}", "}}")
    assert fields(text.join(f"{{{name}}}" for name in [*names, *names])) == sorted(set(names))
