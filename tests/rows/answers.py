"""Answers in a vendor's own grammar that use one thing each, and what shows that it reached the host."""

import json
from collections.abc import Mapping
from typing import Any

from dsh_compat_adapter.events import Effect
from dsh_compat_adapter.seams.decisions import SOURCE
from tests.rows.cases import Case
from tests.rows.firing import plain
from tests.rows.recorder import Performance, Said
from tests.rows.tour import Seen

MARK = "said by the hook"
REWRITTEN = "rewritten by the hook"
TOP_LEVEL: Mapping[Effect, Mapping[str, object]] = {
    Effect.STOP: {"continue": False, "stopReason": MARK},
    Effect.MESSAGE: {"systemMessage": MARK},
    Effect.SUPPRESS: {"suppressOutput": True},
}
DECIDING = {Effect.DENY: "deny", Effect.ASK: "ask", Effect.ALLOW: "allow"}


def using(case: Case, effect: Effect, member: str | None = None) -> Said:
    """An answer with one effect; `member` is the key of a rewrite."""
    if effect is Effect.STOP and case.plan.holds_turn and effect in case.plan.honours:
        # a turn that ends does so anyway, so the stop shows where it takes a block away
        both = {**TOP_LEVEL[effect], "decision": "block", "reason": "not yet"}
        return Said(stdout=json.dumps(both), effects=frozenset({effect, Effect.DENY, Effect.FEEDBACK}))
    if effect in TOP_LEVEL:
        return Said(stdout=json.dumps(TOP_LEVEL[effect]), effects=frozenset({effect}))
    if effect is Effect.CONTEXT:
        return answer(case, {"additionalContext": MARK}, effect)
    if effect in (keys := _rewrite_keys(case)):
        new = {"command": REWRITTEN} if effect is Effect.REWRITE_INPUT else REWRITTEN
        return answer(case, {member or keys[effect][0]: new}, effect)
    return decision(case, Effect.DENY if effect is Effect.FEEDBACK else effect, MARK)


def answer(case: Case, members: Mapping[str, Any], *effects: str, fields: frozenset[str] = frozenset()) -> Said:
    """Members where the grammar has those of one event."""
    document = members if _flat(case) else {"hookSpecificOutput": {"hookEventName": case.spelling, **members}}
    fields = fields | {key for key in members if key != "decision"}
    return Said(stdout=json.dumps(document), effects=frozenset(effects), fields=fields)


def decision(case: Case, effect: Effect, reason: str | None, **beside: object) -> Said:
    """A decision as the vendor's hooks make it at this event."""
    uses = frozenset({effect, *([Effect.FEEDBACK] if effect is Effect.DENY else [])})
    word = DECIDING[effect]
    if case.kind == "approval":
        inner = {"behavior": word, **({"message": reason} if reason and effect is Effect.DENY else {}), **beside}
        return answer(case, inner if _flat(case) else {"decision": inner}, *uses, fields=frozenset(inner))
    if case.row.offers & {Effect.ASK, Effect.ALLOW} or effect is not Effect.DENY:
        reasons = {"permissionDecisionReason": reason} if reason else {}
        return answer(case, {"permissionDecision": word, **reasons, **beside}, *uses)
    reasons = {"reason": reason} if reason else {}
    return Said(stdout=json.dumps({"decision": "block", **reasons, **beside}), effects=uses)


def with_field(case: Case, name: str) -> Said:
    """An answer with one further member, beside a decision where the vendor has it there."""
    if case.kind == "approval":
        return decision(case, Effect.DENY, MARK, **({} if name == "message" else {name: [MARK]}))
    return answer(case, {name: [MARK]}, fields=frozenset({name}))


