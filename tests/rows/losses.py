"""What the listed losses of a row say, checked by their codes: one small check a code, true where the loss is as it says."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml

from dsh_compat_adapter.capability import CapabilityResult
from dsh_compat_adapter.events import Effect
from tests.mounting import WatchedHost, adapting
from tests.rows.answers import MARK, REWRITTEN, answer, decision, reached, using
from tests.rows.cases import Case
from tests.rows.effects import PLAIN, Trial
from tests.rows.firing import promised
from tests.rows.recorder import SILENT, Performance, Said
from tests.rows.tour import Seen

UNCHECKED = Path(__file__).with_name("unchecked.yaml")
OPTIONS: Mapping[str, object] = {
    "if": "NoSuchTool(nothing)",
    "onFailure": "block",
    "once": True,
    "async": True,
    "asyncRewake": True,
}


@dataclass(frozen=True, kw_only=True)
class Look:
    """One listed loss with what there is to look at: a whole tour with a silent hook, and a session to try answers in."""

    case: Case
    tour: Performance
    tried: Trial
    loss: Mapping[str, str]

    def names(self, key: str) -> list[str]:
        return [name.strip() for name in self.loss[key].split(",")]

    def values(self, name: str) -> list[Any]:
        """What stands in the payloads under a name: from the top, or within the objects that the vendor nests them in."""
        inner = [(), ("input",), ("input", "event", "properties"), ("input", "event", "properties", "part")]
        found = [_at(payload, [*place, *name.split(".")]) for payload in self.tour.payloads for place in inner]
        return [value for value in found if value is not ...]

    def told(self, path: str) -> list[object]:
        return [seen.values.get(path) for seen in self.tour.occurrences]

    @property
    def chapters(self) -> set[str]:
        return {seen.chapter for seen in self.tour.occurrences}

    async def reached(self, effect: Effect, said: Said, *others: Said) -> bool:
        played = await self.tried.play(said, *others)
        return reached(effect, played, played.occurrences[0])

    async def unchanged(self, said: Said) -> bool:
        return await self.tried.unchanged(await self.tried.play(said))

    @property
    def first(self) -> Seen:
        return self.tour.occurrences[0]


Check = Callable[[Look], bool | Awaitable[bool]]


async def complaints(tour: Performance, tried: Trial) -> AsyncIterator[str]:
    """The listed losses of a case that are not as they say."""
    for loss in tour.case.losses:
        if (check := CHECKS.get(loss["code"])) is not None:
            held = check(Look(case=tour.case, tour=tour, tried=tried, loss=loss))
            if not (held if isinstance(held, bool) else await held):
                yield f"{loss['code']} is not as the row says: {dict(loss)}"


def unchecked() -> Mapping[str, str]:
    """Code -> why no check of this host can show it."""
    loaded: Mapping[str, str] = yaml.safe_load(UNCHECKED.read_text(encoding="utf-8"))
    return loaded


def _at(value: Any, names: list[str]) -> Any:
    for number, name in enumerate(names):
        if name.endswith("[]"):
            members = value.get(name[:-2], []) if isinstance(value, dict) else []
            return next((v for one in members if (v := _at(one, names[number + 1 :])) is not ...), ...)
        if not isinstance(value, dict) or name not in value:
            return ...
        value = value[name]
    return value


def _fields_missing(look: Look) -> bool:
    return not any(look.values(name) for name in look.names("fields"))


def _constant(look: Look) -> bool:
    names = (_promised_name(look) or look.loss["field"]).split(".")
    found = [_at(payload, names) for payload in look.tour.payloads]
    return all(look.loss["value"] in (value, json.dumps(value)) for value in found)


def _environment_missing(look: Look) -> bool:
    return not any(fnmatchcase(name, pattern) for name in look.tour.environment for pattern in look.names("names"))


def _never_told(look: Look) -> bool:
    return not {str(value) for value in look.values(look.loss["field"])} & set(look.names("values"))


def _agent_type(look: Look) -> bool:
    told = {value for name in ("agent_type", "agentType", "agentName") for value in look.values(name)}
    return told == {look.loss["value"]}


def _untranslated(look: Look) -> bool:
    named = set(look.names("tools"))
    tools = [tool for tool in look.case.vendor.tools if named & {tool.name, *tool.aliases}]
    known = {name for tool in tools for name in (tool.name, *tool.aliases)}
    return named <= known and not any(tool.arguments for tool in tools)


def _is_text(name: str) -> Check:
    return lambda look: bool(look.values(name)) and all(isinstance(value, str) for value in look.values(name))


def _only_in(*chapters: str) -> Check:
    return lambda look: look.chapters <= set(chapters)


def _never_in(*chapters: str) -> Check:
    return lambda look: not look.chapters & set(chapters)


def _has_path(look: Look) -> bool:
    name = _promised_name(look)
    # a field of every row that this one leaves out is listed as missing
    if name is not None:
        return promised(look.case)[name].path is not None
    inner = [field for named, field in promised(look.case).items() if named.startswith(f"{look.loss['field']}.")]
    return look.case.misses(look.loss["field"]) or any(field.path is not None for field in inner)


def _stands_in(look: Look) -> bool:
    name = _promised_name(look)
    return name is not None and promised(look.case)[name].path == look.loss["value"]


def _promised_name(look: Look) -> str | None:
    """The payload's full name of a field that a loss names by its end."""
    field = look.loss["field"]
    fitting = [name for name in promised(look.case) if name == field or name.endswith(f".{field}")]
    return max(fitting, key=len, default=None)


