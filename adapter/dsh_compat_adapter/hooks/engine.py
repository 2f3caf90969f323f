"""Dispatches one event to the hooks of one hook point: match, run in order, decode, fold, restrict."""

import math
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..catalog.model import FailureMode
from ..facts.recorder import Recorder
from .codec import decode
from .environment import dialect_variables, scrubbed
from .fold import fold, restrict
from .handlers import oracle, webhook
from .hook import AskOracle, Hook, PostWebhook, RunCommand
from .outcome import SILENT, Answer, FailureKind, Outcome, Problem, Rank
from .payload import encode, fill
from .policy import OnError, Policy, failure_mode
from .process import Command, Finished, Shell
from .recording import Ran, Recording
from .values import Values, subjects

NOTHING = Outcome()
REMEMBERED = 10_000  # runs of hooks that run once a session; one that is forgotten can run again
CHAIN_ENDS: Mapping[str, float] = {"never": math.inf, "ask": Rank.ASK, "deny": Rank.DENY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One handler that ran: what it answered, after the failure policy, and how long it took."""

    hook: Hook
    answer: Answer
    duration_s: float
    fact: str | None = None  # the id of its facts, where facts are recorded

    def to_dict(self) -> dict[str, object]:
        """The run on the wire."""
        told: dict[str, object] = {} if self.fact is None else {"fact": self.fact}
        return {
            "hook": {
                "id": self.hook.id,
                "vendor": self.hook.vendor.name,
                "event": self.hook.spelling,
                "matcher": self.hook.matcher.text,
                "source": str(self.hook.where) if self.hook.where else None,
            },
            "outcome": fold([self.answer]).to_dict(),
            "durationMs": round(self.duration_s * 1000, 3),
        } | told


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """One dispatch: the outcome that the route carries, and the runs behind it."""

    outcome: Outcome
    runs: tuple[Run, ...]


class Engine:
    """Runs the hooks of hook points on one host's shell. Between dispatches it knows which hooks had their one run."""

    def __init__(
        self,
        shell: Shell,
        *,
        policy: Policy,
        environment: Mapping[str, str],
        recorder: Recorder | None = None,
        policy_source: str = "default",
    ) -> None:
        """`environment` is the caller's; credentials are taken out of it here, once.

        Whoever fires events: what becomes of each hook is told to the `recorder`, before the answer goes out.
        """
        self._shell = shell
        self._had_its_run: OrderedDict[tuple[str, object], None] = OrderedDict()  # hook and session
        self._recorder = recorder
        self._recording = None if recorder is None else Recording(recorder)
        self.change_policy(policy, policy_source)
        self._environment = scrubbed(environment)
        self._caller_environment = environment  # what a header or a key names is meant to be sent

    def change_policy(self, policy: Policy, source: str) -> None:
        """Let failures do what another policy says from here on; a hook that runs already keeps the former one."""
        self._policy = policy
        if self._recorder is not None:
            self._recorder.policy(policy.value, source)

    async def dispatch(self, hooks: Sequence[Hook], values: Values, *, can_ask: bool) -> Dispatched:
        """Run the hooks of one hook point (one vendor, event and plan) that the event selects, one after another.

        Whatever a hook does is in the result; only cancellation is raised, after the running hook is dead.
        """
        return await self.run(selected(hooks, values), values, can_ask=can_ask)

    async def run(self, hooks: Iterable[Hook], values: Values, *, can_ask: bool) -> Dispatched:
        """Run these hooks of one hook point, whatever their matchers say; otherwise as `dispatch`.

        One whose own condition surely does not hold does not run. Where the vendor's row says so, the first refusal is
        the last answer that is asked for.
        """
        runs: list[Run] = []
        for hook in hooks:
            if _left_out(hook, values) or (hook.once and self._has_run(hook, values)):
                continue
            runs.append(await self._run(hook, values, can_ask=can_ask))
            if runs[-1].answer.decision >= CHAIN_ENDS[hook.row.chain_ends]:
                break
        if all(run.answer is SILENT for run in runs):
            return Dispatched(outcome=NOTHING, runs=tuple(runs))
        first = runs[0].hook
        outcome = fold([run.answer for run in runs], last_context=first.decision.contexts == "last")
        outcome = restrict(outcome, first.plan, can_ask=can_ask)
        return Dispatched(outcome=outcome, runs=tuple(runs))

    def _has_run(self, hook: Hook, values: Values) -> bool:
        """Whether a hook that runs once a session has run in this one; from now on it has."""
        key = (hook.id, values.get("session.id"))
        if key in self._had_its_run:
            return True
        self._had_its_run[key] = None
        if len(self._had_its_run) > REMEMBERED:
            self._had_its_run.popitem(last=False)
        return False

    async def _run(self, hook: Hook, values: Values, *, can_ask: bool) -> Run:
        payload = fill(values, hook.vendor, hook.fields, hook.spelling)
        stdin = encode(payload, newline=hook.dialect.stdin_newline)
        recording, policy = self._recording, self._policy
        begun = None if recording is None else recording.begin(hook, values, payload, stdin)
        if recording is None or begun is None:
            finished = await self._handle(hook, stdin, values)
            answer, _ = self._answer(hook, finished, policy)
            return Run(hook=hook, answer=answer, duration_s=finished.duration_s)
        try:
            finished = await self._handle(hook, stdin, values)
            answer, mode = self._answer(hook, finished, policy)
        except BaseException as error:
            recording.cut_off(begun, hook, error)
            raise
        recording.end(begun, hook, values, policy, Ran(finished, answer, mode, can_ask))
        return Run(hook=hook, answer=answer, duration_s=finished.duration_s, fact=begun.id)

    async def _handle(self, hook: Hook, stdin: bytes, values: Values) -> Finished:
        match hook.action:
            case RunCommand(argv=argv, cwd=cwd, env=env):
                environment = {**self._environment, **dialect_variables(hook.dialect, values), **env}
                command = Command(argv=argv, stdin=stdin, cwd=cwd, env=environment, timeout_s=hook.timeout_s)
                return await self._shell.run(command)
            case PostWebhook() as post:
                return await webhook.run(post, stdin, self._caller_environment, hook.timeout_s)
            case AskOracle() as ask:
                return await oracle.run(ask, stdin, self._caller_environment, hook.timeout_s)

    def _answer(self, hook: Hook, finished: Finished, policy: Policy) -> tuple[Answer, FailureMode | None]:
        """The answer after the failure policy: a failed hook refuses, or warns and says nothing."""
        if finished.exit_code == 0 and not (finished.stdout or finished.void or finished.truncated):
            return SILENT, None
        answer = decode(finished, hook.decision, hook.row, hook.plan, hook.spelling)
        if hook.detached:
            return _detached(answer), "warn"
        if answer.failure is None:
            return answer, None
        mode = failure_mode(answer.failure, policy, hook.on_error, hook.on_failure, hook.plan, hook.row.point)
        if mode == "deny":
            plain = hook.dialect.decision.failure_reason == "plain"
            return replace(answer, decision=Rank.DENY, reason=_failure_reason(answer, plain=plain)), mode
        return replace(answer, problems=() if hook.on_error is OnError.IGNORE else answer.problems), mode


def selected(hooks: Iterable[Hook], values: Values) -> Iterator[Hook]:
    """The hooks whose matcher selects the event."""
    return unique(hook for hook in hooks if hook.matcher.selects(subjects(values, hook.row, hook.vendor)))


def _left_out(hook: Hook, values: Values) -> bool:
    if hook.condition is None:
        return False
    return hook.condition.excludes(subjects(values, hook.row, hook.vendor), values, hook.vendor)


def unique(hooks: Iterable[Hook]) -> Iterator[Hook]:
    """The hooks without repetitions, where the vendor runs a repeated command once."""
    ran: set[str] = set()
    for hook in hooks:
        if hook.dialect.deduplicates:
            if hook.identity in ran:
                continue
            ran.add(hook.identity)
        yield hook


def _detached(answer: Answer) -> Answer:
    """What is left of the answer of a hook that the vendor would not have waited for: text, and no decision."""
    if answer.decision is Rank.NONE and not (answer.stop or answer.rewrites or answer.failure):
        return answer
    text = f"the hook is asynchronous, so its {answer.decision.word} is dropped, as the vendor drops it"
    problems = (*answer.problems, Problem(code="async-decides-nothing", text=text))
    return Answer(contexts=answer.contexts, message=answer.message, failure=answer.failure, problems=problems)


def _failure_reason(answer: Answer, *, plain: bool) -> str:
    """What the model is told about a failure that refuses; plain where the vendor keeps stderr from it."""
    kind = answer.failure or FailureKind.ANSWER
    text = f"a hook failed ({kind.value}) and its failure refuses the action"
    return text if plain else f"{text}: {'; '.join(problem.text for problem in answer.problems)}"
