"""`facts.store.line`: whatever a fact holds, its line says it and is one line."""

from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.facts.fact import (
    NO_EFFECTS,
    Effects,
    Evidence,
    Fact,
    FactsDropped,
    Handler,
    HookCompleted,
    HookFailed,
    HookStarted,
    PolicyChanged,
    Rewrite,
    Scope,
)
from dsh_compat_adapter.facts.sink import Record
from dsh_compat_adapter.facts.store.line import line_of, record_of

TEXTS = st.text(st.characters(exclude_categories=[]))  # lone surrogates too
SOME = st.none() | TEXTS
NUMBERS = st.integers(0, 2**53)
SCOPES = st.builds(Scope, session_id=TEXTS, thread_id=SOME, turn_id=SOME, tool_call_id=SOME)
HANDLERS = st.builds(Handler, ref=TEXTS, vendor=TEXTS, event=TEXTS, canonical=SOME, point=SOME)
REWRITES = st.builds(
    Rewrite,
    effect=st.sampled_from(["rewrite-input", "rewrite-prompt", "rewrite-output"]),
    before=SOME,
    after=TEXTS,
    honoured=st.booleans(),
)
EFFECTS = st.just(NO_EFFECTS) | st.builds(
    Effects,
    goes_on=st.booleans(),
    reason_ref=SOME,
    rewrites=st.lists(REWRITES, max_size=2).map(tuple),
    context_refs=st.lists(TEXTS, max_size=2).map(tuple),
    message_ref=SOME,
    suppress_output=st.booleans(),
    audit_refs=st.none() | st.dictionaries(TEXTS, TEXTS, max_size=2),
)
WORDS = st.lists(TEXTS, max_size=2).map(tuple)
HEAD = {"id": TEXTS, "at_us": NUMBERS, "scope": SCOPES}
RUN = {**HEAD, "handler": HANDLERS, "redactions": NUMBERS}
END = {**RUN, "duration_us": NUMBERS, "decision": TEXTS, "effects": EFFECTS, "problems": WORDS}
FACTS: st.SearchStrategy[Fact] = st.one_of(
    st.builds(HookCompleted, **END, honoured=st.booleans(), losses=WORDS),
    st.builds(
        HookFailed,
        **END,
        category=TEXTS,
        retryable=st.booleans(),
        failed=st.sampled_from(["open", "closed", None]),
        decision_source=TEXTS,
    ),
    st.builds(PolicyChanged, **HEAD, before=TEXTS, after=TEXTS, source=TEXTS),
    st.builds(FactsDropped, **HEAD, sink=TEXTS, lost=NUMBERS, error=TEXTS),
)
EVIDENCE = st.builds(Evidence, ref=TEXTS, text=TEXTS, size=NUMBERS, redactions=NUMBERS, cut=st.booleans())
SHOWN = st.lists(st.lists(TEXTS, max_size=2).map(tuple), max_size=2).map(tuple)
STARTS = st.builds(HookStarted, **RUN, timeout_s=st.floats(0, 1e6), shown=SHOWN, preview=TEXTS, input_ref=TEXTS)
RECORDS = st.builds(Record, STARTS, st.tuples(EVIDENCE)) | st.builds(
    Record, FACTS, st.lists(EVIDENCE, max_size=2).map(tuple)
)


@given(RECORDS)
def test_a_line_says_all_of_a_fact_and_of_its_evidence(record: Record) -> None:
    line = line_of(record)
    read = record_of(line)
    assert (read, type(read.fact)) == (record.settled(), type(record.fact))
    assert line.index(b"\n") == len(line) - 1
