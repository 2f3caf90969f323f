"""Rows that mean only some calls of a tool fire on those calls, as a user's host makes them."""

from pathlib import Path

import pytest

from dsh_compat_adapter import CompatAdapter, EmbeddedHost

PENDING = ("todo_write", {"todos": [{"content": "a", "status": "completed"}, {"content": "b", "status": "pending"}]})
COMPLETED = (
    "todo_write",
    {"todos": [{"content": "a", "status": "in_progress"}, {"content": "b", "status": "completed"}]},
)
NEITHER = ("todo_write", {"todos": [{"content": '"status":"pending" completed', "status": "in_progress"}]})
BROKEN = ("todo_write", {"todos": "pending"})
ADD = [
    ("bash", {"command": text})
    for text in ("git worktree add x", "git -C d worktree add x", "git  worktree add x", "git\tworktree\nadd x")
]
REMOVE = [("bash", {"command": text}) for text in ("git worktree remove x", "git -C d  worktree remove x")]
OTHER = ("bash", {"command": "git status"})

FIRES = [
    *[("TaskCreated", call) for call in (PENDING,)],
    *[("TaskCompleted", call) for call in (COMPLETED, PENDING)],
    *[("WorktreeCreate", call) for call in ADD],
    *[("WorktreeRemove", call) for call in REMOVE],
]
IS_SILENT = [
    *[("TaskCreated", call) for call in (COMPLETED, NEITHER, BROKEN, OTHER)],
    *[("TaskCompleted", call) for call in (NEITHER, BROKEN, OTHER)],
    *[("WorktreeCreate", call) for call in (*REMOVE, OTHER, PENDING)],
    *[("WorktreeRemove", call) for call in (*ADD, OTHER, PENDING)],
]


async def ran(root: Path, vendor: str, event: str, call: tuple[str, dict[str, object]]) -> bool:
    async def body(_: object) -> str:
        return "done"

    witness = root / "witness"
    host = EmbeddedHost(str(root), tools={"todo_write": body, "bash": body})
    async with CompatAdapter(host) as adapter:
        await adapter.register_hook(vendor=vendor, event=event, handler=f"touch '{witness}'")
        await host.agent().call(*call)
    return witness.exists()


@pytest.mark.parametrize("vendor", ["claude", "workbuddy"])
@pytest.mark.parametrize(("event", "call"), FIRES)
async def test_a_hook_of_a_filtered_row_runs_on_the_calls_that_the_row_means(
    tmp_path: Path, vendor: str, event: str, call: tuple[str, dict[str, object]]
) -> None:
    assert await ran(tmp_path, vendor, event, call)


@pytest.mark.parametrize("vendor", ["claude", "workbuddy"])
@pytest.mark.parametrize(("event", "call"), IS_SILENT)
async def test_a_hook_of_a_filtered_row_stays_silent_on_every_other_call(
    tmp_path: Path, vendor: str, event: str, call: tuple[str, dict[str, object]]
) -> None:
    assert not await ran(tmp_path, vendor, event, call)
