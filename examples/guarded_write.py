"""The hooks of examples/team on a Python agent: a denied write leaves no file, and the rules reach the model.

python examples/guarded_write.py
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from dsh_compat_adapter import CompatAdapter, EmbeddedHost

TEAM = Path(__file__).resolve().parent / "team"


async def main() -> int:
    with tempfile.TemporaryDirectory() as project:
        host = EmbeddedHost(project)
        async with CompatAdapter(host) as adapter:
            result = await adapter.register_hook(
                vendor="claude", event="PreToolUse", matcher="Write", handler=f"sh '{TEAM}/hooks/no-write.sh'"
            )
            print(f"registered: {result.capability} by {result.route}, {len(result.degradations)} listed losses")
            await adapter.register_rules(vendor="claude", source="CLAUDE.md", base_dir=str(TEAM))
            agent = await host.start()
            print(f"the model reads first: {agent.messages[0].text.splitlines()[0]}")

            call = await agent.call("write", {"file_path": "parcel.txt", "content": "lost"})
            print(f"write parcel.txt -> {call.text}")
            written = (Path(project) / "parcel.txt").exists()
            print(f"parcel.txt was {'written' if written else 'not written'}")
            return 1 if written or not call.denied else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
