"""What the model says where a hook is a prompt: `VERDICT[allow]` and `VERDICT[refuse:ID]` in it say which verdict."""

import json
import re

_VERDICT = re.compile(r"VERDICT\[(allow|refuse)(?::([a-z0-9.-]+))?\]")


def verdict(body: str) -> str | None:
    """The verdict that a request asks for, as the text of an answer; its reason is a marker that the prompt lacks."""
    found = _VERDICT.search(body)
    if found is None:
        return None
    return json.dumps({"ok": True} if found[1] == "allow" else {"ok": False, "reason": f"REASON.{found[2]}"})
