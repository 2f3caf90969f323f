#!/usr/bin/env python3
"""Judges one shell command before it runs: shell_guard.py push|root|deploy|env [flat].

Prints its decision, or nothing if the policy does not concern the command. Claude Code, Codex and
CodeBuddy read a decision inside hookSpecificOutput; `flat` puts it at the top level, for Copilot.
"""

import json
import re
import sys

POLICIES = {  # name: decision, what the command looks like, reason
    "push": (
        "ask",
        r"\bgit(?:\s+-\S+(?:\s+[^-\s]\S*)?)*?\s+push\b",
        "git push publishes the branch: has somebody read it?",
    ),
    "root": (
        "deny",
        r"\brm(?=(?:\s+-\S+)*\s+-\S*[rR])(?:\s+-\S+)*\s+[\"']?(?:/\*?|~/?|\$HOME/?)[\"']?(?=[\s;&|)]|$)",
        "this would delete a root or home directory; name the directory that you mean",
    ),
    "deploy": (
        "ask",
        r"deploy",
        "deployments need a go from the person on call",
    ),
    "env": (
        "deny",
        r"(?<![\w.])\.env\b(?!\.example)",
        ".env holds the carriers' API keys; .env.example shows its shape",
    ),
}


def shell_command() -> str:
    """The command in the payload on stdin; empty if there is none or stdin is not what was promised."""
    try:
        payload = json.loads(sys.stdin.buffer.read())
        arguments = payload.get("tool_input") or payload.get("toolArgs")
        if isinstance(arguments, str):  # Copilot may send the arguments as JSON text
            arguments = json.loads(arguments)
        return str(arguments["command"])
    except (AttributeError, KeyError, OSError, RecursionError, TypeError, ValueError):
        return ""


decision, pattern, reason = POLICIES[sys.argv[1]]
if re.search(pattern, shell_command()):
    answer = {"permissionDecision": decision, "permissionDecisionReason": reason}
    nested = {"hookSpecificOutput": {"hookEventName": "PreToolUse", **answer}}
    print(json.dumps(answer if "flat" in sys.argv else nested))
