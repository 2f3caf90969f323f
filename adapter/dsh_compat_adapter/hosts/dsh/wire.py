"""Decisions as the connector reads them. Pure."""

from ...seams.combine import combine
from ...seams.decisions import (
    SOURCE,
    AcceptResult,
    AllowOnce,
    AllowPrompt,
    AllowTool,
    AskTool,
    BlockPrompt,
    BlockResult,
    Cancel,
    ContinueTurn,
    Decision,
    DenyTool,
    Notify,
    Reject,
    StopTurn,
    Unavailable,
)

PROTOCOL = 1
TYPES: dict[type[Decision], str] = {
    Notify: "notify",
    AllowPrompt: "allow-prompt",
    BlockPrompt: "block-prompt",
    AllowTool: "allow-tool",
    DenyTool: "deny-tool",
    AskTool: "ask-tool",
    AcceptResult: "accept-result",
    BlockResult: "block-result",
    StopTurn: "stop-turn",
    ContinueTurn: "continue-turn",
    AllowOnce: "allow-once",
    Reject: "reject",
    Cancel: "cancel",
    Unavailable: "unavailable",
}
MEMBERS = ("reason", "text")


def answer(decisions: list[Decision]) -> dict[str, object]:
    """What the listeners of one seam have decided together, and each text for the model with its source."""
    messages = [
        {"text": text, "source": decision.source if isinstance(decision, Notify) else SOURCE}
        for decision in decisions
        for text in decision.contexts
    ]
    return {"ok": True, "decision": written(combine(decisions)), "messages": messages}


def written(decision: Decision) -> dict[str, object]:
    """One decision without its contexts."""
    members = {name: value for name in MEMBERS if (value := getattr(decision, name, None)) is not None}
    return {"type": TYPES[type(decision)], **members}