def reached(effect: Effect, played: Performance, at: Seen) -> bool:  # noqa: C901, PLR0911, PLR0912 - one case an effect
    """Whether the effect of an answer to the event `at` shows in what the host did."""
    kind = played.case.kind
    match effect:
        case Effect.CONTEXT:
            return any(message[1:] == (SOURCE, MARK) for request in played.stage.requests for message in request)
        case Effect.STOP if played.case.plan.stops_at is not None and not _ended(played):
            return False
        case Effect.STOP if kind in ("post-tool", "session-start"):
            return effect in played.case.plan.honours
        case Effect.DENY | Effect.STOP if kind == "pre-tool":
            return not _ran(played, at) and _result(played, at) == (f"Error: {MARK}", True)
        case Effect.DENY | Effect.STOP if kind == "approval":
            return not _ran(played, at) and not played.stage.asked and MARK in _result(played, at)[0]
        case Effect.DENY | Effect.STOP if kind == "prompt":
            text = str(at.values.get("prompt.text", ""))
            blocked = ("prompt/blocked", {"text": text, "reason": MARK}) in _log(played)
            return blocked and not (text and any(data.get("text") == text for data in _logged(played, "user/message")))
        case Effect.DENY if kind == "continuation":
            return _requests(at, played) == 2 and any(
                message[1:] == (SOURCE, MARK) for request in played.stage.requests for message in request
            )
        case Effect.STOP if kind == "continuation" and effect in played.case.plan.honours:
            return _requests(at, played) == 1
        case Effect.ASK:
            return played.stage.asked[:1] == [MARK]
        case Effect.ALLOW:  # it counts where nobody is asked any more about what the host's own policy asks about
            return _ran(played, at) and not played.stage.asked
        case Effect.FEEDBACK if played.case.plan.feedback == "beside":
            return _result(played, at)[0] != MARK and reached(Effect.CONTEXT, played, at)
        case Effect.FEEDBACK:
            return _result(played, at) == (MARK, True)
        case Effect.REWRITE_OUTPUT:
            return _result(played, at) == (REWRITTEN, False)
        case Effect.REWRITE_PROMPT:
            return any(data.get("text") == REWRITTEN for data in _logged(played, "user/message"))
        case Effect.REWRITE_INPUT:
            return REWRITTEN in str(played.stage.ran)
        case _:
            return False


def _rewrite_keys(case: Case) -> Mapping[Effect, tuple[str, ...]]:
    words = case.dialect.decision
    return {
        Effect.REWRITE_INPUT: words.rewrite_input_keys,
        Effect.REWRITE_OUTPUT: words.rewrite_output_keys,
        Effect.REWRITE_PROMPT: words.rewrite_prompt_keys,
    }


def _flat(case: Case) -> bool:
    return case.dialect.decision.grammar == "top-level"


def _ended(played: Performance) -> bool:
    """Whether a step was refused for the stop, which is the end of its turn."""
    return any(data["reason"] == MARK for data in _logged(played, "prompt/blocked"))


def _log(played: Performance) -> list[tuple[str, Any]]:
    return [(kind, plain(data)) for kind, data in played.stage.log]


def _logged(played: Performance, kind: str) -> list[Mapping[str, object]]:
    return [data for found, data in played.stage.log if found == kind]


def _ran(played: Performance, at: Seen) -> bool:
    return at.values.get("tool.call_id") in {call_id for call_id, _ in played.stage.ran}


def _result(played: Performance, at: Seen) -> tuple[str, bool]:
    of_call = [d for d in _logged(played, "tool/result") if d["call_id"] == at.values.get("tool.call_id")]
    return (str(of_call[0]["text"]), of_call[0]["is_error"] is True) if of_call else ("", False)


def _requests(at: Seen, played: Performance) -> int:
    """How often a turn of the agent was about to end, from the first time that the hook was asked."""
    agent = at.values["agent.id"]
    stops = [seen for seen in played.stage.seen if seen.seam == at.seam and seen.values["agent.id"] == agent]
    return sum(seen.values["turn.id"] == at.values["turn.id"] for seen in stops)
