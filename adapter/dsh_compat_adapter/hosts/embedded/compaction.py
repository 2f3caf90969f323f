"""Compaction: the model sums the session up, and the summary takes the place of its messages. Nobody can refuse it."""

import uuid
from collections.abc import Mapping
from contextlib import aclosing, suppress
from typing import Protocol

from ...hooks.closing import to_the_end
from .model import Model, ModelError, ModelRequest
from .services import Services
from .session import USER, Message, Session
from .tool import Acting

INSTRUCTION = "Sum up this session so that the work can go on from the summary alone: goals, decisions, what is open."


class Compacting(Acting, Protocol):
    """What a compaction needs of its agent."""

    session: Session
    services: Services
    model: Model | None

    @property
    def model_name(self) -> str:
        """What the model is called."""
        ...


async def compact_if_full(agent: Compacting, turn: int) -> None:
    """Compact when the messages have more characters than the host allows; a failure is logged and nothing is lost."""
    limit = agent.services.compact_above
    if limit is not None and sum(len(message.text) for message in agent.session.messages) > limit:
        with suppress(Exception):
            await compact(agent, turn)


async def compact(agent: Compacting, turn: int) -> None:
    """Compact now; raises ModelError when the model fails, and then nothing is lost."""
    named: Mapping[str, object] = {"compaction_id": str(uuid.uuid4()), "turn": turn}
    failed: dict[str, object] = {"error": "aborted"}
    try:
        await agent.log("compaction/start", named)
        summary = await _summary(agent)
        await agent.log("compaction/summary", {"compaction_id": named["compaction_id"], "summary": summary})
        failed = {}
    except Exception as error:
        failed = {"error": str(error) or type(error).__name__}
        raise
    finally:
        await to_the_end(agent.log("compaction/end", {**named, **failed}))


async def _summary(agent: Compacting) -> str:
    if agent.model is None:
        raise ModelError("this agent has no model that could sum up")
    asked = (*agent.session.messages, Message(text=INSTRUCTION, source=USER))
    request = ModelRequest(model=agent.model_name, messages=asked, purpose="compaction")
    text = ""
    async with aclosing(agent.model.stream(request)) as pieces:
        async for piece in pieces:
            text += piece if isinstance(piece, str) else ""
    if not text.strip():
        raise ModelError("the model's summary is empty")
    return text
