#!/usr/bin/env python3
"""Claude Code, PreToolUse on Edit: takes trailing blanks out of the new text, and decides nothing."""

import json
import re
import sys

try:
    edit = json.loads(sys.stdin.buffer.read())["tool_input"]
    trimmed = re.sub(r"[ \t]+$", "", edit["new_string"], flags=re.MULTILINE)
    changed = trimmed != edit["new_string"]
except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
    changed = False

if changed:
    rewritten = {**edit, "new_string": trimmed}
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": rewritten}}))
