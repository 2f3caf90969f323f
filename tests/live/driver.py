"""Runs in the environment of one DSH runtime: boots it through its Python SDK and does what comes over stdin.

One JSON object a line each way. Runs of several prompts go side by side, so every reply names its request.
"""

import dataclasses
import json
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from deepseek_harness import DeepSeekHarness

LOCK = threading.Lock()


def say(reply: dict[str, Any]) -> None:
    with LOCK:
        sys.stdout.write(json.dumps(reply, default=str) + "\n")
        sys.stdout.flush()


def plain(value: Any) -> Any:
    """An event or notification of the SDK as data, whichever class it has in this version."""
    return value if isinstance(value, dict) else dataclasses.asdict(value)


def answer(request: dict[str, Any], work: Callable[[], dict[str, Any]]) -> None:
    """Reply with what the work gives, or with its error, whose meaning the test decides."""
    try:
        reply = work()
    except Exception as error:  # noqa: BLE001 - see above
        reply = {"error": f"{type(error).__name__}: {error}"}
    say({"id": request["id"], **reply})


def run(harness: Any, request: dict[str, Any]) -> dict[str, Any]:
    result = harness.run(request["text"], session_id=request.get("session"))
    return {
        "session": result.session_id,
        "finish": result.finish_reason,
        "final": result.final_response,
        "events": [plain(event) for event in result.events],
        "notifications": [plain(one) for one in result.notifications],
    }


def resume(harness: Any, request: dict[str, Any]) -> dict[str, Any]:
    harness.resume_session(request["session"])
    return {}


def main() -> None:
    settings = json.loads(sys.argv[1])
    harness = DeepSeekHarness(**{**settings, "patches": tuple(settings["patches"])})
    running: list[threading.Thread] = []
    with harness:
        say({"pid": harness.client._proc.pid})  # noqa: SLF001 - the SDK tells neither this nor what stderr said
        for line in sys.stdin:
            request = json.loads(line)
            if request["op"] == "close":
                break
            work = partial({"run": run, "resume": resume}[request["op"]], harness, request)
            running.append(threading.Thread(target=answer, args=(request, work)))
            running[-1].start()
        for thread in running:
            thread.join()
    say({"stderr": list(harness.client._stderr_lines)})  # noqa: SLF001 - as above


main()
