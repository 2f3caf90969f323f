"""The closed vocabularies that every floor shares: canonical events and the effects of a hook's answer.

Source of the canonical events: the hook contract (seed 000), which names an event by subject and moment.
"""

from enum import StrEnum


class Canonical(StrEnum):
    """The ten events that mean the same in every dialect."""

    SESSION_START = "session:start"
    SESSION_END = "session:end"
    PROMPT_SUBMIT = "prompt:submit"
    TOOL_BEFORE = "tool:before"
    TOOL_AFTER = "tool:after"
    TURN_STOP = "turn:stop"
    SUBAGENT_START = "subagent:start"
    SUBAGENT_END = "subagent:end"
    NOTIFICATION = "notification:send"
    COMPACT_BEFORE = "compact:before"


class Effect(StrEnum):
    """What a hook's answer can ask for. A row lists those that reach the host; a loss names the one it loses."""

    DENY = "deny"  # the action does not happen (tool, prompt, approval, end of the turn)
    ASK = "ask"  # somebody is asked before the action happens
    ALLOW = "allow"  # a prompt is answered with yes
    CONTEXT = "context"  # text that the model reads
    FEEDBACK = "feedback"  # a block after the fact: the model reads the reason
    REWRITE_INPUT = "rewrite-input"
    REWRITE_OUTPUT = "rewrite-output"
    REWRITE_PROMPT = "rewrite-prompt"
    STOP = "stop"  # continue:false, the turn ends
    MESSAGE = "message"  # text that the user reads
    SUPPRESS = "suppress"  # the hook's output stays out of the transcript


class Capability(StrEnum):
    """How faithfully an event or a rule file arrives. DIRECT exists so that it can be refused."""

    DIRECT = "DIRECT"
    ADAPTED = "ADAPTED"
    CARRY = "CARRY"
    UNSUPPORTED = "UNSUPPORTED"


class Route(StrEnum):
    """How an event reaches a seam of the host."""

    OFFICIAL_BRIDGE = "official-bridge"
    NATIVE_TRANSLATE = "native-translate"
    NATIVE_SEAM = "native-seam"
    BUILTIN_BRIDGE = "builtin-bridge"
    CARRY = "carry"
