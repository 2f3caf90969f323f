"""The typed decisions: what cannot be written down."""

import pytest

from dsh_compat_adapter.seams.decisions import (
    AskTool,
    BlockPrompt,
    BlockResult,
    Cancel,
    ContinueTurn,
    DenyTool,
    Reject,
)


@pytest.mark.parametrize("decision", [AskTool, BlockPrompt, BlockResult, Cancel, ContinueTurn, DenyTool, Reject])
@pytest.mark.parametrize("reason", ["", " \n\t"])
def test_a_refusal_without_a_reason_cannot_be_made(decision: type, reason: str) -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        decision(reason=reason)
