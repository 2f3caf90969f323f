"""A Python agent with two tools and the hooks of examples/team: denied, asked, told more, held at its end.

python examples/agent.py
"""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

from dsh_compat_adapter import CompatAdapter, EmbeddedHost, ScriptedModel, ToolCall, use

TEAM = Path(__file__).resolve().parent / "team"
SCRIPT = [
    [use("write", file_path="parcel.txt", content="lost"), use("bash", command="git push --force")],
    "I changed nothing, so I am done.",
    "The release notes are written.",
]


async def bash(call: ToolCall) -> str:
    return f"would run: {call.arguments['command']}"


async def write(call: ToolCall) -> str:
    Path(call.agent.cwd, str(call.arguments["file_path"])).write_text(str(call.arguments["content"]))
    return "written"


async def reject(tool: str, arguments: object, reason: str) -> bool:
    print(f"asked about {tool}: {reason} -> rejected")
    return False


async def main(project: Path) -> int:
    model = ScriptedModel(SCRIPT)
    host = EmbeddedHost(str(project), tools={"bash": bash, "write": write}, model=model, approver=reject)
    async with host, CompatAdapter(host) as adapter:
        for result in await adapter.register_manifest(project / "compat.yaml"):
            print(f"{result.vendor} {result.event or 'rules'}: {result.capability}")
        agent = await host.start()
        end = await agent.prompt("release the parcel tracker")
        for message in agent.messages:
            print(f"[{message.source}] {message.text.splitlines()[0] if message.text else ''}")
        print(f"the turn ended as {end.kind} after {len(model.requests)} answers of the model")
        return 1 if (project / "parcel.txt").exists() else 0
