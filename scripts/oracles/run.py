"""One run of one engine, headless, on a place that is laid out: started, waited for, and nothing of it left."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from scripts.oracles.engine import Engine
from scripts.oracles.frames import Reply
from scripts.oracles.model import ScriptedModel
from scripts.oracles.place import Call, Place, base_environment
from scripts.oracles.values import text

SESSION_S = 120.0
GRACE_S = 2.0  # for what an engine leaves running; a hook that it did not kill is killed here
EACH_S = 4.0  # more for each tool call of a session


class EngineError(Exception):
    """An engine that did not come to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How an engine is started. `arguments` come behind its own; `cache` outlives the run."""

    engine: Engine
    program: Path
    cache: Path
    prompt: str
    arguments: Sequence[str] = ()
    resumes: bool = False  # it runs a second time, on the session of the first, and that is what counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What one run of an engine left behind."""

    exit_code: int
    output: str
    bodies: tuple[str, ...]
    others: tuple[str, ...]
    children: tuple[str, ...]  # of the others, those of subagents
    calls: tuple[Call, ...]


def run(
    start: Start, place: Place, *, script: Sequence[Reply], child: Sequence[Reply] = (), limit_s: float = SESSION_S
) -> Ended:
    """Start the engine on a place and wait for its end; kills everything of it after a generous time.

    Raises `EngineError` when it does not end.
    """
    with ScriptedModel(script, child) as model:
        words: dict[str, object] = {
            "port": model.port,
            "prompt": start.prompt,
            "program": start.program,
            "project": place.project,
            "home": place.home,
            "root": place.root,
            "temp": place.root / "temp",
            "cache": start.cache,
        }
        for name, content in start.engine.files.items():
            path = place.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text(content, words), encoding="utf-8")
        subprocess.run(["git", "init", "-q", str(place.project)], check=True)  # noqa: S607 - git is where the user has it
        limit_s += EACH_S * len(script)
        exit_code = _once(start, place, words, start.arguments, limit_s)
        if start.resumes:
            place.forget()
            model.forget()
            exit_code = _once(start, place, words, [*start.arguments, *start.engine.resume], limit_s)
        return Ended(
            exit_code=exit_code,
            output=(place.root / "output").read_text("utf-8", "replace"),
            bodies=tuple(model.bodies),
            others=tuple(model.others),
            children=tuple(model.children),
            calls=tuple(place.calls()),
        )


def _once(start: Start, place: Place, words: Mapping[str, object], more: Sequence[str], limit_s: float) -> int:
    environment = base_environment(place.home, place.root / "temp")
    environment |= {name: text(value, words) for name, value in start.engine.environment.items()}
    output = place.root / "output"
    with output.open("wb") as file:
        process = subprocess.Popen(
            [text(argument, words) for argument in (*start.engine.arguments, *more)],
            cwd=place.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            exit_code = process.wait(limit_s)
            psutil.wait_procs(_of_home(place.home), timeout=GRACE_S)
        except subprocess.TimeoutExpired:
            tail = output.read_bytes()[-600:].decode("utf-8", "replace")
            raise EngineError(f"{start.engine.vendor} did not end in time; its last words: {tail}") from None
        finally:
            _kill(place.home)
            process.wait()
    return exit_code


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
