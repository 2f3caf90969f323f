print('{"permissionDecision": "deny"}')
