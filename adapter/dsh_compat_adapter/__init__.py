"""Runs hooks and rules of other agents in DeepSeek Harness or any host, and lists every loss.

The public names are below; everything else is internal. They are imported when first used, because the command line
prints a matrix in less time than importing asyncio takes.
"""

from importlib import import_module

TYPE_CHECKING = False  # type checkers take the name for true; importing typing takes as long as the matrix
if TYPE_CHECKING:
    from .capability import CapabilityResult, CarriedFile, Loss
    from .declare.findings import Finding
    from .errors import CompatError, ErrorCode, Where
    from .events import Canonical, Capability, Effect, Route
    from .hosts.dsh.adapter import DshAdapter
    from .hosts.embedded.agent import Agent
    from .hosts.embedded.approval import ApprovalOutcome
    from .hosts.embedded.chat_model import ChatModel
    from .hosts.embedded.host import EmbeddedHost
    from .hosts.embedded.model import ModelError, ModelRequest, ScriptedModel, use
    from .hosts.embedded.session import Message, SessionEvent, ToolUse
    from .hosts.embedded.session_log import read_session_log
    from .hosts.embedded.tool import Tool, ToolCall, ToolResult
    from .hosts.embedded.turn import TurnEnd
    from .registered import ProjectResult, Status
    from .service import CompatAdapter

_HOMES = {
    "Agent": ".hosts.embedded.agent",
    "ApprovalOutcome": ".hosts.embedded.approval",
    "Canonical": ".events",
    "Capability": ".events",
    "CapabilityResult": ".capability",
    "CarriedFile": ".capability",
    "ChatModel": ".hosts.embedded.chat_model",
    "CompatAdapter": ".service",
    "CompatError": ".errors",
    "DshAdapter": ".hosts.dsh.adapter",
    "Effect": ".events",
    "EmbeddedHost": ".hosts.embedded.host",
    "ErrorCode": ".errors",
    "Finding": ".declare.findings",
    "Loss": ".capability",
    "Message": ".hosts.embedded.session",
    "ModelError": ".hosts.embedded.model",
    "ModelRequest": ".hosts.embedded.model",
    "ProjectResult": ".registered",
    "Route": ".events",
    "ScriptedModel": ".hosts.embedded.model",
    "SessionEvent": ".hosts.embedded.session",
    "Status": ".registered",
    "Tool": ".hosts.embedded.tool",
    "ToolCall": ".hosts.embedded.tool",
    "ToolResult": ".hosts.embedded.tool",
    "ToolUse": ".hosts.embedded.session",
    "TurnEnd": ".hosts.embedded.turn",
    "Where": ".errors",
    "read_session_log": ".hosts.embedded.session_log",
    "use": ".hosts.embedded.model",
}

__all__ = [
    "Agent",
    "ApprovalOutcome",
    "Canonical",
    "Capability",
    "CapabilityResult",
    "CarriedFile",
    "ChatModel",
    "CompatAdapter",
    "CompatError",
    "DshAdapter",
    "Effect",
    "EmbeddedHost",
    "ErrorCode",
    "Finding",
    "Loss",
    "Message",
    "ModelError",
    "ModelRequest",
    "ProjectResult",
    "Route",
    "ScriptedModel",
    "SessionEvent",
    "Status",
    "Tool",
    "ToolCall",
    "ToolResult",
    "ToolUse",
    "TurnEnd",
    "Where",
    "read_session_log",
    "use",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return [*__all__, *globals()]
