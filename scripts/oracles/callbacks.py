"""The cases for an engine whose hooks are JavaScript callbacks, and what each comes to.

The trial's files hold both a plugin, which the engine loads, and a manifest with commands under the same names, which
the adapter reads; an answer says what the callback does and what the command says instead.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from scripts.oracles.cases import SLOTS, TOOLS, Trial
from scripts.oracles.engine import Engine
from scripts.oracles.values import filled, text

FILE = Path(__file__).with_name("callbacks.yaml")
LAYER = "layer"  # the moment of a case about which plugins are loaded, whatever they do
LAYER_EVENT = "tool.execute.before"
TOGETHER = "together"


@cache
def _data() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load(FILE.read_text("utf-8"))
    return loaded


def trials(engine: Engine) -> list[Trial]:
    """Every case, in the order of the file."""
    return [_trial(case, engine) for case in _data()["cases"]]


def _trial(case: Mapping[str, Any], engine: Engine) -> Trial:
    event = case.get("event", LAYER_EVENT)
    alone = bool(case.get("alone")) or event not in _data()["together"] or "files" in case
    answers = case.get("answers", {"a": case["answer"]} if "answer" in case else {})
    usual = ["shell"] if case["moment"] in (LAYER, "permission-refused") else TOOLS.get(case["moment"], [])
    setup = TOGETHER if not alone else case["id"] if "files" in case else event
    return Trial(
        vendor=engine.vendor,
        id=case["id"],
        says=case["says"],
        moment=case["moment"],
        event=event,
        setup=setup,
        files=_files(case, engine, _data()["together"] if setup == TOGETHER else [event]),
        answers={f"{event}.{slot}": _answer(answer, slot, case["id"]) for slot, answer in answers.items()},
        tools=tuple(case.get("tools", usual)),
        arguments=tuple(case.get("arguments", ())),
        alone=alone,
        reads=case.get("reads"),
    )


def _files(case: Mapping[str, Any], engine: Engine, events: Sequence[str]) -> dict[str, Any]:
    own: dict[str, Any] = dict(filled(case.get("files", {}), _data()["plugins"]))  # type: ignore[call-overload] # filled keeps the shape
    if case["moment"] == LAYER:
        return own
    plugins = {engine.hook_file.format(slot=slot): _plugin(slot, events) for slot in SLOTS}
    hooks = [
        {"vendor": engine.vendor, "event": event, "handler": f"{{recorder}} {event}.{slot}"}
        for event in events
        for slot in SLOTS
    ]
    return {**plugins, **_data()["usual"], "project/compat.yaml": {"version": 1, "hooks": hooks}, **own}


def _plugin(slot: str, events: Sequence[str]) -> str:
    keys = [event for event in events if event in _data()["keys"]]
    types = [event for event in events if event not in keys]
    made = f'recorder("{{root}}", {json.dumps(slot)}, {json.dumps(keys)}, {json.dumps(types)})'
    return f'import {{ recorder }} from "{{root}}/recorder.js"\nexport const Plugin = {made}\n'


def _answer(answer: str | Mapping[str, Any], slot: str, case: str) -> dict[str, Any]:
    words = {"id": case, "mark": case if slot == "a" else f"{case}.{slot}"}
    both = _data()["answers"][answer] if isinstance(answer, str) else answer
    said: dict[str, Any] = {"callback": filled(both["callback"], words)}
    for name, value in both["command"].items():
        if name == "json":
            said["stdout"] = json.dumps(filled(value, words), separators=(",", ":"))
        else:
            said[name] = text(value, words) if isinstance(value, str) else value
    return said
