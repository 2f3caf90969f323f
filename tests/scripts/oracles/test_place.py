"""`scripts.oracles.place` and what it lays out: the recorder as a command and over HTTP, and the MCP server."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import replace

import pytest

from scripts.oracles.cases import Trial, trials
from scripts.oracles.engine import engines
from scripts.oracles.place import Place, temporary_place

DENY = next(trial for trial in trials(engines()["claude"]) if trial.id == "deny")


@pytest.fixture
def place() -> Iterator[Place]:
    with temporary_place("oracle-test-") as made:
        yield made


def answering(**answer: object) -> Trial:
    return replace(DENY, files={"project/hooks.json": {"command": "{recorder} Event.a"}}, answers={"Event.a": answer})


def recorded(place: Place, stdin: str) -> subprocess.CompletedProcess[str]:
    command = json.loads((place.project / "hooks.json").read_text(encoding="utf-8"))["command"]
    return subprocess.run(command, shell=True, input=stdin, capture_output=True, text=True, check=False)


def test_the_recorder_keeps_what_it_reads_and_says_what_the_case_says(place: Place) -> None:
    place.put([answering(stdout="out", stderr="err", exit=2)])
    done = recorded(place, '{"command": "touch ran.case-deny"}')
    assert (done.stdout, done.stderr, done.returncode) == ("out", "err", 2)
    (call,) = place.calls()
    assert (call.tag, call.case, call.stdin) == ("Event.a", "deny", b'{"command": "touch ran.case-deny"}')


def test_a_payload_of_another_case_gets_no_answer_and_one_without_a_case_is_of_the_current_one(place: Place) -> None:
    place.put([answering(stdout="out")])
    assert recorded(place, "case-other").stdout == ""
    assert recorded(place, "nothing").stdout == "out"
    assert [call.case for call in place.calls()] == ["other", "deny"]


def test_an_answer_for_the_first_time_alone_is_given_once(place: Place) -> None:
    place.put([answering(stdout="out", first_only=True)])
    assert [recorded(place, "case-deny").stdout for _ in range(2)] == ["out", ""]


@pytest.mark.parametrize(("code", "status"), [(0, 200), (1, 500)])
def test_an_http_hook_goes_through_the_same_recorder(place: Place, code: int, status: int) -> None:
    place.put([answering(stdout='{"a":1}', exit=code)])
    try:
        with urllib.request.urlopen(f"{place.hooks}/Event.a", b'"case-deny"') as response:
            found = (response.status, response.read())
    except urllib.error.HTTPError as error:
        with error:
            found = (error.code, error.read())
    assert found == (status, b'{"a":1}')
    assert [call.stdin for call in place.calls()] == [b'"case-deny"']


def test_the_mcp_server_offers_one_tool_and_answers_its_call(place: Place) -> None:
    requests = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "mark", "arguments": {"text": "x"}}},
    ]
    done = subprocess.run(
        [sys.executable, place.root / "mcp_server.py"],
        input="".join(f"{json.dumps(request)}\n" for request in requests),
        capture_output=True,
        text=True,
        check=True,
    )
    first, tools, said = [json.loads(line)["result"] for line in done.stdout.splitlines()]
    assert first["protocolVersion"] == "2025-06-18"
    assert [tool["name"] for tool in tools["tools"]] == ["mark"]
    assert said["content"] == [{"type": "text", "text": "said x"}]
