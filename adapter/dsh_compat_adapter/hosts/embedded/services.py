"""What all agents of one host share."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from .model import Model
from .pipeline import Pipeline
from .seams import Seams
from .session import Log

# who answers a question: its text and the answers to choose from, if there are any -> the answer
Answerer = Callable[[str, tuple[str, ...]], Awaitable[str]]
# a slash command: what follows its name -> the prompt that it stands for, or none
Command = Callable[[str], Awaitable[str | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What an agent works with. What the host lacks is None, never a stand-in that does nothing."""

    seams: Seams
    pipeline: Pipeline
    model: Model | None
    answerer: Answerer | None
    project_dir: str
    permission_mode: str  # that hooks are told until an agent is given another one
    log: Callable[[str], Log] | None  # makes the log on disk of a session by its id
    commands: Mapping[str, Command]
    instructions: tuple[str, ...]  # files that every main agent reads first, relative to the project
    max_steps: int  # of one turn, against a model that never ends
    compact_above: int | None  # characters of all messages; without it nothing is compacted by itself
