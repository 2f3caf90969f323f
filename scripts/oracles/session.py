"""Has one engine go through trials that fit into one session, and sees what came of each."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.oracles import seen
from scripts.oracles.cases import TOOL_MOMENTS, Trial
from scripts.oracles.engine import Engine
from scripts.oracles.frames import Reply, ToolCall
from scripts.oracles.model import PROMPT
from scripts.oracles.place import Place, shell_command, temporary_place
from scripts.oracles.run import Ended, Start, run
from scripts.oracles.values import filled

CHILD_S = 4


def observe(engine: Engine, package: Path, cache: Path, trials: Sequence[Trial]) -> dict[str, dict[str, Any]]:
    """What the engine did with each of these trials, by id. They share one session."""
    with temporary_place("oracle-") as place:
        place.put(trials)
        replies = [Reply(call=_call(engine, "waits", trials[0].id, place))] if _waits(trials[0], engine) else []
        replies += [reply for trial in trials for reply in _replies(trial, engine, place)]
        child = _child(trials[0].id, engine, place)
        last = Reply(fails=trials[0].moment == "model-error")
        start = Start(
            engine=engine,
            program=package / engine.program,
            cache=cache,
            prompt=_prompt(trials),
            arguments=trials[0].arguments,
            resumes=trials[0].moment == "resume",
        )
        ended = run(start, place, script=[*replies, last], child=child)
        return {trial.id: _seen(trial, trials, engine, place, ended) for trial in trials}


def _prompt(trials: Sequence[Trial]) -> str:
    return PROMPT if trials[0].moment in (*TOOL_MOMENTS, "match") else f"{PROMPT}: case-{trials[0].id}"


def _replies(trial: Trial, engine: Engine, place: Place) -> list[Reply]:
    match trial.moment:
        case (
            "tool"
            | "after-tool"
            | "failed-tool"
            | "match"
            | "permission"
            | "permission-refused"
            | "tool-batch"
            | "layer"
        ):
            return [Reply(call=_call(engine, name, trial.id, place)) for name in trial.tools]
        case "subagent-start" | "subagent-stop":
            waiting = _call(
                engine, "shell", trial.id, place, command=f"sleep {CHILD_S}"
            )  # the subagent may run beside it
            return [Reply(call=_call(engine, "subagent", trial.id, place)), Reply(call=waiting)]
        case "before-compact" | "after-compact":
            call = _call(engine, "shell", trial.id, place)
            return [Reply(call=call, tokens=engine.compacting_tokens or 10), Reply()]
        case _:
            return []


def _call(engine: Engine, purpose: str, case: str, place: Place, command: str | None = None) -> ToolCall:
    form = engine.tools[purpose]
    words = {"id": case, "command": command or shell_command(case), "project": place.project, "home": place.home}
    return ToolCall(
        name=form.name,
        arguments=filled(form.arguments, words),  # type: ignore[arg-type] # filled keeps the shape
        extra=form.extra,
    )


def _seen(trial: Trial, trials: Sequence[Trial], engine: Engine, place: Place, ended: Ended) -> dict[str, Any]:
    if trial.moment == "match":
        return {"fired": seen.fired(trial, ended.calls, engine)}
    if trial.moment == "layer":
        return {"loads": bool(seen.runs(trial, ended.calls))}
    result: dict[str, Any] = {"runs": seen.runs(trial, ended.calls)}
    if trial.reads:
        return {**result, **seen.reading(trial, ended.calls, engine, place.root)}
    before = _waits(trial, engine) + sum(len(other.tools) for other in trials[: trials.index(trial)])
    return {
        **result,
        "told": seen.told(trial.id, [*ended.bodies, *ended.others]),
        **seen.effect(
            trial,
            requests=len(ended.bodies) - before,
            ran=place.has_run(trial.id),
            rewritten=place.has_rewritten(trial.id),
            held=None if engine.child_requests is None else len(ended.children) > engine.child_requests,
            compacted=_compacted(trial, engine, ended),
        ),
    }


def _waits(trial: Trial, engine: Engine) -> bool:
    """Whether the model first waits for the MCP server."""
    return trial.has_mcp and "waits" in engine.tools


def _child(case: str, engine: Engine, place: Place) -> list[Reply]:
    """What the model says to a subagent."""
    return [Reply(call=_call(engine, "shell", f"{case}-child", place)), Reply()]


def _compacted(trial: Trial, engine: Engine, ended: Ended) -> bool | None:
    """Whether a compaction came to its end, which only the hooks that stand at each moment tell."""
    if trial.setup != "default" or (event := engine.moments.get("after-compact")) is None:
        return None
    return any(call.tag.startswith(f"{event}.") for call in ended.calls)