def _renamed(look: Look) -> bool:
    return bool(look.values(look.loss["field"])) and not look.values(look.loss["original"])


def _in_subagents(look: Look) -> bool:
    return True in look.told("agent.is_subagent")


async def _matcher_ignored(look: Look) -> bool:
    played = await look.tried.play(SILENT, matcher="no such subject")
    warned = "matcher-ignored" in {warning.code for warning in played.result.warnings}
    return warned and len(played.runs) == len(played.occurrences)


async def _matcher_of_host(look: Look) -> bool:
    (value, *_) = (await look.tried.silent()).payloads
    return bool((await look.tried.play(SILENT, matcher=str(value[look.loss["field"]]))).runs)


async def _matcher_unanchored(look: Look) -> bool:
    subject = look.case.row.subject or ""
    value = str(look.first.values["tool.host_name" if subject == "tool.name" else subject])
    return bool((await look.tried.play(SILENT, matcher=f"(?:{value[1:-1]})")).runs)


async def _options_ignored(look: Look) -> bool:
    names = look.names("options" if "options" in look.loss else "fields")
    plays = [await look.tried.play(SILENT, handler={name: OPTIONS.get(name, "true")}) for name in names]
    return all(len(played.runs) == len(played.occurrences) for played in plays)


async def _sequential(look: Look) -> bool:
    played = await look.tried.play(SILENT, SILENT)
    return played.marks == "<00><11>" * len(played.occurrences)


async def _strictest(look: Look) -> bool:
    return await look.reached(Effect.DENY, using(look.case, Effect.DENY), using(look.case, Effect.ALLOW))


async def _not_shared(look: Look) -> bool:
    effect = next(e for e in (Effect.REWRITE_OUTPUT, Effect.REWRITE_PROMPT) if e in look.case.plan.honours)
    played = await look.tried.play(using(look.case, effect), SILENT)
    return played.runs_of[0] == played.runs_of[1]


async def _code_refused(look: Look) -> bool:
    def callback() -> None: ...

    async with WatchedHost(look.tried.root) as host, adapting(host) as adapter:
        result: CapabilityResult = await adapter.register_hook(
            vendor=look.case.vendor.name, event=look.case.row.event, handler=callback
        )
    return not result.executable and result.code == "handler-is-code"


def _reaches(effect: Effect, used: Effect | None = None) -> Check:
    return lambda look: look.reached(effect, using(look.case, used or effect))


async def _without_reason(look: Look) -> bool:
    return not await look.unchanged(decision(look.case, Effect.DENY, None))


async def _asks(look: Look) -> bool:
    return bool((await look.tried.play(answer(look.case, {"permissionDecision": "defer"}))).stage.asked)


def _exit_2(stdout: Callable[[Case], str]) -> Check:
    return lambda look: look.reached(Effect.DENY, Said(stdout=stdout(look.case), stderr=MARK, exit_code=2))


async def _unread_at_exit_1(look: Look) -> bool:
    return await look.unchanged(Said(stdout=using(look.case, Effect.DENY).stdout, stderr="x", exit_code=1))


def _context_named(name: str | None, *, counts: bool) -> Check:
    async def check(look: Look) -> bool:
        named = {} if name is None else {"hookEventName": name}
        said = Said(stdout=json.dumps({"hookSpecificOutput": {**named, "additionalContext": MARK}}))
        return await look.reached(Effect.CONTEXT, said) if counts else await look.unchanged(said)

    return check


async def _decides_unnamed(look: Look) -> bool:
    """Whether a refusal in a block without the name of its event is dropped."""
    members = {"permissionDecision": "deny", "permissionDecisionReason": MARK, "additionalContext": MARK}
    return await look.unchanged(Said(stdout=json.dumps({"hookSpecificOutput": members})))


async def _accepts_rejected(look: Look) -> bool:
    if Effect.DENY in look.case.row.offers or Effect.FEEDBACK in look.case.row.offers:
        return not await look.unchanged(decision(look.case, Effect.DENY, None, noSuchKey=True))
    return await look.reached(Effect.CONTEXT, answer(look.case, {"additionalContext": MARK, "noSuchKey": True}))


async def _fails_open(look: Look) -> bool:
    return "deny" in look.case.row.on_failure and await look.unchanged(Said(exit_code=127))


async def _progress(look: Look) -> bool:
    return await look.unchanged(Said(stdout='{"type": "progress", "message": "half"}\n'))


async def _plain_is_nothing(look: Look) -> bool:
    return await look.unchanged(Said(stdout=PLAIN))


