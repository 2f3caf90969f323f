"""`scripts.oracles.model`: the scripted model, asked over HTTP as an engine does."""

import json
import urllib.error
import urllib.request
from collections.abc import Mapping

import pytest

from scripts.oracles.frames import Reply, ToolCall
from scripts.oracles.model import MAIN, ScriptedModel

CALL = Reply(call=ToolCall(name="Bash", arguments={"command": "ls"}, extra={}))
PATHS = ("/v1/messages", "/v1/responses", "/v1/chat/completions")


def ask(model: ScriptedModel, text: str = MAIN, *, path: str = PATHS[2], tools: bool = True) -> str:
    body: Mapping[str, object] = {"messages": [text], **({"tools": [{}]} if tools else {})}
    request = urllib.request.Request(
        f"http://127.0.0.1:{model.port}{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        return str(response.read().decode())


@pytest.mark.parametrize("path", PATHS)
def test_replies_come_in_order_and_the_last_one_repeats(path: str) -> None:
    with ScriptedModel([CALL, Reply(text="finished")]) as model:
        assert "Bash" in ask(model, path=path)
        assert ["finished" in ask(model, path=path) for _ in range(2)] == [True, True]
        assert len(model.bodies) == 3


def test_a_request_without_tools_takes_no_reply_and_one_of_a_subagent_has_a_script_of_its_own() -> None:
    with ScriptedModel([CALL], [Reply(text="child")]) as model:
        assert "Bash" not in ask(model, tools=False)
        assert "child" in ask(model, "help")
        assert "Bash" in ask(model)
        assert (len(model.bodies), len(model.others)) == (1, 2)


def test_a_reply_that_fails_is_an_error_of_the_request() -> None:
    with ScriptedModel([Reply(fails=True)]) as model, pytest.raises(urllib.error.HTTPError, match="400"):
        ask(model)


def test_a_prompt_that_asks_for_a_verdict_gets_it_and_takes_no_reply() -> None:
    with ScriptedModel([CALL], [Reply(text="child")]) as model:
        assert "REASON.x" in ask(model, "VERDICT[refuse:x]")
        assert "true" in ask(model, "VERDICT[allow]")
        assert "child" in ask(model, "help")


def test_a_model_that_forgets_begins_its_script_anew() -> None:
    with ScriptedModel([CALL, Reply(text="finished")]) as model:
        ask(model)
        model.forget()
        assert model.bodies == []
        assert "Bash" in ask(model)


def test_tokens_are_counted_and_models_are_listed_without_a_reply() -> None:
    with ScriptedModel([CALL]) as model:
        assert ask(model, path="/v1/messages/count_tokens") == '{"input_tokens":1}'
        with urllib.request.urlopen(f"http://127.0.0.1:{model.port}/v1/models") as response:
            assert json.load(response) == {"data": [], "models": []}
        assert model.bodies == []
