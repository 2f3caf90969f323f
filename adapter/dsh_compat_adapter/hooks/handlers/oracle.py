"""The oracle handler: a language model decides, by `{"ok": true}` or `{"ok": false, "reason": …}` (seed 000)."""

import json
from collections.abc import Mapping
from dataclasses import replace

from ..hook import AskOracle
from ..process import Finished
from .http import post

ARGUMENTS = "$ARGUMENTS"
DENIED = "denied by evaluation"
FENCE = "```"


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
        reason = verdict.get("reason")
        verdict |= {"decision": "block", "reason": reason if isinstance(reason, str) and reason else DENIED}
    return {"stdout": json.dumps(verdict).encode("ascii"), "void": None}


def _unfenced(content: str) -> str:
    """The text without a Markdown fence around it."""
    text = content.strip()
    if not text.startswith(FENCE):
        return text
    return text.removeprefix(FENCE).partition("\n")[2].rstrip().removesuffix(FENCE)