async def _reason_hidden(look: Look) -> bool:
    played = await look.tried.play(using(look.case, Effect.DENY))
    return MARK not in str(played.stage.requests) and not await look.tried.unchanged(played)


async def _failure_stays_success(look: Look) -> bool:
    key = look.case.dialect.decision.rewrite_output_keys[0]
    said = answer(look.case, {key: {"resultType": "failure", "textResultForLlm": REWRITTEN}})
    return await look.reached(Effect.REWRITE_OUTPUT, said)


async def _alias_in_matcher(look: Look) -> bool:
    tools = [tool for tool in look.case.vendor.tools if tool.host == look.first.values["tool.host_name"]]
    aliases = [alias for tool in tools for alias in tool.aliases]
    plays = [await look.tried.play(SILENT, matcher=alias) for alias in aliases]
    matched = all(bool(played.runs) for played in plays) or look.case.row.subject is None
    return matched and not set(aliases) & set(map(str, look.values("tool_name")))


def _tools_never_named(look: Look) -> bool:
    told = {str(value) for name in ("tool_name", "toolName", "tool") for value in look.values(name)}
    return bool(told) and not told & set(look.names("names"))


CHECKS: Mapping[str, Check] = {
    "agent-type-constant": _agent_type,
    "also-in-subagents": _in_subagents,
    "answer-at-other-exit-unread": _unread_at_exit_1,
    "arguments-untranslated": _untranslated,
    "block-reason-not-shown": _reason_hidden,
    "bridge-accepts-rejected-answers": _accepts_rejected,
    "bridge-event-name-checked": _decides_unnamed,
    "bridge-fails-open": _fails_open,
    "bridge-handler-options": _options_ignored,
    "bridge-matcher-regex": _matcher_unanchored,
    "bridge-options-ignored": _options_ignored,
    "callback-body-not-carried": _code_refused,
    "compaction-instructions-ignored": _plain_is_nothing,
    "context-is-own-message": _reaches(Effect.CONTEXT),
    "continues-same-turn": _reaches(Effect.DENY),
    "defer-unsupported": _asks,
    "edits-not-shared": _not_shared,
    "environment-missing": _environment_missing,
    "event-name-not-compared": _context_named("AnotherEvent", counts=True),
    "event-name-required": _decides_unnamed,
    "every-step-with-messages": lambda look: {"user"} < set(map(str, look.told("prompt.source"))),
    "exit-2-reason-from-stderr": _exit_2(lambda _: json.dumps({"decision": "block", "reason": "another"})),
    "exit-2-stays-deny": _exit_2(lambda case: using(case, Effect.ALLOW).stdout),
    "feedback-replaces-result": _reaches(Effect.FEEDBACK),
    "file-tools-only": _only_in("files"),
    "fires-after-denial": lambda look: True in look.told("result.denied"),
    "ide-tool-names": _alias_in_matcher,
    "matcher-ignored": _matcher_ignored,
    "matcher-sees-host-value": _matcher_of_host,
    "output-rewrite-any-tool": _reaches(Effect.REWRITE_OUTPUT),
    "path-as-given": lambda look: set(look.values(look.loss["field"])) == {"new.txt", "a.txt"},
    "payload-field-constant": _constant,
    "payload-field-copies": lambda look: look.values(look.loss["field"]) == look.values(look.loss["other"]),
    "payload-field-host-value": _has_path,
    "payload-field-renamed": _renamed,
    "payload-field-stand-in": _stands_in,
    "payload-fields-missing": _fields_missing,
    "permission-mode-of-host": lambda look: set(look.values("permission_mode")) <= {"default", "acceptEdits"},
    "plugin-context-missing": lambda look: (
        _environment_missing(look) and not any(map(look.values, look.names("names")))
    ),
    "progress-not-shown": _progress,
    "project-dir-not-exported": lambda look: look.loss["variable"] not in look.tour.environment,
    "prompt-id-of-turn": lambda look: set(look.values("prompt_id")) <= set(look.told("prompt.id")),
    "prompt-refusal-without-text": _reason_hidden,
    "reason-not-required": _without_reason,
    "removed-by-compaction": _only_in("compaction"),
    "rewritten-failure-stays-success": _failure_stays_success,
    "runs-for-subagents": _in_subagents,
    "sequential": _sequential,
    "shell-changes-unseen": _only_in("files"),
    "stdin-newline-added": lambda look: (
        look.tour.runs[0].endswith(b"\n") and not look.case.vendor.dialect.stdin_newline
    ),
    "stop-only-at-regular-end": _never_in("cancellation", "API error", "other error"),
    "strictest-answer-wins": _strictest,
    "task-list-only": _only_in("todos"),
    "time-limit-added": lambda look: look.case.row.timeout_s == float(look.loss["seconds"]),
    "tool-response-text": _is_text("tool_response"),
    "tools-never-called": _tools_never_named,
    "transcript-format": lambda look: set(look.values("transcript_path")) <= {""},
    "value-never-occurs": _never_told,
    "worktree-path-ignored": _plain_is_nothing,
}
