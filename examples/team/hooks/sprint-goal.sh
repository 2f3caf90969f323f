#!/bin/sh
# Claude Code, UserPromptSubmit, and Codex, SessionStart: plain text on stdout becomes context.
cat >/dev/null 2>&1 || :
cat "$(dirname "$0")/../docs/sprint-goal.txt"
