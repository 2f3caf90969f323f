"""Reads one JSON answer in the grammar of a dialect. Pure and total: a wrong type is a problem, never an exception."""

from collections.abc import Mapping

from ..catalog.model import DecisionDialect
from ..errors import shown
from ..events import Effect
from .outcome import Answer, FailureKind, Problem, Rank

OUTPUT = "hookSpecificOutput"
# defer hands the call to somebody else; nobody else is here, so it asks
PERMISSIONS = {"allow": Rank.ALLOW, "ask": Rank.ASK, "defer": Rank.ASK, "deny": Rank.DENY}
TOP_DECISIONS = {"approve": Rank.ALLOW, "allow": Rank.ALLOW, "block": Rank.DENY, "deny": Rank.DENY}
TOP_KEYS = frozenset(
    {
        "continue",
        "stopReason",
        "systemMessage",
        "suppressOutput",
        "decision",
        "reason",
        "additionalContext",
        OUTPUT,
    }
)
PERMISSION_KEYS = frozenset({"permissionDecision", "permissionDecisionReason", "behavior", "message"})
OUTPUT_KEYS = frozenset(
    {"hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext", "decision"}
)
INNER_KEYS = frozenset({"behavior", "message"})
CONTEXT_KEYS = frozenset({"additionalContext"})

# what a rewritten output may be is the tool's own affair
REWRITE_TYPES: Mapping[Effect, type] = {Effect.REWRITE_INPUT: dict, Effect.REWRITE_PROMPT: str}


