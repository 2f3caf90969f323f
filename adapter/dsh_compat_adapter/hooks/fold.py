"""Folds the answers to one event into one outcome, and cuts the outcome to what a route can carry.

Both are pure. The order rules are those of the hook contract (seed 000): the strictest decision wins and the reasons
of its rank are joined; the first stop counts; contexts and messages keep the order of the hooks.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ..catalog.model import Plan
from ..events import Effect
from .outcome import Answer, Outcome, Problem, Rank

UNANSWERABLE = "ask-unanswerable"
PLAIN_STDOUT = "plain-stdout"
# what is cut out of an outcome where a route does not carry it, and its name in a problem
CUT = {
    Effect.STOP: '"continue": false',
    Effect.CONTEXT: "additional context",
    Effect.REWRITE_INPUT: "rewritten input",
    Effect.REWRITE_OUTPUT: "rewritten output",
    Effect.REWRITE_PROMPT: "rewritten prompt",
}
NO_REASON = "denied by a hook, which gave no reason"


def fold(answers: Sequence[Answer], *, last_context: bool = False) -> Outcome:
    """One outcome of all answers, in the order of the hooks. An empty answer never erases a rewrite.

    `last_context`: of the contexts only those of the last answer that names one count, and plain text where none does.
    """
    if last_context:
        answers = _with_last_context(answers)
    rank = max((answer.decision for answer in answers), default=Rank.NONE)
    reasons = [answer.reason for answer in answers if answer.decision is rank and answer.reason]
    stopping = [answer for answer in answers if answer.stop]
    return Outcome(
        decision=rank,
        reason=_joined(rank, reasons) or (NO_REASON if rank is Rank.DENY else None),
        stop=bool(stopping),
        stop_reason=stopping[0].stop_reason if stopping else None,
        contexts=tuple(context for answer in answers for context in answer.contexts),
        plain_stdout=any(answer.plain_stdout for answer in answers),
        messages=tuple(answer.message for answer in answers if answer.message),
        suppress=any(answer.suppress for answer in answers),
        rewrites={effect: value for answer in answers for effect, value in answer.rewrites.items()},
        fields=frozenset().union(*(answer.fields for answer in answers)),
        problems=tuple(problem for answer in answers for problem in answer.problems),
    )


def _with_last_context(answers: Sequence[Answer]) -> Sequence[Answer]:
    """The answers without the contexts that the vendor does not pass on; each that goes is said."""
    naming = [number for number, answer in enumerate(answers) if answer.contexts and not answer.plain_stdout]
    if not naming:
        return answers
    text = "the context of this hook is dropped, as the vendor drops it: another one answers with a context after it"
    dropped = Problem(code="context-overridden", text=text)
    return [
        replace(answer, contexts=(), problems=(*answer.problems, dropped))
        if answer.contexts and number != naming[-1]
        else answer
        for number, answer in enumerate(answers)
    ]


def restrict(outcome: Outcome, plan: Plan, *, can_ask: bool) -> Outcome:
    """What of an outcome the plan's route carries to the host, with the losses that this outcome really had.

    `can_ask`: the host has somebody who can be asked; without one an ask is a listed loss.
    """
    losses = tuple(dict.fromkeys(_losses(outcome, plan, can_ask=can_ask)))
    kept = replace(
        outcome,
        losses=losses,
        problems=(*outcome.problems, *_without_effect(outcome, plan)),
        contexts=outcome.contexts if Effect.CONTEXT in plan.honours else (),
        stop=outcome.stop and Effect.STOP in plan.honours,
        rewrites={effect: value for effect, value in outcome.rewrites.items() if effect in plan.honours},
    )
    if outcome.decision is Rank.ASK and Effect.ASK not in plan.honours:
        return _without_ask(kept, plan)
    if outcome.decision is Rank.DENY and not plan.can_block:
        return _after_the_fact(_downgraded(kept), plan)
    if kept.decision is Rank.DENY and kept.stop and plan.holds_turn:
        return _released(kept)
    return kept


def combine(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome of several hook points of one moment (several vendors' hooks on one event). The strictest wins."""
    rank = max((outcome.decision for outcome in outcomes), default=Rank.NONE)
    winners = [outcome for outcome in outcomes if outcome.decision is rank]
    stopping = [outcome for outcome in outcomes if outcome.stop]
    lowered = [outcome for outcome in outcomes if outcome.raw_decision is not None]
    feedback = [outcome.feedback for outcome in outcomes if outcome.feedback]
    return Outcome(
        decision=rank,
        reason=_joined(rank, [outcome.reason for outcome in winners if outcome.reason]),
        stop=bool(stopping),
        stop_reason=stopping[0].stop_reason if stopping else None,
        contexts=tuple(context for outcome in outcomes for context in outcome.contexts),
        messages=tuple(message for outcome in outcomes for message in outcome.messages),
        suppress=any(outcome.suppress for outcome in outcomes),
        rewrites={effect: value for outcome in outcomes for effect, value in outcome.rewrites.items()},
        fields=frozenset().union(*(outcome.fields for outcome in outcomes)),
        feedback="\n\n".join(feedback) or None,
        downgraded=any(outcome.downgraded for outcome in lowered),
        raw_decision=max((o.raw_decision for o in lowered if o.raw_decision is not None), default=None),
        raw_reason="\n\n".join(outcome.raw_reason for outcome in lowered if outcome.raw_reason) or None,
        losses=tuple(dict.fromkeys(loss for outcome in outcomes for loss in outcome.losses)),
        problems=tuple(problem for outcome in outcomes for problem in outcome.problems),
    )


