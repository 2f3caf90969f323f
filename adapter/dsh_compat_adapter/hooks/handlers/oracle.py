"""The oracle handler: a language model decides, by `{"ok": true}` or `{"ok": false, "reason": …}` (seed 000)."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace

from ..hook import AskOracle
from ..process import Finished
from .http import post

ARGUMENTS = "$ARGUMENTS"
DENIED = "denied by evaluation"
FENCE = "```"
DECIDES = {"decision", "continue", "hookSpecificOutput"}  # what may stand in place of `ok`
_OPENING = re.compile(rf"{FENCE}\w*")


async def run(action: AskOracle, payload: bytes, environment: Mapping[str, str], timeout_s: float) -> Finished:
    """Ask the model. Total; an answer that is no JSON object is a void answer, never a decision."""
    arguments = payload.decode("ascii").rstrip("\n")
    prompt = (
        action.prompt.replace(ARGUMENTS, arguments) if ARGUMENTS in action.prompt else f"{action.prompt}\n{arguments}"
    )
    key = environment.get(action.key_variable) if action.key_variable else None
    headers = {"content-type": "application/json", **({"authorization": f"Bearer {key}"} if key else {})}
    body = json.dumps({"model": action.model, "messages": [{"role": "user", "content": prompt}]}).encode("ascii")
    finished = await post(f"{action.base_url.rstrip('/')}/chat/completions", body, headers, timeout_s)
    if finished.exit_code != 0 or finished.truncated:
        return finished
    return replace(finished, **_read(finished.stdout))  # type: ignore[arg-type]  # the two fields below


def _read(body: bytes) -> dict[str, object]:
    """The answer of the model as a hook's stdout, or why there is none."""
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
        verdict = json.loads(_unfenced(content))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {"stdout": b"", "void": "the model's answer is no JSON object with a verdict"}
    if not isinstance(verdict, dict):
        return {"stdout": b"", "void": "the model's answer is no JSON object"}
    ok = verdict.pop("ok", None)
    if ok is False:
        _refuse(verdict)
    elif ok is not True and not DECIDES & verdict.keys():
        return {"stdout": b"", "void": "the model's answer has neither a decision nor an `ok` that is true or false"}
    return {"stdout": json.dumps(verdict).encode("ascii"), "void": None}


def _refuse(verdict: dict[str, object]) -> None:
    """`ok: false` refuses, whatever else the answer says."""
    reason = verdict.get("reason")
    verdict.update(decision="block", reason=reason if isinstance(reason, str) and reason else DENIED)
    if isinstance(specific := verdict.get("hookSpecificOutput"), dict):
        specific.pop("permissionDecision", None)


def _unfenced(content: str) -> str:
    """The text without a Markdown fence around it."""
    text = content.strip()
    if (opening := _OPENING.match(text)) is None:
        return text
    return text[opening.end() :].rstrip().removesuffix(FENCE)
