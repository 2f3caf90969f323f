"""Tells a recorder what becomes of each hook: that it started before it runs, how it ended before its answer goes out.

Total: whatever goes wrong here is the recorder's to say, and no hook and no decision notices.
"""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from ..catalog.model import FailureMode
from ..events import Effect
from ..facts.fact import (
    NO_EFFECTS,
    Effects,
    Evidence,
    Handler,
    HookCompleted,
    HookFailed,
    HookStarted,
    Rewrite,
    Scope,
)
from ..facts.ids import new_id, now_us
from ..facts.preview import Members, preview
from ..facts.recorder import Recorder
from ..facts.sink import Record
from .fold import fold, restrict
from .hook import Hook
from .outcome import SILENT, Answer, FailureKind, Rank
from .payload import dumps
from .policy import Policy
from .process import Finished
from .values import MISSING, Values, lookup, view

# what a person recognises an event by, in this order
PREVIEWED = (
    "tool.name",
    "tool.arguments",
    "prompt.text",
    "question.text",
    "error.message",
    "session.source",
    "event.type",
)
ID = 200  # characters of an id
SCOPE = ("session.id", "thread.id", "turn.id", "tool.call_id")
# where the value stands that a rewrite replaces
BEFORE = {
    Effect.REWRITE_INPUT: "tool.arguments",
    Effect.REWRITE_PROMPT: "prompt.text",
    Effect.REWRITE_OUTPUT: "result.value",
}
RETRYABLE = (FailureKind.TIMEOUT, FailureKind.KILLED)  # the same call may go well another time
DECISIONS = {Rank.ALLOW: Effect.ALLOW, Rank.ASK: Effect.ASK, Rank.DENY: Effect.DENY}


class Ran(NamedTuple):
    """How a run ended."""

    finished: Finished
    answer: Answer  # after the failure policy
    mode: FailureMode | None  # of a failure: what it does
    can_ask: bool


class _Known(NamedTuple):
    """What the facts of one hook have in common."""

    handler: Handler
    shown: Members


