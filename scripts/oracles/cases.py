"""The cases, vendor-neutral as far as they can be, and what each comes to for one engine.

A case says at which moment which hook answers what. For an engine it becomes a `Trial`: files, answers and tool calls
in the engine's own words, with `{recorder} TAG` where a command of a hook stands.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from scripts.oracles.engine import Engine
from scripts.oracles.values import filled, text

HERE = Path(__file__).parent
TOOL_MOMENTS = ("tool", "after-tool", "failed-tool")  # many of these fit into one session
TOOLS = {  # what the model calls, by moment
    "tool": ["shell"],
    "after-tool": ["shell"],
    "failed-tool": ["failing"],
    "permission": ["shell"],
    "tool-batch": ["shell"],
}
MCP = "mcp"  # the setup with an MCP server beside the hooks
SLOTS = ("a", "b")  # two hooks stand at each moment

Entry = tuple[str, str, Mapping[str, Any], Mapping[str, Any]]  # event, tag, of the group, of the handler


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One case for one engine. Everything in it can be written down and read again."""

    vendor: str
    id: str
    says: str
    moment: str
    event: str
    setup: str  # trials with the same one have the same files
    files: Mapping[str, Any]
    answers: Mapping[str, Mapping[str, Any]]  # by tag
    tools: tuple[str, ...]
    arguments: tuple[str, ...]  # of the engine, besides its own
    alone: bool  # has a session of its own
    reads: str | None  # `payload` or `environment`: what is recorded is not an effect, but what the hook is given

    @property
    def has_mcp(self) -> bool:
        """Whether an MCP server stands beside the hooks."""
        return self.setup.endswith(MCP)


@cache
def _data() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((HERE / "cases.yaml").read_text("utf-8"))
    return loaded


def trials(engine: Engine) -> list[Trial]:
    """Every case that this engine can be asked, in the order of the file."""
    return [
        _trial(case, engine)
        for case in _data()["cases"]
        if engine.vendor in case.get("only", [engine.vendor])
        and engine.vendor not in case.get("not", [])
        and (case["moment"] in engine.moments or engine.vendor in case.get("event", ()))
    ]


def _trial(case: Mapping[str, Any], engine: Engine) -> Trial:
    event = case.get("event", engine.moments.get(case["moment"], ""))
    event = event if isinstance(event, str) else event[engine.vendor]
    words = {"id": case["id"], "event": event, "shell": engine.tools["shell"].told, "write": engine.tools["write"].told}
    answers = case.get("answers", {"a": case["answer"]} if "answer" in case else {})
    own = "hooks" in case or "files" in case or "matcher" in case
    mcp = case.get("setup") == MCP
    usual = ("default" if event in engine.moments.values() else event) + (f"-{MCP}" if mcp else "")
    matcher_setup = "matcher" in case and not case.get("alone")
    return Trial(
        vendor=engine.vendor,
        id=case["id"],
        says=case["says"],
        moment=case["moment"],
        event=event,
        setup=case.get("setup", "matchers") if matcher_setup else case["id"] if own else usual,
        files=_files(case, engine, event, words),
        answers={f"{event}.{slot}": _answer(answer, slot, engine, words) for slot, answer in answers.items()},
        arguments=engine.mcp_arguments if mcp else tuple(case.get("arguments", {}).get(engine.vendor, ())),
        tools=tuple(case.get("tools", ["shell", "write"] if "matcher" in case else TOOLS.get(case["moment"], []))),
        alone=bool(case.get("alone")) or case["moment"] not in (*TOOL_MOMENTS, "match") or (own and not matcher_setup),
        reads=case.get("reads"),
    )


def _files(case: Mapping[str, Any], engine: Engine, event: str, words: Mapping[str, object]) -> dict[str, Any]:
    """The hook files of a case: its own, or the usual two hooks at every moment."""
    if "files" in case:
        own = case["files"]
        return dict(filled(own.get(engine.vendor, own), words))  # type: ignore[call-overload,no-any-return] # filled keeps the shape
    entries: list[Entry]
    if "matcher" in case and not case.get("alone"):
        hooks = [(other["id"], event, other) for other in _data()["cases"] if _shares_matchers(case, other, engine)]
        entries = [
            (event, f"{event}.{name}", {"matcher": _matcher(other, engine, words)}, {}) for name, event, other in hooks
        ]
    elif "matcher" in case:
        entries = [(event, f"{event}.{case['id']}", {"matcher": _matcher(case, engine, words)}, {})]
    elif "hooks" in case:
        entries = [
            (
                event,
                f"{event}.{hook['slot']}",
                dict(filled(hook.get("group", {}), words)),  # type: ignore[call-overload] # filled keeps the shape
                dict(filled(hook.get("handler", {}), words)),  # type: ignore[call-overload]
            )
            for hook in case["hooks"]
        ]
    else:
        events = dict.fromkeys([*engine.moments.values(), event])
        entries = [(name, f"{name}.{slot}", {}, {}) for name in events for slot in SLOTS]
    more = engine.mcp_files if case.get("setup") == MCP else {}
    return {engine.hook_file: hook_file(engine.hook_shape, entries), **more}