def used_effects(outcome: Outcome) -> Iterator[Effect]:
    """The effects that an outcome asks for."""
    match outcome.decision:
        case Rank.DENY:
            yield Effect.DENY
            yield Effect.FEEDBACK
        case Rank.ASK:
            yield Effect.ASK
        case Rank.ALLOW:
            yield Effect.ALLOW
        case Rank.NONE:
            pass
    if outcome.stop:
        yield Effect.STOP
    if outcome.contexts:
        yield Effect.CONTEXT
    if outcome.messages:
        yield Effect.MESSAGE
    if outcome.suppress:
        yield Effect.SUPPRESS
    yield from outcome.rewrites


def _joined(rank: Rank, reasons: Iterable[str]) -> str | None:
    """The reasons of the winning rank; where nobody decided there is none to give."""
    return ("\n\n".join(dict.fromkeys(reasons)) or None) if rank else None


def _losses(outcome: Outcome, plan: Plan, *, can_ask: bool) -> Iterator[str]:
    used: set[str] = set(used_effects(outcome))
    if Effect.ASK in used and not can_ask:
        used.add(UNANSWERABLE)
    if outcome.plain_stdout:
        used.add(PLAIN_STDOUT)
    for degradation in plan.degradations:
        if degradation.trigger == "field":
            if degradation.field in outcome.fields:
                yield degradation.code
        elif degradation.trigger in used:
            yield degradation.code


def _without_effect(outcome: Outcome, plan: Plan) -> Iterator[Problem]:
    """What is cut although no listed loss says so, since the vendor does not take it at this event either."""
    listed = {degradation.trigger for degradation in plan.degradations}
    for effect in used_effects(outcome):
        if effect in CUT and effect not in plan.honours and effect.value not in listed:
            text = f"{CUT[effect]} in an answer has no effect at this event, so it is dropped"
            yield Problem(code="answer-without-effect", text=text)


def _without_ask(outcome: Outcome, plan: Plan) -> Outcome:
    """An ask that nobody can be asked never becomes an allow: it refuses where the route can, else it is noted."""
    if not plan.can_block:
        return _downgraded(outcome)
    reason = outcome.reason or "a hook asks for a confirmation"
    return replace(
        outcome,
        decision=Rank.DENY,
        reason=f"{reason} (refused, since nobody can be asked here)",
        raw_decision=outcome.decision,
        raw_reason=outcome.reason,
    )


def _after_the_fact(outcome: Outcome, plan: Plan) -> Outcome:
    """A block that comes too late to prevent anything: its reason is told instead of the result, or beside it."""
    if Effect.FEEDBACK not in plan.honours:
        return outcome
    if plan.feedback == "beside":
        return replace(outcome, contexts=(*outcome.contexts, outcome.raw_reason or NO_REASON))
    return replace(outcome, feedback=outcome.raw_reason)


def _released(outcome: Outcome) -> Outcome:
    """A block keeps the turn going and a stop ends it: the stop counts, as with every vendor that has both."""
    return replace(outcome, decision=Rank.NONE, reason=None, raw_decision=outcome.decision, raw_reason=outcome.reason)


def _downgraded(outcome: Outcome) -> Outcome:
    return replace(
        outcome,
        decision=Rank.NONE,
        reason=None,
        downgraded=True,
        raw_decision=outcome.decision,
        raw_reason=outcome.reason,
    )
