#!/usr/bin/env python3
"""Claude Code and Codex, Stop; Copilot, agentStop: one more turn while TODO.release is there.

It blocks only if the host says outright that the turn is not already a continued one. So it blocks
once a prompt, and on a host that does not say it never loops.
"""

import json
import sys
from pathlib import Path

TODO = Path(__file__).resolve().parent.parent / "TODO.release"

try:
    first_stop = json.loads(sys.stdin.buffer.read())["stop_hook_active"] is False
except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
    first_stop = False

if first_stop and TODO.exists():
    reason = "TODO.release is still there: work it off, then delete it"
    print(json.dumps({"decision": "block", "reason": reason}))
