"""A Python agent with two tools under the hooks of examples/team: denied, asked, told more, held at its end.

python examples/agent.py
"""

import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

from dsh_compat_adapter import CompatAdapter, EmbeddedHost, ScriptedModel, ToolCall, ToolUse, use

TEAM = Path(__file__).resolve().parent / "team"
SCRIPT: list[str | list[ToolUse]] = [
    [use("write", file_path="parcel.txt", content="lost"), use("bash", command="git push --force")],
    "Nothing was changed, so I am done.",
    "TODO.release waits for somebody who may write.",
]


async def bash(call: ToolCall) -> str:
    return f"would run: {call.arguments['command']}"


async def write(call: ToolCall) -> str:
    path = Path(call.agent.cwd, str(call.arguments["file_path"]))
    await asyncio.to_thread(path.write_text, str(call.arguments["content"]))
    return "written"


async def reject(tool: str, arguments: object, reason: str) -> bool:
    print(f"asked about {tool} {dict(arguments)}: {reason} -> rejected")  # type: ignore[call-overload] # an object
    return False


async def work(project: Path) -> int:
    tools, model = {"bash": bash, "write": write}, ScriptedModel(SCRIPT)
    host = EmbeddedHost(str(project), tools=tools, model=model, approver=reject)
    async with host, CompatAdapter(host) as adapter:
        registered = await adapter.register_project(bridge="native")
        print(f"{sum(one.executable for one in registered.results)} hooks run, {len(registered.findings)} findings")
        agent = await host.start()
        end = await agent.prompt("release the parcel tracker")
        for message in agent.messages:
            print(f"[{message.source}] {message.text[:100].splitlines()[0] if message.text else '(calls tools)'}")
        print(f"the turn: {end.kind} after {len(model.requests)} answers")
    return 1 if (project / "parcel.txt").exists() else 0


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        project = Path(shutil.copytree(TEAM, Path(folder, "team")))
        (project / "TODO.release").write_text("write the notes\n")
        return asyncio.run(work(project))


if __name__ == "__main__":
    sys.exit(main())
