"""Many sessions on one host: they leave nothing behind, and everything ends when it is told to."""

import asyncio
import os
from pathlib import Path

import psutil

from dsh_compat_adapter import EmbeddedHost
from dsh_compat_adapter.hosts.embedded.model import ScriptedModel, use
from dsh_compat_adapter.hosts.embedded.tool import ToolCall
from tests.mounting import CATALOG, adapting, alive


async def tool(_: ToolCall) -> object:
    return "done"


def left() -> tuple[int, int, int]:
    process = psutil.Process()
    return len(asyncio.all_tasks()), len(process.children(recursive=True)), process.num_fds()


async def test_sessions_side_by_side_with_a_hook_on_each_call_leave_nothing(tmp_path: Path) -> None:
    host = EmbeddedHost(str(tmp_path), tools={"tool": tool}, catalog=CATALOG)

    async def session() -> None:
        agent = await host.start()
        await agent.select_model(ScriptedModel([[use("tool") for _ in range(3)], "done"]))
        assert (await agent.prompt("go")).kind == "completed"
        await agent.dispose()

    async with adapting(host) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", handler="cat >/dev/null")
        await session()
        before = left()
        await asyncio.gather(*(session() for _ in range(30)))
        assert left() == before
        assert adapter.status().dispatches == 31 * 3


async def test_disposing_the_adapter_kills_every_running_hook_and_the_sessions_go_on(tmp_path: Path) -> None:
    host = EmbeddedHost(str(tmp_path), tools={"tool": tool}, catalog=CATALOG)
    os.mkfifo(tmp_path / "pids")
    adapter = adapting(host)
    await adapter.register_hook(vendor="claude", event="PreToolUse", handler="echo $$ > pids; exec sleep 60")
    agents = [host.agent() for _ in range(50)]
    pids: list[str] = []
    with os.fdopen(os.open(tmp_path / "pids", os.O_RDWR | os.O_NONBLOCK), "rb") as pipe:
        loop, all_started = asyncio.get_running_loop(), asyncio.Event()

        def started() -> None:
            pids.extend(pipe.read1(4096).decode().split())
            if len(pids) == len(agents):
                all_started.set()

        loop.add_reader(pipe.fileno(), started)
        calls = [asyncio.ensure_future(agent.call("tool", {})) for agent in agents]
        await all_started.wait()
        loop.remove_reader(pipe.fileno())
    await adapter.dispose()
    assert [pid for pid in pids if alive(pid)] == []
    assert [result.text for result in await asyncio.gather(*calls)] == ["done"] * 50


async def test_closing_the_host_ends_its_turns_with_their_hooks(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "started")
    host = EmbeddedHost(str(tmp_path), tools={"tool": tool}, model=ScriptedModel([[use("tool")]]), catalog=CATALOG)
    async with adapting(host) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", handler="echo $$ > started; exec sleep 60")
        agent = await host.start()
        running = asyncio.ensure_future(agent.prompt("go"))
        pid = (await asyncio.to_thread((tmp_path / "started").read_text)).strip()
        await host.aclose()
        assert (await running).kind == "aborted"
        assert not alive(pid)