class Recording:
    """The facts of one engine."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._known: dict[str, _Known] = {}  # by hook

    def begin(self, hook: Hook, values: Values, payload: Mapping[str, object], stdin: bytes) -> HookStarted | None:
        """A hook is about to run; none when that could not be said."""
        try:
            at_us = now_us()
            known = self._known.get(hook.id)
            if known is None:
                known = self._known[hook.id] = _Known(_handler(hook), _previewed(hook))
            seen = self._recorder.keep_value(payload, stdin)
            # by position, as keywords cost a named tuple three times as much
            started = HookStarted(
                new_id(at_us), at_us, self._scope(values), known.handler, hook.timeout_s, seen.redactions, known.shown
            )
            if seen.cut:  # which is no JSON any more
                started = started._replace(preview=preview(self._recorder.redactor.value(payload).text, known.shown))
            self._recorder.record(Record(started, (seen,)))
        except Exception as error:  # noqa: BLE001 - see the module
            self._recorder.defect(error)
            return None
        return started

    def end(self, started: HookStarted, hook: Hook, values: Values, policy: Policy, ran: Ran) -> None:
        """A hook has run."""
        try:
            if ran.answer is SILENT and not ran.finished.stderr:
                self._end_silent(started, ran.finished)
            else:
                self._end(started, hook, values, policy, ran)
        except Exception as error:  # noqa: BLE001 - see the module
            self._recorder.defect(error)

    def cut_off(self, started: HookStarted, hook: Hook, error: BaseException) -> None:
        """A hook did not get to its end: the action was cancelled, or this program has a defect."""
        cancelled = isinstance(error, asyncio.CancelledError)
        at_us = now_us()
        self._recorder.record(
            Record(
                HookFailed(
                    id=started.id,
                    at_us=at_us,
                    scope=started.scope,
                    handler=started.handler,
                    duration_us=at_us - started.at_us,
                    category="cancelled" if cancelled else "defect",
                    retryable=cancelled,
                    failed=None,
                    decision=Rank.NONE.word,
                    decision_source="on_error" if hook.on_error else "none",
                    effects=NO_EFFECTS,
                    problems=(),
                    redactions=0,
                )
            )
        )

    def _end(self, started: HookStarted, hook: Hook, values: Values, policy: Policy, ran: Ran) -> None:
        kept: dict[str, Evidence] = {}
        streams = {
            name: self._keep(kept, data.decode("utf-8", "replace"))
            for name, data in (("stdout", ran.finished.stdout), ("stderr", ran.finished.stderr))
            if data
        }
        redactions = sum(one.redactions for one in streams.values())
        answer = ran.answer
        problems = tuple(dict.fromkeys(problem.code for problem in answer.problems))
        refs = {name: one.ref for name, one in streams.items()}
        if texts := "\n".join(problem.text for problem in answer.problems):
            refs["problems"] = self._keep(kept, texts).ref
        effects = self._effects(kept, hook, values, answer, refs)
        end_us = now_us()
        fact: HookCompleted | HookFailed
        if answer.failure is not None:
            fact = HookFailed(
                id=started.id,
                at_us=end_us,
                scope=started.scope,
                handler=started.handler,
                duration_us=round(ran.finished.duration_s * 1e6),
                category=answer.failure.value,
                retryable=answer.failure in RETRYABLE,
                failed="closed" if ran.mode == "deny" or answer.decision is Rank.DENY else "open",
                decision=answer.decision.word,
                decision_source="on_error" if hook.on_error else f"policy:{policy.value}",
                effects=effects,
                problems=problems,
                redactions=redactions,
            )
        else:
            # a silent answer, as most are, loses nothing
            losses = restrict(fold([answer]), hook.plan, can_ask=ran.can_ask).losses if refs else ()
            wanted = DECISIONS.get(answer.decision)
            fact = HookCompleted(
                id=started.id,
                at_us=end_us,
                scope=started.scope,
                handler=started.handler,
                duration_us=round(ran.finished.duration_s * 1e6),
                decision=answer.decision.word,
                honoured=wanted is None or wanted in hook.plan.honours,
                effects=effects,
                losses=losses,
                problems=problems,
                redactions=redactions,
            )
        self._recorder.record(Record(fact, tuple(kept.values())))

    def _end_silent(self, started: HookStarted, finished: Finished) -> None:
        """As `_end` for a hook that has said nothing, which is where facts would cost the most of a hook's time."""
        duration_us = round(finished.duration_s * 1e6)
        fact = HookCompleted(started.id, now_us(), started.scope, started.handler, duration_us)
        self._recorder.record(Record(fact))

    def _effects(
        self, kept: dict[str, Evidence], hook: Hook, values: Values, answer: Answer, refs: Mapping[str, str]
    ) -> Effects:
        if not refs and answer.decision is Rank.NONE:
            return NO_EFFECTS
        return Effects(
            goes_on=not answer.stop,
            reason_ref=self._keep(kept, answer.reason).ref if answer.reason else None,
            rewrites=tuple(
                self._rewrite(kept, hook, values, effect, after) for effect, after in answer.rewrites.items()
            ),
            context_refs=tuple(self._keep(kept, context).ref for context in answer.contexts),
            message_ref=self._keep(kept, answer.message).ref if answer.message else None,
            suppress_output=answer.suppress,
            audit_refs=refs,
        )

    def _rewrite(self, kept: dict[str, Evidence], hook: Hook, values: Values, effect: Effect, after: object) -> Rewrite:
        before = lookup(view(values, hook.vendor), BEFORE[effect])
        return Rewrite(
            effect=effect.value,
            before=None if before is MISSING else self._keep(kept, _text(before)).ref,
            after=self._keep(kept, _text(after)).ref,
            honoured=effect in hook.plan.honours,
        )

    def _keep(self, kept: dict[str, Evidence], text: str) -> Evidence:
        one = self._recorder.keep(text)
        kept[one.ref] = one
        return one

    def _scope(self, values: Values) -> Scope:
        session, thread, turn, call = [
            value[:ID] if isinstance(value := values.get(path), str) and value else None for path in SCOPE
        ]
        return Scope(session or self._recorder.session, thread, turn, call)


def _previewed(hook: Hook) -> Members:
    found = {field.path: tuple(names) for names, field in hook.fields}
    return tuple(found[path] for path in PREVIEWED if path in found)


def _handler(hook: Hook) -> Handler:
    row = hook.row
    return Handler(
        ref=hook.id,
        vendor=hook.vendor.name,
        event=hook.spelling,
        canonical=row.canonical.value if row.canonical else None,
        point=row.point.name if row.point else None,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else dumps(value)
