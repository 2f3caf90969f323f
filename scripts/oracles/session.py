"""Runs one engine once, headless, for trials that fit into one session, and sees what came of each."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from scripts.oracles import seen
from scripts.oracles.cases import TOOL_MOMENTS, Trial
from scripts.oracles.engine import Engine
from scripts.oracles.frames import Reply, ToolCall
from scripts.oracles.model import PROMPT, ScriptedModel
from scripts.oracles.place import Call, Place, base_environment, shell_command
from scripts.oracles.values import filled, text

SESSION_S = 120.0
CHILD_S = 4
GRACE_S = 2.0  # for what an engine leaves running; a hook that it did not kill is killed here
EACH_S = 4.0  # more for each tool call of a session


class EngineError(Exception):
    """An engine that did not come to its end, or did not ask the model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What one run of an engine left behind."""

    exit_code: int
    output: str
    bodies: tuple[str, ...]
    others: tuple[str, ...]
    calls: tuple[Call, ...]


def observe(engine: Engine, package: Path, cache: Path, trials: Sequence[Trial]) -> dict[str, dict[str, Any]]:
    """What the engine did with each of these trials, by id. They share one session."""
    with tempfile.TemporaryDirectory(prefix="oracle-", ignore_cleanup_errors=True) as folder:
        place = Place(Path(folder).resolve())
        place.put(trials)
        replies = [reply for trial in trials for reply in _replies(trial, engine, place)]
        child = [Reply(call=_call(engine, "shell", f"{trials[0].id}-child", place)), Reply()]
        ended = run(engine, package, cache, place, script=[*replies, Reply()], child=child, prompt=_prompt(trials))
        return {trial.id: _seen(trial, trials, engine, place, ended) for trial in trials}


def _prompt(trials: Sequence[Trial]) -> str:
    return PROMPT if trials[0].moment in (*TOOL_MOMENTS, "match") else f"{PROMPT}: case-{trials[0].id}"


def _replies(trial: Trial, engine: Engine, place: Place) -> list[Reply]:
    match trial.moment:
        case "tool" | "after-tool" | "failed-tool" | "match" | "permission" | "tool-batch":
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


def run(  # noqa: PLR0913 - the parts of one run
    engine: Engine,
    package: Path,
    cache: Path,
    place: Place,
    *,
    script: Sequence[Reply],
    child: Sequence[Reply],
    prompt: str,
) -> Ended:
    """Start the engine on a place and wait for its end; kills everything of it after a generous time."""
    with ScriptedModel(script, child) as model:
        words = {
            "port": model.port,
            "prompt": prompt,
            "program": package / engine.program,
            "project": place.project,
            "home": place.home,
            "temp": place.root / "temp",
            "cache": cache,
        }
        for name, content in engine.files.items():
            path = place.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(content, words), encoding="utf-8")
        subprocess.run(["git", "init", "-q", str(place.project)], check=True)  # noqa: S607 - git is where the user has it
        environment = base_environment(place.home, place.root / "temp")
        environment |= {name: text(value, words) for name, value in engine.environment.items()}
        output = place.root / "output"
        with output.open("wb") as file:
            process = subprocess.Popen(
                [text(argument, words) for argument in engine.arguments],
                cwd=place.project,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                exit_code = process.wait(SESSION_S + EACH_S * len(script))
                psutil.wait_procs(_of_home(place.home), timeout=GRACE_S)
            except subprocess.TimeoutExpired:
                tail = output.read_bytes()[-600:].decode("utf-8", "replace")
                raise EngineError(f"{engine.vendor} did not end in time; its last words: {tail}") from None
            finally:
                _kill(place.home)
                process.wait()
        return Ended(
            exit_code=exit_code,
            output=output.read_text("utf-8", "replace"),
            bodies=tuple(model.bodies),
            others=tuple(model.others),
            calls=tuple(place.calls()),
        )


def _of_home(home: Path) -> list[psutil.Process]:
    """The processes that were started with this temporary home, whoever their parent is now."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("HOME") == str(home):
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def _kill(home: Path) -> None:
    for process in _of_home(home):
        try:
            process.send_signal(signal.SIGKILL)
        except psutil.Error:
            continue


def _seen(trial: Trial, trials: Sequence[Trial], engine: Engine, place: Place, ended: Ended) -> dict[str, Any]:
    if trial.moment == "match":
        return {"fired": seen.fired(trial, ended.calls, engine)}
    result: dict[str, Any] = {"runs": seen.runs(trial, ended.calls)}
    if trial.reads:
        return {**result, **seen.reading(trial, ended.calls, engine, place.root)}
    before = sum(len(other.tools) for other in trials[: trials.index(trial)])
    return {
        **result,
        "told": seen.told(trial.id, [*ended.bodies, *ended.others]),
        **seen.effect(
            trial,
            requests=len(ended.bodies) - before,
            ran=place.has_run(trial.id),
            rewritten=place.has_rewritten(trial.id),
        ),
    }
