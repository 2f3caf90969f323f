"""The id of a prompt, for hosts that number the turns of a session and give prompts no id of their own. Pure."""

import uuid

NAMESPACE = uuid.UUID("7c9b4f0e-52d5-4d2c-9a37-6d2f0f1f8a11")


def prompt_id(session_id: str, turn: str) -> str:
    """The id of the prompt that began this turn: a UUID, the same wherever it is worked out. Total."""
    name = f"{session_id}/{turn}".encode("utf-8", "replace").decode("utf-8")
    return str(uuid.uuid5(NAMESPACE, name))
