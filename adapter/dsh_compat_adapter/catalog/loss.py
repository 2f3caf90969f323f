"""What a mapping loses, as frozen values of the catalog."""

from typing import NamedTuple


class Degradation(NamedTuple):
    """One loss of one mapping. `trigger` says which use of it in an answer makes it a run-time loss."""

    code: str
    loss: str
    loss_zh: str
    evidence: str
    trigger: str | None
    field: str | None

    @property
    def approximate(self) -> bool:
        """Whether this loss makes its row count as approximate."""
        return self.loss.startswith("Approximate")


class LossKind(NamedTuple):
    """What a code means for somebody's hook, and the remedy if there is one, in English and Chinese."""

    code: str
    means: str
    means_zh: str
    remedy: str | None
    remedy_zh: str | None
