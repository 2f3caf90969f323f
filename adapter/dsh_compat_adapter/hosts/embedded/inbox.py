"""What waits to be read by a model: queued for the next turn, or for the next step of this one."""

from collections.abc import Sequence

from .session import Message


class Inbox:
    """The waiting messages of one agent, in order."""

    def __init__(self) -> None:
        self._queued: list[Message] = []
        self._next_step: list[Message] = []
        self._steered = False

    @property
    def has_queued(self) -> bool:
        """Whether a turn has something to begin with."""
        return bool(self._queued)

    @property
    def has_steering(self) -> bool:
        """Whether something waits that keeps a turn going."""
        return self._steered

    @property
    def injected(self) -> tuple[Message, ...]:
        """What the next step reads, whenever it comes."""
        return tuple(self._next_step)

    def queue(self, message: Message) -> None:
        """For the next turn, where it is a prompt."""
        self._queued.append(message)

    def steer(self, message: Message) -> None:
        """For the next step; a turn that wanted to end goes on."""
        self._next_step.append(message)
        self._steered = True

    def inject(self, message: Message) -> None:
        """For the next step, whenever there is one."""
        self._next_step.append(message)

    def put_back(self, messages: Sequence[Message]) -> None:
        """What was taken for a step that did not open."""
        self._next_step[:0] = messages

    def take_queued(self) -> list[Message]:
        """Everything that was queued, as one batch."""
        taken, self._queued = self._queued, []
        return taken

    def take_next_step(self) -> list[Message]:
        """Everything for the step that opens now."""
        taken, self._next_step, self._steered = self._next_step, [], False
        return taken