class _Reader:
    """Collects the problems of one answer while its members are read."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def note(self, code: str, text: str) -> None:
        if (problem := Problem(code=code, text=text)) not in self.problems:
            self.problems.append(problem)

    def noted(self, *codes: str) -> bool:
        return any(problem.code in codes for problem in self.problems)

    def text(self, data: Mapping[str, object], key: str) -> str | None:
        value = data.get(key)
        if value is None or isinstance(value, str):
            return value or None
        self.note("answer-wrong-type", f"{key} should be a string, found {type(value).__name__}")
        return None

    def flag(self, data: Mapping[str, object], key: str) -> bool | None:
        value = data.get(key)
        if value is None or isinstance(value, bool):
            return value
        self.note("answer-wrong-type", f"{key} should be true or false, found {type(value).__name__}")
        return None

    def rank(self, data: Mapping[str, object], key: str, words: Mapping[str, Rank]) -> Rank:
        value = data.get(key)
        if value is None:
            return Rank.NONE
        if isinstance(value, str) and value in words:
            return words[value]
        self.note("answer-unknown-decision", f"{key} is {shown(value)}; expected one of {', '.join(words)}")
        return Rank.NONE


def read_answer(document: Mapping[str, object], dialect: DecisionDialect, event: str) -> Answer:
    """The answer that a JSON object means in this dialect, to a hook that was told `event`."""
    reader = _Reader()
    output = _output(document, dialect, event, reader)
    top_level = dialect.grammar == "top-level"
    if not top_level:
        _note_misplaced(document, reader)
    ignores = dialect.permission_decision == "ignored"
    deciding = [_without_permission(place, reader) if ignores else place for place in (document, output)]
    rank, reason = _decision(*deciding, top_level=top_level, reader=reader)
    rewrites = _rewrites(document if top_level else {}, output, dialect, reader)
    goes_on = reader.flag(document, "continue")
    stop_reason = reader.text(document, "stopReason")
    if goes_on is False and dialect.continue_false == "deny":
        own = reason if rank is Rank.DENY else None
        rank, reason, goes_on = Rank.DENY, own or stop_reason or reader.text(document, "reason"), None
    contexts = _contexts(document, output, dialect, reader)
    if rank is Rank.DENY and dialect.deny_needs_reason and not reason:
        if dialect.bare_deny == "void":
            return bare_deny("a block without a reason")
        reader.note("deny-without-reason", "the vendor's own engine ignores a deny without a reason; here it refuses")
    inner = _object(output.get("decision"))
    unknown = _unknown(document, output, inner, dialect)
    if unknown and dialect.unknown_keys == "void":
        return _void(rank, unknown, reader)
    return Answer(
        decision=rank,
        reason=reason,
        stop=goes_on is False,
        stop_reason=stop_reason,
        contexts=contexts,
        message=reader.text(document, "systemMessage"),
        suppress=reader.flag(document, "suppressOutput") is True,
        rewrites=rewrites,
        fields=frozenset(key for place in (document, output, inner) for key in place if place[key] is not None),
        failure=FailureKind.ANSWER if _is_void(rank, reader) else None,
        problems=tuple(reader.problems),
    )


def bare_deny(what: str) -> Answer:
    """What is left of a refusal that needs a reason and has none, where nothing is held up by it."""
    text = f"the vendor's own engine takes {what} for a failed hook at this event, and so it is here"
    return Answer(failure=FailureKind.ANSWER, problems=(Problem(code="deny-without-reason", text=text),))


def _without_permission(place: Mapping[str, object], reader: _Reader) -> Mapping[str, object]:
    """The object without its permission decision, which this event does not take; that it stood there is said."""
    if "permissionDecision" not in place:
        return place
    text = "permissionDecision is read before a tool call; this event takes a decision with a reason instead"
    reader.note("decision-misplaced", text)
    return {key: value for key, value in place.items() if key not in ("permissionDecision", "permissionDecisionReason")}


def _contexts(
    document: Mapping[str, object], output: Mapping[str, object], dialect: DecisionDialect, reader: _Reader
) -> tuple[str, ...]:
    """The texts for the model; one that stands where the vendor does not read it is said to be dropped."""
    found: list[str | None] = []
    for name, place in (("inner", output), ("outer", document)):
        if dialect.context_place in (name, "either"):
            found.append(reader.text(place, "additionalContext"))
        elif place.get("additionalContext") is not None:
            right = f"inside {OUTPUT}" if name == "outer" else "at top level"
            reader.note("context-misplaced", f"additionalContext is read {right} by this vendor, so it was dropped")
    return tuple(dict.fromkeys(context for context in found if context))


def _output(
    document: Mapping[str, object], dialect: DecisionDialect, event: str, reader: _Reader
) -> Mapping[str, object]:
    """The nested block, or nothing when it is of another event."""
    output = document.get(OUTPUT)
    if output is None:
        return {}
    if not isinstance(output, dict):
        reader.note("answer-wrong-type", f"{OUTPUT} should be an object, found {type(output).__name__}")
        return {}
    name = output.get("hookEventName")
    rule = dialect.missing_event_name if name is None else dialect.wrong_event_name
    if name == event or rule == "accepted":
        return output
    found = "has no hookEventName" if name is None else f"is for {shown(name)}"
    lost = " and held a decision" if "permissionDecision" in output or "decision" in output else ""
    reader.note(
        "decision-dropped",
        f"{OUTPUT} {found}{lost}; expected {shown(event)}, so it was dropped as the vendor does",
    )
    return {}


def _note_misplaced(document: Mapping[str, object], reader: _Reader) -> None:
    """Say that a decision stands where this dialect does not read it, so that no refusal is lost without a word."""
    found = [key for key in ("permissionDecision", "behavior") if key in document]
    if isinstance(document.get("decision"), dict):
        found.append("a decision object")
    for what in found:
        reader.note("decision-misplaced", f"{what} stands at top level; this dialect reads it in {OUTPUT}")


def _decision(
    document: Mapping[str, object], output: Mapping[str, object], *, top_level: bool, reader: _Reader
) -> tuple[Rank, str | None]:
    """The decision and its reason.

    The nested block counts first, then (where the dialect has them) top-level permissions, then the older form.
    """
    for place in (output, document) if top_level else (output,):
        if rank := reader.rank(place, "permissionDecision", PERMISSIONS):
            return rank, reader.text(place, "permissionDecisionReason")
        inner = place.get("decision")
        if place is output and not isinstance(inner, dict | None):
            reader.note("answer-wrong-type", f"{OUTPUT}.decision should be an object, found {type(inner).__name__}")
        behavior = inner if isinstance(inner, dict) else place if top_level else {}
        if rank := reader.rank(behavior, "behavior", PERMISSIONS):
            return rank, reader.text(behavior, "message")
    if isinstance(document.get("decision"), dict):
        return Rank.NONE, None
    unclear = reader.noted("answer-unknown-decision", "decision-misplaced")
    rank = reader.rank(document, "decision", TOP_DECISIONS)
    # beside a decision that was not understood only a refusal counts
    return Rank.NONE if rank is Rank.ALLOW and unclear else rank, reader.text(document, "reason")


def _rewrites(
    document: Mapping[str, object], output: Mapping[str, object], dialect: DecisionDialect, reader: _Reader
) -> dict[Effect, object]:
    places = (output, _object(output.get("decision")), document)
    rewrites: dict[Effect, object] = {}
    for effect, keys in _rewrite_keys(dialect).items():
        found = [(key, place[key]) for place in places for key in keys if place.get(key) is not None]
        for key, value in found[:1]:
            wanted = REWRITE_TYPES.get(effect)
            if wanted is None or isinstance(value, wanted):
                rewrites[effect] = value
            else:
                reader.note("answer-wrong-type", f"{key} cannot be a {type(value).__name__}, so nothing is rewritten")
    return rewrites


def _rewrite_keys(dialect: DecisionDialect) -> dict[Effect, tuple[str, ...]]:
    return {
        Effect.REWRITE_INPUT: dialect.rewrite_input_keys,
        Effect.REWRITE_OUTPUT: dialect.rewrite_output_keys,
        Effect.REWRITE_PROMPT: dialect.rewrite_prompt_keys,
    }


def _object(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _unknown(
    document: Mapping[str, object],
    output: Mapping[str, object],
    inner: Mapping[str, object],
    dialect: DecisionDialect,
) -> list[str]:
    """The members that have no meaning of their own here, sorted."""
    rewrites = {key for keys in _rewrite_keys(dialect).values() for key in keys}
    known_top = TOP_KEYS | (PERMISSION_KEYS | rewrites if dialect.grammar == "top-level" else frozenset())
    known_inner: frozenset[str] = OUTPUT_KEYS
    if dialect.context_place == "inner":
        known_top -= CONTEXT_KEYS
    if dialect.permission_decision == "ignored":
        known_inner -= PERMISSION_KEYS
    return sorted(
        (set(document) - known_top) | (set(output) - known_inner - rewrites) | (set(inner) - INNER_KEYS - rewrites)
    )


def _void(rank: Rank, unknown: list[str], reader: _Reader) -> Answer:
    lost = f"; its {rank.word} is lost there and the action goes on" if rank > Rank.ALLOW else ""
    reader.note("answer-unknown-key", f"the vendor rejects an answer with the key {', '.join(unknown):.200}{lost}")
    return Answer(failure=FailureKind.ANSWER, problems=tuple(reader.problems))


def _is_void(rank: Rank, reader: _Reader) -> bool:
    """An answer that meant to decide and could not be understood."""
    return rank is Rank.NONE and reader.noted(
        "answer-unknown-decision", "answer-wrong-type", "decision-dropped", "decision-misplaced"
    )
