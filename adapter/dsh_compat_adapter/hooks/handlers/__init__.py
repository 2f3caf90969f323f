"""The handlers that are no process of the host's shell: one module a kind, each from an action to how it finished."""
