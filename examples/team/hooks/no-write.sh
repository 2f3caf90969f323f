#!/bin/sh
# Claude Code, PreToolUse on Write: denies every call. The matcher has chosen the tool, so the payload
# is not looked at: nothing in it, and no spelling of the tool's name, changes the answer.
cat >/dev/null 2>&1 || :
cat <<'JSON'
{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
 "permissionDecisionReason": "writes go through a reviewed patch in this repository"}}
JSON
