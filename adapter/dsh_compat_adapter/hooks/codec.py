"""Reads what a hook left behind: exit code, stderr, and the answer on stdout.

Pure and total: whatever a process printed, the result is an Answer. What cannot be understood is a problem with a
code, and an answer that is void counts as a failure, so that the failure policy decides about it.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import replace

from ..catalog.model import DecisionDialect, Plan, Row
from .answer import bare_deny, read_answer
from .outcome import Answer, FailureKind, Problem, Rank
from .process import OUTPUT_LIMIT, Finished

BLOCK = 2
CANNOT_START = (126, 127)  # of a POSIX shell: not executable, not found
BOM = "\ufeff"
NOT_JSON = "stdout begins like JSON and is none; print one JSON object, or nothing"
SHOWN = 400  # characters of a hook's own text in a problem
_BEHIND_TEXT = re.compile(r"^[ \t]*+\[?[ \t]*+(?=\{)", re.MULTILINE)  # possessive, so linear in blanks
PROGRESS_KEYS = {"type", "message", "temporary"}  # with anything else beside it a line is an answer
DOCUMENTS = 1000  # read of one stdout; 4 MB of `{}` would take half a minute


def decode(finished: Finished, dialect: DecisionDialect, row: Row, plan: Plan, event: str) -> Answer:
    """The answer of one finished command. `event` is the name of the row's event that the hook was told."""
    answer = _limited(_decode(finished, dialect, row, plan, event), dialect.context_limit)
    return _blocking(answer) if dialect.context == "blocks" else answer


def _decode(  # noqa: PLR0911 - one return a way to end
    finished: Finished, dialect: DecisionDialect, row: Row, plan: Plan, event: str
) -> Answer:
    stderr = finished.stderr.decode("utf-8", "replace").strip()
    if (failure := _failure(finished)) is not None:
        failed = _failed(failure, _explain(finished, failure, stderr))
        reads = dialect.json_at_other_exit and failure in (FailureKind.KILLED, FailureKind.COMMAND)
        return _refused_beside(failed, _text(finished), dialect, event) if reads else failed
    text = _text(finished)
    if dialect.progress_lines:
        text = "\n".join(line for line in text.split("\n") if not _is_progress(line)).strip()
    if finished.exit_code == BLOCK and row.exit_2 == "deny":
        return _blocked(text, stderr, dialect, event)
    if finished.exit_code == BLOCK and row.exit_2 == "context":
        return Answer(contexts=(stderr,) if stderr else ())
    if finished.exit_code != 0:
        failed = _failed(FailureKind.EXIT, _explain(finished, FailureKind.EXIT, stderr))
        if row.stdout_of_failure == "context" and plan.keeps_stdout and text and not text.startswith("{"):
            failed = replace(failed, contexts=(text,), plain_stdout=True)
        return _refused_beside(failed, text, dialect, event) if dialect.json_at_other_exit else failed
    if finished.void is not None:
        return _failed(FailureKind.ANSWER, finished.void)
    if finished.truncated:
        return _failed(FailureKind.ANSWER, f"stdout is longer than {OUTPUT_LIMIT} bytes and was not read as an answer")
    said = bool(text) and row.stdout_context
    plain = Answer(contexts=(text,) if said and plan.keeps_stdout else (), plain_stdout=said)
    read = _json_answer if text.startswith("{") else _plain_answer
    return read(text, dialect, event, plain)


def _text(finished: Finished) -> str:
    return finished.stdout.decode("utf-8", "replace").removeprefix(BOM).strip()


def _plain_answer(text: str, dialect: DecisionDialect, event: str, plain: Answer) -> Answer:
    """Text is `plain`, and a failure where a refusal stands behind it, as behind the greeting of a shell profile."""
    behind = _BEHIND_TEXT.search(text)
    document = next(_documents(text[behind.end() :])) if behind else None
    if document is None or read_answer(document, dialect, event).decision < Rank.ASK:
        return plain
    said = "stdout holds a refusal behind other text, where no vendor reads it; print one JSON object and nothing else"
    problem = Problem(code="answer-behind-text", text=said)
    return replace(plain, failure=FailureKind.ANSWER, problems=(problem,))


def _limited(answer: Answer, limit: int | None) -> Answer:
    """The answer with contexts that the vendor would pass on; what is cut is said, with both sizes."""
    sizes = [len(context) for context in answer.contexts]
    if limit is None or not sizes or max(sizes) <= limit:
        return answer
    cut = tuple(
        Problem(
            code="context-cut",
            text=f"a context of {size} characters was cut to {limit}, the vendor's limit; the rest is lost",
        )
        for size in sizes
        if size > limit
    )
    contexts = tuple(context[:limit] for context in answer.contexts)
    return replace(answer, contexts=contexts, problems=answer.problems + cut)


def _blocking(answer: Answer) -> Answer:
    """An answer whose contexts have the effect of a block, unless it decides something itself."""
    if not answer.contexts or answer.decision is Rank.DENY or answer.stop or answer.failure:
        return answer
    return replace(answer, decision=Rank.DENY, reason="\n\n".join(answer.contexts), contexts=())


def _json_answer(text: str, dialect: DecisionDialect, event: str, plain: Answer) -> Answer:
    """The answer that JSON text gives; `plain` is what it means when it is none after all."""
    documents = list(_documents(text))
    match documents:
        case [dict() as document]:
            return read_answer(document, dialect, event)
        case [] | [None]:
            problem = Problem(code="answer-not-json", text=f"{NOT_JSON}: {_shown(text)}")
            read_as = plain if dialect.broken_json == "text" else Answer()
            return replace(read_as, failure=FailureKind.ANSWER, problems=(problem,))
        case _:
            return _several(documents, dialect, event, plain)


