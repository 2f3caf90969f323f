"""Hypothesis strategies over the values of the engine: what hooks print, what hosts send, what dialects say.

The dialects, rows and plans are those of the compiled catalog, so that a property holds for each that exists.
"""

import json
from typing import Any, NamedTuple

from hypothesis import strategies as st

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.model import DecisionDialect, Dialect, Failure, MatcherDialect, Plan, Row, Vendor
from dsh_compat_adapter.events import Effect, Route
from dsh_compat_adapter.hooks.outcome import Answer, FailureKind, Outcome, Problem, Rank
from dsh_compat_adapter.hooks.process import Finished

CATALOG = Catalog.load()
VENDORS = [*CATALOG.vendors.values(), CATALOG.native]


class Way(NamedTuple):
    """One way to run one event of the catalog under one accepted name."""

    vendor: Vendor
    row: Row
    plan: Plan
    spelling: str

    @property
    def dialect(self) -> Dialect:
        """The vendor's, or what its official bridge makes of it."""
        bridge = self.vendor.bridge if self.plan.route is Route.OFFICIAL_BRIDGE else None
        return bridge.dialect if bridge else self.vendor.dialect

    @property
    def decision(self) -> DecisionDialect:
        """How an answer is read at this event."""
        bridge = self.vendor.bridge if self.plan.route is Route.OFFICIAL_BRIDGE else None
        return bridge.dialect.decision if bridge else self.row.decision

    @property
    def on_failure(self) -> Failure:
        """What a failure does under the policy `vendor`."""
        bridge = self.vendor.bridge if self.plan.route is Route.OFFICIAL_BRIDGE else None
        return bridge.on_failure if bridge else self.row.on_failure


WAYS = [
    Way(vendor, row, plan, spelling)
    for vendor in VENDORS
    for row in vendor.rows.values()
    for plan in (row.plan, row.native_plan)
    if plan is not None
    for spelling in (row.event, *row.spellings)
]
MATCHER_DIALECTS = {
    f"{vendor.name}-{name}": dialect for vendor in VENDORS for name, dialect in vendor.dialect.matchers.items()
}
EVENT_NAMES = sorted({way.spelling for way in WAYS})
# every key of an answer that some dialect reads, so that wrong types meet all of them
ANSWER_KEYS = [
    "additionalContext",
    "behavior",
    "continue",
    "decision",
    "hookSpecificOutput",
    "message",
    "modifiedArgs",
    "modifiedPrompt",
    "modifiedResult",
    "permissionDecision",
    "permissionDecisionReason",
    "reason",
    "stopReason",
    "suppressOutput",
    "systemMessage",
    "updatedInput",
    "updatedPrompt",
    "updatedToolOutput",
]
DECISION_WORDS = ["allow", "approve", "ask", "block", "defer", "deny", "none", "DENY", ""]


def way(vendor: str, event: str, *, native: bool = False) -> Way:
    """The way of a row; `native`: the way of an official-bridge row that runs here."""
    owner = CATALOG.native if vendor == "native" else CATALOG.vendor(vendor)
    row = CATALOG.row(owner, event)
    plan = row.native_plan if native else row.plan
    assert plan is not None
    return Way(owner, row, plan, event)


ways = st.sampled_from(WAYS)
matcher_dialects: st.SearchStrategy[MatcherDialect] = st.sampled_from(list(MATCHER_DIALECTS.values()))

