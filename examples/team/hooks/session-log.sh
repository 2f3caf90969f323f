#!/bin/sh
# Claude Code, SessionEnd: one line in a log. It answers nothing.
cat >/dev/null 2>&1 || :
echo "$(date -u +%Y-%m-%dT%H:%M:%SZ) session ended" >>"${TMPDIR:-/tmp}/parcel-tracker-sessions.log"