def _several(documents: list[dict[str, object] | None], dialect: DecisionDialect, event: str, plain: Answer) -> Answer:
    """Exactly one document is an answer. Of several none counts, except that a refusal in any of them is kept."""
    answers = [read_answer(document, dialect, event) for document in documents if document is not None]
    problem = Problem(
        code="answer-several-documents",
        text=f"stdout holds {_count(documents)} where one document is expected; only a refusal among them counts",
    )
    strictest = max(answers, key=lambda answer: answer.decision)
    if strictest.decision >= Rank.ASK:
        return Answer(decision=strictest.decision, reason=strictest.reason, problems=(problem,))
    return replace(plain, failure=FailureKind.ANSWER, problems=(problem,))


def _count(documents: list[dict[str, object] | None]) -> str:
    found = sum(document is not None for document in documents)
    return f"{found} documents" if found == len(documents) else f"{found} document(s) and other text"


def _refused_beside(failed: Answer, text: str, dialect: DecisionDialect, event: str) -> Answer:
    """A failed hook, or the refusal that it printed before it failed."""
    if not text.startswith("{"):
        return failed
    answer = _json_answer(text, dialect, event, Answer())
    return answer if answer.decision >= Rank.ASK else failed


def _documents(text: str) -> Iterator[dict[str, object] | None]:
    """The JSON objects that follow one another; ends with None at what is no JSON object, or one too many."""
    decoder = json.JSONDecoder(parse_constant=_no_constant, parse_float=_float, parse_int=_integer)
    position = 0
    for _ in range(DOCUMENTS):
        try:
            document, position = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            yield None
            return
        if not isinstance(document, dict):
            yield None
            return
        yield document
        while position < len(text) and text[position].isspace():
            position += 1
        if position == len(text):
            return
    yield None


def _is_progress(line: str) -> bool:
    if '"progress"' not in line or not line.lstrip().startswith("{"):
        return False
    documents = list(_documents(line))
    only = documents[0] if len(documents) == 1 else None
    return only is not None and only.get("type") == "progress" and only.keys() <= PROGRESS_KEYS


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _float(text: str) -> float | None:
    """A number that JSON can write again; one that it cannot is null, as in JavaScript."""
    number = float(text)
    return number if math.isfinite(number) else None


def _integer(text: str) -> int | None:
    return int(text) if math.isfinite(float(text)) else None


def _blocked(text: str, stderr: str, dialect: DecisionDialect, event: str) -> Answer:
    """Exit 2: a refusal, whatever stands on stdout; what the dialect reads beside it is kept."""
    beside = Answer()
    if dialect.json_at_exit_2 and text.startswith("{"):
        beside = _json_answer(text, dialect, event, Answer())
    said = {
        "stderr": stderr,
        "stdout": text if not text.startswith("{") or next(_documents(text)) is None else "",
        "json": beside.stop_reason or beside.reason or beside.message or "",
        "deny": beside.reason or "" if beside.decision is Rank.DENY else "",
    }
    reason = next((said[source] for source in dialect.exit_2_reason if said[source]), None)
    if reason is None and beside.decision is Rank.DENY:
        reason = beside.reason
    problems = list(beside.problems)
    if beside.decision in (Rank.ALLOW, Rank.ASK):
        text = f"the answer says {beside.decision.word}, and exit code 2 refuses: the refusal counts"
        problems.append(Problem(code="exit-2-overrides", text=text))
    if dialect.exit_2_needs_stderr and not stderr:
        if dialect.bare_deny == "void":
            return bare_deny("exit code 2 without stderr")
        text = "the vendor's own engine ignores exit code 2 without stderr; here it refuses"
        problems.append(Problem(code="exit-2-without-stderr", text=text))
    return Answer(
        decision=Rank.DENY,
        reason=reason,
        stop=beside.stop,
        stop_reason=beside.stop_reason,
        contexts=beside.contexts,
        message=beside.message,
        rewrites=beside.rewrites,
        fields=beside.fields,
        problems=tuple(problems),
    )


def _failure(finished: Finished) -> FailureKind | None:
    if finished.spawn_error is not None:
        return FailureKind.SPAWN
    if finished.timed_out:
        return FailureKind.TIMEOUT
    if finished.signal is not None or finished.exit_code is None:
        return FailureKind.KILLED
    return FailureKind.COMMAND if finished.exit_code in CANNOT_START else None


def _explain(finished: Finished, kind: FailureKind, stderr: str) -> str:
    tail = f": {_shown(stderr)}" if stderr else ""
    match kind:
        case FailureKind.SPAWN:
            return f"the handler could not run: {finished.spawn_error}"
        case FailureKind.COMMAND:
            return f"the shell could not start the command (exit {finished.exit_code}){tail}"
        case FailureKind.TIMEOUT:
            return f"no answer within the time limit; it was killed after {finished.duration_s:.1f} s{tail}"
        case FailureKind.KILLED:
            return f"killed by signal {finished.signal}{tail}"
        case _:
            return f"exit code {finished.exit_code}{tail}"


def _failed(kind: FailureKind, text: str) -> Answer:
    return Answer(failure=kind, problems=(Problem(code=f"hook-{kind.value}", text=text),))


def _shown(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"