# lone surrogates and control characters are what real payloads and tool names hold at their worst
texts = st.text(st.characters(), max_size=20)
numbers = (
    st.integers()
    | st.integers(min_value=2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([10**400, -(10**400)])
)
json_scalars: st.SearchStrategy[Any] = st.none() | st.booleans() | numbers | texts
json_values: st.SearchStrategy[Any] = st.recursive(
    json_scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
json_objects: st.SearchStrategy[dict[str, Any]] = st.dictionaries(texts, json_values, max_size=5)
# what a Python host may put into an event besides JSON
host_values: st.SearchStrategy[Any] = st.recursive(
    json_scalars
    | st.sampled_from([float("nan"), float("inf"), float("-inf")])
    | st.builds(pow, st.just(10), st.just(5000))  # one that Python itself cannot print
    | st.binary(max_size=4)
    | st.sampled_from(list(Effect)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.tuples(inner, inner)
        | st.frozensets(st.integers(), max_size=2)
        | st.dictionaries(texts | st.integers() | st.booleans(), inner, max_size=4)
    ),
    max_leaves=12,
)

_blocks = st.dictionaries(
    st.sampled_from([*ANSWER_KEYS, "hookEventName", "unknownKey"]),
    json_values | st.sampled_from(DECISION_WORDS) | st.sampled_from(EVENT_NAMES) | st.booleans(),
    max_size=6,
)
documents: st.SearchStrategy[dict[str, Any]] = st.recursive(
    _blocks,
    lambda inner: st.builds(
        lambda outer, block, key: outer | {key: block},
        _blocks,
        inner,
        st.sampled_from(["hookSpecificOutput", "decision"]),
    ),
    max_leaves=3,
)
_printed = st.builds(lambda document: json.dumps(document).encode(), documents)
outputs: st.SearchStrategy[bytes] = (
    st.binary(max_size=60)
    | _printed
    | st.builds(lambda *parts: b"".join(parts), _printed, st.sampled_from([b"", b"\n", b" ", b"x"]), _printed)
    | st.builds(lambda text, cut: text[:cut], _printed, st.integers(0, 80))
    | st.builds(lambda text, junk: b"\xef\xbb\xbf" + text + junk, _printed, st.binary(max_size=6))
)
"""What a hook may print, of any kind."""

endings: st.SearchStrategy[Finished] = st.builds(
    Finished,
    exit_code=st.none() | st.sampled_from([0, 0, 0, 1, 2, 2, 126, 127]) | st.integers(0, 255),
    signal=st.none() | st.integers(1, 64),
    stdout=outputs,
    stderr=st.binary(max_size=20),
    truncated=st.booleans(),
    timed_out=st.booleans(),
    spawn_error=st.none() | texts,
    duration_s=st.floats(0, 1e6),
)
exits: st.SearchStrategy[Finished] = st.builds(
    Finished,
    exit_code=st.sampled_from([0, 0, 0, 1, 2]) | st.integers(0, 255),
    stdout=outputs,
    stderr=st.binary(max_size=20),
)
"""Commands that ended by themselves: unlike most of `endings` these have an answer that is read."""

# folding looks at which texts there are and never into them, so a few words will do
_words = st.sampled_from(["", " ", "a", "b", "no", "\ud800"])
ranks = st.sampled_from(list(Rank))
problems = st.builds(Problem, code=_words, text=_words)
_rewrites = st.dictionaries(
    st.sampled_from([Effect.REWRITE_INPUT, Effect.REWRITE_OUTPUT, Effect.REWRITE_PROMPT]),
    st.sampled_from([{}, {"command": "b"}, "", "text", {"textResultForLlm": "t"}, {"text": 5}, 5, None, ["x"]]),
    max_size=2,
)
_lines = st.lists(_words, max_size=2).map(tuple)
_fields = st.frozensets(st.sampled_from(["interrupt", "terminalSequence", "watchPaths", "other"]), max_size=2)
answers: st.SearchStrategy[Answer] = st.builds(
    Answer,
    decision=ranks,
    reason=st.none() | _words,
    stop=st.booleans(),
    stop_reason=st.none() | _words,
    contexts=_lines,
    plain_stdout=st.booleans(),
    message=st.none() | _words,
    suppress=st.booleans(),
    rewrites=_rewrites,
    fields=_fields,
    failure=st.none() | st.sampled_from(list(FailureKind)),
    problems=st.lists(problems, max_size=2).map(tuple),
)
outcomes: st.SearchStrategy[Outcome] = st.builds(
    Outcome,
    decision=ranks,
    reason=st.none() | _words,
    stop=st.booleans(),
    stop_reason=st.none() | _words,
    contexts=_lines,
    plain_stdout=st.booleans(),
    messages=_lines,
    suppress=st.booleans(),
    rewrites=_rewrites,
    fields=_fields,
    feedback=st.none() | _words,
    problems=st.lists(problems, max_size=2).map(tuple),
)

# a pattern as people and machines write them: pieces of every kind of syntax, sensible and not
_CHARACTERS = list("aB_-1 .,^$|*+?()[]{}\\é😀\x00\n\ud800")
_SYNTAX = [
    "(?:",
    "(?=",
    "(?!",
    "(?<n>",
    "(?i)",
    "[a-c]",
    "[^a]",
    "[]a]",
    "[^]a]",
    "{2}",
    "{1,2}",
    "mcp__",
    ".*",
    "Bash",
]
_ESCAPES = [r"\w", r"\d", r"\s", r"\b", r"\B", r"\.", r"\1", r"\A", r"\z", r"\pL", r"\u0061", r"\x61"]
_pieces = st.sampled_from(_CHARACTERS) | st.sampled_from(_SYNTAX) | st.sampled_from(_ESCAPES)
patterns: st.SearchStrategy[str] = st.lists(_pieces, max_size=8).map("".join) | texts
# every character that a tool name has, and a few that it has not
names: st.SearchStrategy[str] = st.text("aBb_-1 .,{}[]c^$", max_size=8) | st.sampled_from(
    ["Bash", "mcp__a__b", "", "aaaa!"]
)
