"""`dsh-compat mock-llm`: an offline model endpoint, for oracle hooks and for tests of whole harnesses."""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from ..errors import CompatError, ErrorCode
from ..mock_llm import MockModel
from .text import say


def run(arguments: argparse.Namespace) -> int:
    """Serve on the loopback address until interrupted; the first line says where."""
    script = _script(arguments.script)
    try:
        asyncio.run(_serve(arguments.port, script))
    except BrokenPipeError:
        raise
    except (OSError, OverflowError) as error:
        raise CompatError(ErrorCode.INVALID_INPUT, f"cannot listen on port {arguments.port}: {error}") from None
    return 0


async def _serve(port: int, script: list[object]) -> None:
    async with MockModel(port, script) as model:
        say(json.dumps({"base_url": f"http://127.0.0.1:{model.port}/v1"}))
        sys.stdout.flush()  # whoever started it waits for this line
        await asyncio.Event().wait()


def _script(path: str | None) -> list[object]:
    if path is None:
        return []
    try:
        script = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise CompatError(ErrorCode.INVALID_INPUT, f"--script {path!r} cannot be read: {error}") from None
    if not isinstance(script, list):
        raise CompatError(ErrorCode.INVALID_INPUT, "--script holds a JSON list of replies")
    return script
