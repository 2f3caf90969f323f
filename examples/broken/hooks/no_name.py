print('{"hookSpecificOutput": {"permissionDecision": "deny"}}')
