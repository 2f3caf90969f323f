#!/usr/bin/env python3
"""CodeBuddy, PostToolUse on Write and Edit: after a change of a Python file, says how to test it."""

import json
import sys

try:
    path = str(json.loads(sys.stdin.buffer.read())["tool_input"]["file_path"])
except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
    path = ""

if path.endswith(".py"):
    reminder = f"{path} has changed: run `python3 -m doctest src/parcel_tracker.py` before you go on."
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": reminder}}))
