"""`dsh-compat connect`: the Python side of a bundle as a process, with a test in the place of its connector."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.clock import PATIENCE_S
from tests.listening import Listening, environment
from tests.live.bundles import built, manifest

HOOK = {"vendor": "claude", "event": "PreToolUse", "handler": "sh a.sh", "bridge": "native"}
CALL = {"tool.host_name": "bash", "tool.host_arguments": {"command": "ls"}}


@contextmanager
def connected(tmp_path: Path) -> Iterator[Listening]:
    """A process that has opened a bundle with one hook."""
    patch = built(manifest(tmp_path / "project", [HOOK]), tmp_path / "bundle", "0.2.1-rc.2")
    argv = [sys.executable, "-m", "dsh_compat_adapter", "connect", str(patch.parent)]
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, env=environment()) as process:
        client = Listening(process)
        assert client.ask(op="hello", id=1, protocol=1, dsh="0.2.1-rc.2")["surface"] == "dsh-0.2.1-rc.2"
        assert client.ask(op="open", id=2, services=["shell"], orphans=[])["ok"]
        try:
            yield client
        finally:
            process.kill()


def pending(client: Listening) -> int:
    """Have a tool call wait for its hook; the number of the shell call that the hook became."""
    client.send({"op": "seam", "id": 3, "seam": "tools/pre-execute", "values": CALL})
    call = client.reply()
    assert (call["service"], call["args"]["command"][-19:]) == ("shell", "/bin/sh -c 'sh a.sh'"[-19:])
    number: int = call["call"]
    return number


def test_a_hook_becomes_a_shell_call_and_its_result_the_decision(tmp_path: Path) -> None:
    with connected(tmp_path) as client:
        number = pending(client)
        value = {"exit_code": 2, "stdout": "", "stderr": "not now"}
        client.send({"op": "result", "call": number, "value": value})
        assert client.reply()["decision"] == {"type": "deny-tool", "reason": "not now"}


def test_a_cancelled_seam_aborts_its_shell_call_and_answers_when_that_has_ended(tmp_path: Path) -> None:
    with connected(tmp_path) as client:
        number = pending(client)
        client.send({"op": "cancel", "id": 4, "target": 3})
        assert client.reply() == {"call": number, "abort": True}
        client.send({"op": "result", "call": number, "error": "aborted"})
        assert [client.reply() for _ in range(2)] == [
            {"ok": False, "error": "cancelled", "id": 3},
            {"ok": True, "cancelled": True, "id": 4},
        ]


def test_at_the_end_of_its_input_it_waits_for_no_result_any_more(tmp_path: Path) -> None:
    with connected(tmp_path) as client:
        pending(client)
        assert client.end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_a_hook_waits_for_its_result(number: signal.Signals, tmp_path: Path) -> None:
    with connected(tmp_path) as client:
        pending(client)
        client.process.send_signal(number)
        assert client.process.wait(PATIENCE_S) == 128 + number


def test_dispatch_is_refused_with_the_command_that_serves_it(tmp_path: Path) -> None:
    with connected(tmp_path) as client:
        assert "dsh-compat listen" in client.ask(op="dispatch", id=5, event="Stop")["error"]


def test_a_folder_without_a_bundle_is_told_to_the_connector(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "dsh_compat_adapter", "connect", str(tmp_path)]
    hello = json.dumps({"op": "hello", "id": 1, "protocol": 1}).encode() + b"\n"
    done = subprocess.run(argv, input=hello, capture_output=True, env=environment(), check=True)
    assert "dsh-compat build" in json.loads(done.stdout)["error"]
