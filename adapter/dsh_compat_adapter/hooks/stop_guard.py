"""Counts the blocks of a stop in a row, so that a hook which always blocks cannot hold a session for ever.

`stop_hook_active` is true exactly on a stop that an earlier block caused, and false again after a new prompt.
"""

from collections import OrderedDict

CAP = 8  # consecutive blocks; Claude Code 2.1.332 and Copilot CLI 1.0.102 end the turn after as many
SESSIONS = 1000  # remembered; the longest unseen is forgotten, which only resets its count


class StopGuard:
    """The counts of one runtime or host, by session and agent."""

    def __init__(self, cap: int = CAP) -> None:
        self._cap = cap
        self._blocks: OrderedDict[str, int] = OrderedDict()

    def active(self, key: str) -> bool:
        """Whether this stop comes from a block."""
        return self._blocks.get(key, 0) > 0

    def allows(self, key: str) -> bool:
        """Whether one more block may hold the turn; counts it if so, and starts anew if not."""
        blocks = self._blocks.pop(key, 0) + 1
        if blocks > self._cap:
            return False
        self._blocks[key] = blocks
        if len(self._blocks) > SESSIONS:
            self._blocks.popitem(last=False)
        return True

    def reset(self, key: str) -> None:
        """A stop that nobody blocked, or a new prompt."""
        self._blocks.pop(key, None)