def _matcher(case: Mapping[str, Any], engine: Engine, words: Mapping[str, object]) -> object:
    matcher = case["matcher"]
    return filled(matcher[engine.vendor] if isinstance(matcher, dict) else matcher, words)


def _shares_matchers(case: Mapping[str, Any], other: Mapping[str, Any], engine: Engine) -> bool:
    return (
        "matcher" in other
        and not other.get("alone")
        and other.get("setup") == case.get("setup")
        and engine.vendor in other.get("only", [engine.vendor])
        and engine.vendor not in other.get("not", [])
    )


def hook_file(shape: str, entries: Sequence[Entry]) -> dict[str, Any]:
    """A configuration with these hooks."""
    hooks: dict[str, list[dict[str, Any]]] = {}
    for event, tag, group, handler in entries:
        command = f"{{recorder}} {shlex.quote(tag)}"
        if shape == "flat":
            hooks.setdefault(event, []).append({"type": "command", "bash": command, **group, **handler})
        else:
            hooks.setdefault(event, []).append({**group, "hooks": [{"type": "command", "command": command, **handler}]})
    return {"version": 1, "hooks": hooks} if shape == "flat" else {"hooks": hooks}


def _answer(answer: Mapping[str, Any], slot: str, engine: Engine, words: Mapping[str, object]) -> dict[str, Any]:
    """An answer in the engine's words: what is printed, the exit code, and how else it ends."""
    mark = words["id"] if slot == "a" else f"{words['id']}.{slot}"
    words = {**words, "mark": mark}
    said = {key: answer[key] for key in ("stderr", "exit", "signal", "sleep", "first_only") if key in answer}
    if "stderr" in said:
        said["stderr"] = text(said["stderr"], words)
    documents = [answer["say"]] if isinstance(answer.get("say"), str) else answer.get("say", [])
    if documents:
        grammar = _data()["grammars"][engine.grammar]
        printed = [json.dumps(_document(grammar[name], answer, words), separators=(",", ":")) for name in documents]
        said["stdout"] = f"{text(answer.get('before', ''), words)}" + "\n".join(printed)
    elif "stdout" in answer:
        said["stdout"] = text(answer["stdout"], words)
    elif "json" in answer:
        said["stdout"] = json.dumps(filled(answer["json"], words), separators=(",", ":"))
    return said


def _document(document: Mapping[str, Any], answer: Mapping[str, Any], words: Mapping[str, object]) -> object:
    whole: dict[str, Any] = {**document, **answer.get("also", {})}
    inner = whole.get("hookSpecificOutput")
    if isinstance(inner, dict):
        inner = {**inner, **answer.get("inner", {})}
        whole["hookSpecificOutput"] = {key: value for key, value in inner.items() if key not in answer.get("drop", [])}
    return filled(whole, words)


def script(answer: Mapping[str, Any], once: str) -> str:
    """An answer as a fragment of shell, which the recorder sources; `once` is a file that marks the first time."""
    lines = []
    if answer.get("first_only"):
        lines.append(f"if [ -e {shlex.quote(once)} ]; then exit 0; fi; : >{shlex.quote(once)}")
    if "stdout" in answer:
        lines.append(f"printf %s {shlex.quote(answer['stdout'])}")
    if "stderr" in answer:
        lines.append(f"printf %s {shlex.quote(answer['stderr'])} >&2")
    if "sleep" in answer:
        lines.append(f"exec sleep {answer['sleep']}")
    if "signal" in answer:
        lines.append(f"kill -{answer['signal']} $$")
    lines.append(f"exit {answer.get('exit', 0)}")
    return "\n".join(lines) + "\n"
