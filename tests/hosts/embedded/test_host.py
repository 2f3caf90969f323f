"""The embedded host: seams, the tool pipeline, and what a model would read."""

import asyncio
import json
import operator
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, EmbeddedHost, ErrorCode
from dsh_compat_adapter.hosts.embedded.approval import Approver
from dsh_compat_adapter.hosts.embedded.tool import ToolBody, ToolCall, ToolResult
from dsh_compat_adapter.seams.decisions import (
    AcceptResult,
    AllowOnce,
    AllowTool,
    AskTool,
    BlockPrompt,
    BlockResult,
    Decision,
    DenyTool,
    Notify,
    Reject,
    Unavailable,
)
from dsh_compat_adapter.seams.host import HostEvent, Listener
from tests.mounting import CATALOG, WatchedHost, adapting, adds_context, decides, denies, prints

SEAMS = ("tools/pre-execute", "tools/post-execute", "tools/result")


def answering(decision: Decision) -> Listener:
    async def listen(_: HostEvent) -> Decision:
        return decision

    return listen


def raising(error: Exception) -> Listener:
    async def listen(_: HostEvent) -> Decision:
        raise error

    return listen


def keeping(heard: list[HostEvent], decision: Decision) -> Listener:
    async def listen(event: HostEvent) -> Decision:
        heard.append(event)
        return decision

    return listen


class Tools(dict[str, ToolBody]):
    """Tools that keep what they were called with."""

    def __init__(self, answer: object = "done") -> None:
        super().__init__(echo=self._run)
        self.calls: list[Mapping[str, object]] = []
        self._answer = answer

    async def _run(self, call: ToolCall) -> object:
        self.calls.append(call.arguments)
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer


@pytest.fixture
def tools() -> Tools:
    return Tools()


@pytest.fixture
def host(tmp_path: Path, tools: Tools) -> WatchedHost:
    return WatchedHost(tmp_path, tools=tools)


def observe(host: EmbeddedHost) -> dict[str, list[HostEvent]]:
    """Listeners without an opinion at the three seams of a tool call."""
    mild: tuple[Decision, ...] = (AllowTool(), AcceptResult(), Notify())
    heard: dict[str, list[HostEvent]] = {seam: [] for seam in SEAMS}
    for seam, decision in zip(SEAMS, mild, strict=True):
        host.subscribe(seam, keeping(heard[seam], decision))
    return heard


def results(heard: Mapping[str, list[HostEvent]]) -> list[tuple[object, object, object]]:
    """What the two seams after the tool were told."""
    events = [*heard["tools/post-execute"], *heard["tools/result"]]
    return [tuple(event.values[f"result.{name}"] for name in ("text", "is_error", "denied")) for event in events]  # type: ignore[misc] # three of them


# what a host is


@pytest.mark.parametrize("project", ["/no/such/folder", "", "x" * 5000, "/etc/passwd", "a\0b"])
def test_a_project_that_is_no_folder_is_refused(project: str) -> None:
    with pytest.raises(CompatError) as raised:
        EmbeddedHost(project)
    assert raised.value.code is ErrorCode.INVALID_INPUT


def test_the_project_is_its_real_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)
    assert EmbeddedHost("link").project_dir == str(tmp_path / "real")


async def approve(_: str, __: object, ___: str) -> bool:
    return True


@pytest.mark.parametrize(
    ("approver", "without", "services", "can_ask"),
    [
        (None, (), {"shell", "subagents"}, False),
        (approve, (), {"shell", "subagents", "approval"}, True),
        (approve, ("approval",), {"shell", "subagents"}, False),
        (approve, ("shell",), {"subagents", "approval"}, True),
    ],
    ids=["no approver", "approver", "approver and yet without", "no shell"],
)
def test_the_surface_offers_what_the_host_has(
    tmp_path: Path, approver: Approver | None, without: tuple[str, ...], services: set[str], *, can_ask: bool
) -> None:
    host = EmbeddedHost(str(tmp_path), approver=approver, without=without, catalog=CATALOG)
    assert {service for service in host.surface.services if ":" not in service} == services
    assert host.can_ask is can_ask
    assert (host.shell is None) is ("shell" in without)
    assert ("approval/request" in host.surface.seams) is can_ask


@pytest.mark.parametrize("without", [("shel",), "shell", ("bridge:nothing",)], ids=["misspelt", "a text", "no bridge"])
def test_a_service_that_no_host_has_cannot_be_lacked(tmp_path: Path, without: tuple[str, ...]) -> None:
    with pytest.raises(CompatError, match="service") as raised:
        EmbeddedHost(str(tmp_path), without=without, catalog=CATALOG)
    assert raised.value.code is ErrorCode.UNKNOWN_NAME


# listening


async def test_a_seam_that_the_host_does_not_have_is_named(host: WatchedHost) -> None:
    with pytest.raises(CompatError, match="Did you mean 'tools/pre-execute'") as raised:
        host.subscribe("tools/pre-excute", answering(Notify()))
    assert raised.value.code is ErrorCode.UNKNOWN_NAME
    with pytest.raises(CompatError, match="no seam 'tools/pre'"):
        await host.fire("tools/pre", {})


async def test_listeners_hear_in_the_order_of_their_subscription_until_they_are_disposed(host: WatchedHost) -> None:
    heard: list[str] = []

    def named(name: str) -> Listener:
        async def listen(_: HostEvent) -> Decision:
            heard.append(name)
            return Notify()

        return listen

    first, _, third = [host.subscribe("session/event", named(name)) for name in ("a", "b", "c")]
    await host.fire("session/event", {"event.type": "turn/start"})
    first()
    first()
    await host.fire("session/event", {"event.type": "turn/end"})
    third()
    await host.fire("session/event", {"event.type": "turn/end"})
    assert heard == ["a", "b", "c", "b", "c", "b"]


async def test_disposing_twice_does_not_take_the_same_listener_of_somebody_else(host: WatchedHost) -> None:
    heard: list[HostEvent] = []
    listener = keeping(heard, Notify())
    mine = host.subscribe("session/event", listener)
    host.subscribe("session/event", listener)
    mine()
    mine()
    await host.fire("session/event", {"event.type": "turn/start"})
    assert len(heard) == 1


async def test_an_event_has_the_values_of_the_session_and_its_own(host: WatchedHost) -> None:
    heard: list[HostEvent] = []
    host.subscribe("session/event", keeping(heard, Notify()))
    for turn in ("1", "2"):
        await host.fire("session/event", {"event.type": "turn/start", "turn.id": turn})
    assert [event.values["turn.id"] for event in heard] == ["1", "2"]
    assert {event.values["session.cwd"] for event in heard} == {host.project_dir}
    assert len({event.values["session.id"] for event in heard}) == 1
    assert {event.seam for event in heard} == {"session/event"}


async def test_nobody_listening_is_no_opinion(host: WatchedHost) -> None:
    assert await host.fire("agent/turn-stopping", {}) == Notify()


async def test_a_listener_cannot_change_what_others_and_the_sender_see(host: WatchedHost) -> None:
    heard: list[HostEvent] = []

    async def vandal(event: HostEvent) -> Decision:
        changed: Any = event.values
        changes: list[Callable[[], object]] = [
            lambda: changed.update({"event.type": "x"}),
            lambda: operator.setitem(changed, "event.type", "x"),
            lambda: operator.setitem(changed["event.data"], "todos", []),
            lambda: changed["event.data"]["todos"].append("x"),
        ]
        for change in changes:
            with pytest.raises((TypeError, AttributeError)):
                change()
        return Notify()

    host.subscribe("session/event", vandal)
    host.subscribe("session/event", keeping(heard, Notify()))
    sent = {"event.type": "todo/write", "event.data": {"todos": ["a"]}}
    await host.fire("session/event", sent)
    assert heard[0].values["event.data"] == {"todos": ("a",)}
    assert host.observer_errors == []
    assert sent == {"event.type": "todo/write", "event.data": {"todos": ["a"]}}


async def test_where_a_seam_only_tells_a_failing_listener_is_kept_and_disturbs_nobody(host: WatchedHost) -> None:
    heard: list[HostEvent] = []
    error = RuntimeError("observer")
    host.subscribe("session/event", raising(error))
    host.subscribe("session/event", keeping(heard, Notify(contexts=("kept",))))
    assert await host.fire("session/event", {"event.type": "turn/start"}) == Notify(contexts=("kept",))
    assert (len(heard), host.observer_errors) == (1, [error])


async def test_where_a_seam_decides_a_failing_listener_is_no_consent(host: WatchedHost) -> None:
    host.subscribe("agent/pre-step", raising(RuntimeError("no answer")))
    with pytest.raises(RuntimeError, match="no answer"):
        await host.fire("agent/pre-step", {"prompt.text": "hello"})


async def test_contexts_of_all_listeners_become_messages_with_their_source(host: WatchedHost) -> None:
    host.subscribe("agent/created", answering(Notify(contexts=("a", "b"))))
    host.subscribe("agent/created", answering(Notify(contexts=("rules",), source="compat-adapter-rules")))
    await host.start("resume")
    assert [(message.text, message.source) for message in host.messages] == [
        ("a", "compat-adapter"),
        ("b", "compat-adapter"),
        ("rules", "compat-adapter-rules"),
    ]


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact"])
async def test_the_start_says_where_it_comes_from(host: WatchedHost, source: str) -> None:
    heard: list[HostEvent] = []
    host.subscribe("agent/created", keeping(heard, Notify()))
    await host.start(source)
    assert [event.values["session.source"] for event in heard] == [source]


# a tool call


async def test_a_call_passes_its_three_seams_with_one_identity(host: WatchedHost, tools: Tools) -> None:
    heard = observe(host)
    assert await host.call("echo", {"a": 1}) == ToolResult(text="done")
    assert tools.calls == [{"a": 1}]
    events = [event for seam in SEAMS for event in heard[seam]]
    assert [event.seam for event in events] == list(SEAMS)
    assert len({event.values["tool.call_id"] for event in events}) == 1
    assert {event.values["tool.host_name"] for event in events} == {"echo"}
    assert results(heard) == [("done", False, False)] * 2


async def test_two_calls_have_two_identities(host: WatchedHost) -> None:
    heard = observe(host)
    await asyncio.gather(host.call("echo", {}), host.call("echo", {}))
    assert len({event.values["tool.call_id"] for event in heard["tools/result"]}) == 2


async def test_a_denied_tool_does_not_run_and_the_seams_after_it_still_hear(host: WatchedHost, tools: Tools) -> None:
    heard = observe(host)
    host.subscribe("tools/pre-execute", answering(DenyTool(reason="no")))
    assert await host.call("echo", {}) == ToolResult(text="Error: no", is_error=True, denied=True)
    assert tools.calls == []
    assert results(heard) == [("Error: no", True, True)] * 2


async def allows(_: str, __: object, ___: str) -> bool:
    return True


async def rejects(_: str, __: object, ___: str) -> bool:
    return False


async def fails(_: str, __: object, ___: str) -> bool:
    raise ConnectionError("nobody there")


@pytest.mark.parametrize(
    ("approver", "runs", "text"),
    [
        (allows, True, "done"),
        (rejects, False, "Error: not approved: sure?"),
        (None, False, "Error: not approved: sure?"),
        (fails, False, "Error: not approved: sure? (nobody could answer: nobody there)"),
    ],
    ids=["allowed", "rejected", "nobody to ask", "approver fails"],
)
async def test_an_ask_runs_the_tool_only_when_it_is_allowed(
    tmp_path: Path, tools: Tools, approver: Approver | None, text: str, *, runs: bool
) -> None:
    host = WatchedHost(tmp_path, tools=tools, approver=approver)
    heard = observe(host)
    host.subscribe("tools/pre-execute", answering(AskTool(reason="sure?")))
    result = await host.call("echo", {})
    assert (result.text, result.is_error) == (text, not runs)
    assert len(tools.calls) == int(runs)
    assert results(heard) == [(result.text, result.is_error, result.denied)] * 2


async def test_the_approver_is_told_what_it_decides_about(tmp_path: Path, tools: Tools) -> None:
    asked: list[tuple[str, object, str]] = []

    async def approver(name: str, arguments: object, reason: str) -> bool:
        asked.append((name, arguments, reason))
        return True

    host = WatchedHost(tmp_path, tools=tools, approver=approver)
    host.subscribe("tools/pre-execute", answering(AskTool(reason="sure?")))
    await host.call("echo", {"a": [1]})
    assert asked == [("echo", {"a": (1,)}, "sure?")]


@pytest.mark.parametrize(
    ("answer", "runs", "asked"),
    [(AllowOnce(), True, 0), (Reject(reason="policy"), False, 0), (Unavailable(), True, 1)],
    ids=["approved", "rejected", "no answer"],
)
async def test_listeners_of_the_approval_seam_answer_before_the_approver(
    tmp_path: Path, tools: Tools, answer: Decision, asked: int, *, runs: bool
) -> None:
    asks: list[str] = []

    async def approver(_: str, __: object, reason: str) -> bool:
        asks.append(reason)
        return True

    heard: list[HostEvent] = []
    host = WatchedHost(tmp_path, tools=tools, approver=approver)
    host.subscribe("tools/pre-execute", answering(AskTool(reason="sure?")))
    host.subscribe("approval/request", keeping(heard, answer))
    result = await host.call("echo", {})
    assert (result.denied, len(asks)) == (not runs, asked)
    assert [event.values["approval.reason"] for event in heard] == ["sure?"]
    assert runs or result.text == "Error: not approved: policy"


@pytest.mark.parametrize(
    ("decisions", "denied"),
    [
        ([AllowTool(), AskTool(reason="ask"), DenyTool(reason="deny")], "Error: deny"),
        ([DenyTool(reason="deny"), AllowTool()], "Error: deny"),
        ([DenyTool(reason="first"), DenyTool(reason="second")], "Error: first"),
        ([AskTool(reason="ask"), AllowTool()], "Error: not approved: ask"),
        ([AllowTool(), Notify()], None),
    ],
)
async def test_the_strictest_of_several_listeners_counts_in_any_order(
    host: WatchedHost, tools: Tools, decisions: list[Decision], denied: str | None
) -> None:
    for decision in decisions:
        host.subscribe("tools/pre-execute", answering(decision))
    result = await host.call("echo", {})
    assert result.text == (denied or "done")
    assert len(tools.calls) == int(denied is None)


async def test_feedback_after_the_tool_replaces_its_text_and_makes_it_an_error(host: WatchedHost) -> None:
    heard = observe(host)
    host.subscribe("tools/post-execute", answering(BlockResult(reason="wrong file")))
    assert await host.call("echo", {}) == ToolResult(text="wrong file", is_error=True)
    assert results(heard) == [("done", False, False), ("wrong file", True, False)]


async def test_the_last_rewrite_of_a_result_is_what_is_read(host: WatchedHost) -> None:
    for text in ("one", None, "two"):
        host.subscribe("tools/post-execute", answering(AcceptResult(text=text)))
    assert await host.call("echo", {}) == ToolResult(text="two")


async def test_an_empty_rewrite_is_a_rewrite(host: WatchedHost) -> None:
    host.subscribe("tools/post-execute", answering(AcceptResult(text="")))
    assert await host.call("echo", {}) == ToolResult(text="")


async def test_feedback_on_a_denied_call_leaves_it_denied(host: WatchedHost) -> None:
    host.subscribe("tools/pre-execute", answering(DenyTool(reason="no")))
    host.subscribe("tools/post-execute", answering(BlockResult(reason="as I said")))
    assert await host.call("echo", {}) == ToolResult(text="as I said", is_error=True, denied=True)


async def test_contexts_of_every_seam_of_a_call_become_messages(host: WatchedHost) -> None:
    host.subscribe("tools/pre-execute", answering(DenyTool(reason="no", contexts=("before",))))
    host.subscribe("tools/post-execute", answering(AcceptResult(contexts=("after",))))
    await host.call("echo", {})
    assert [message.text for message in host.messages] == ["before", "after"]


# whatever goes wrong


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (RuntimeError("broken"), "Error: broken"),
        (KeyError("path"), "Error: 'path'"),
        (ValueError(), "Error: ValueError"),
        (TimeoutError(), "Error: TimeoutError"),
    ],
    ids=["with a text", "a key", "without a text", "timeout"],
)
async def test_a_tool_that_raises_is_an_error_result(tmp_path: Path, answer: Exception, text: str) -> None:
    host = WatchedHost(tmp_path, tools=Tools(answer))
    heard = observe(host)
    assert await host.call("echo", {}) == ToolResult(text=text, is_error=True)
    assert results(heard) == [(text, True, False)] * 2


async def test_an_unknown_tool_is_an_error_result_and_the_seams_hear_of_it(host: WatchedHost) -> None:
    heard = observe(host)
    result = await host.call("nothing", {})
    assert result == ToolResult(text="Error: unknown tool 'nothing'", is_error=True)
    assert [len(heard[seam]) for seam in SEAMS] == [1, 1, 1]


@pytest.mark.parametrize("arguments", [None, "text", 5, True, [1, 2], []])
async def test_arguments_that_are_no_object_are_an_error_result(
    host: WatchedHost, tools: Tools, arguments: object
) -> None:
    assert await host.call("echo", arguments) == ToolResult(text="Error: the arguments are no object", is_error=True)
    assert tools.calls == []


@pytest.mark.parametrize(
    "arguments",
    [{"n": float("nan")}, {"n": float("-inf")}, {"f": print}, {"s": {1}}, object(), {"b": b"x"}],
    ids=["nan", "infinity", "function", "set", "object", "bytes"],
)
async def test_arguments_that_are_no_json_are_an_error_result_and_reach_nobody(
    host: WatchedHost, tools: Tools, arguments: object
) -> None:
    heard = observe(host)
    result = await host.call("echo", arguments)
    assert result.is_error
    assert result.text.startswith("Error: the arguments are not a JSON value: ")
    assert tools.calls == []
    assert heard["tools/pre-execute"] == []


@pytest.mark.parametrize("seam", ["tools/pre-execute", "tools/post-execute"])
async def test_a_failing_listener_of_a_deciding_seam_is_an_error_result(
    host: WatchedHost, tools: Tools, seam: str
) -> None:
    heard = observe(host)
    host.subscribe(seam, raising(RuntimeError("listener")))
    result = await host.call("echo", {})
    assert (result.text, result.is_error) == ("Error: listener", True)
    assert len(tools.calls) == (0 if seam == "tools/pre-execute" else 1)
    assert [event.values["result.text"] for event in heard["tools/result"]] == ["Error: listener"]


async def test_a_failing_listener_does_not_undo_a_denial(host: WatchedHost, tools: Tools) -> None:
    host.subscribe("tools/pre-execute", answering(DenyTool(reason="no")))
    host.subscribe("tools/post-execute", raising(RuntimeError("listener")))
    assert (await host.call("echo", {})).denied
    assert tools.calls == []


async def test_an_observer_of_the_result_cannot_disturb_the_call(host: WatchedHost) -> None:
    error = RuntimeError("observer")
    host.subscribe("tools/result", raising(error))
    assert await host.call("echo", {}) == ToolResult(text="done")
    assert host.observer_errors == [error]


@pytest.mark.parametrize("decision", [BlockPrompt(reason="no"), AllowOnce(), None, "deny"])
async def test_what_is_no_decision_of_the_seam_is_no_consent(
    host: WatchedHost, tools: Tools, decision: Decision
) -> None:
    host.subscribe("tools/pre-execute", answering(decision))
    assert (await host.call("echo", {})).is_error
    assert tools.calls == []


async def test_neither_a_tool_nor_a_listener_can_change_the_arguments(tmp_path: Path) -> None:
    seen: list[object] = []
    mine = {"path": "a", "edits": [{"line": 1}]}

    async def vandal(event: HostEvent) -> Decision:
        arguments: Any = event.values["tool.host_arguments"]
        changes: list[Callable[[], object]] = [
            lambda: operator.setitem(arguments, "path", "b"),
            lambda: arguments["edits"].append({}),
            lambda: operator.setitem(arguments["edits"][0], "line", 2),
        ]
        for change in changes:
            with pytest.raises((TypeError, AttributeError)):
                change()
        mine["path"] = "changed by the caller meanwhile"
        return AllowTool()

    async def tool(call: ToolCall) -> str:
        seen.append(call.arguments)
        call.arguments["path"] = "c"  # type: ignore[index] # the refusal is what is tested
        return "unreachable"

    host = WatchedHost(tmp_path, tools={"tool": tool})
    host.subscribe("tools/pre-execute", vandal)
    heard = observe(host)
    result = await host.call("tool", mine)
    assert result.is_error
    assert "does not support item assignment" in result.text
    told = [event.values["tool.host_arguments"] for seam in SEAMS for event in heard[seam]]
    assert [*seen, *told] == [{"path": "a", "edits": ({"line": 1},)}] * 4


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.integers(), inner, max_size=3),
    max_leaves=8,
)


@given(st.text(), JSON)
def test_no_call_raises_and_every_result_is_json(name: str, arguments: object) -> None:
    """Whatever a caller gives is an error result, never an exception (seed 001)."""
    host = EmbeddedHost("/", tools=Tools(), catalog=CATALOG)
    result = asyncio.run(host.agent().call(name, arguments))
    assert json.loads(json.dumps(result.text)) == result.text


# with hooks


async def test_the_strictest_of_several_vendors_hooks_wins(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path)
    async with adapting(host) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", handler=decides("allow", "fine"))
        await adapter.register_hook(vendor="workbuddy", event="PreToolUse", handler=decides("ask", "sure?"))
        await adapter.register_hook(
            vendor="copilot",
            event="preToolUse",
            handler=prints({"permissionDecision": "deny", "permissionDecisionReason": "hands off"}),
        )
        await adapter.register_hook(vendor="codex", event="PreToolUse", handler="true")
        result = await host.call("bash", {"command": "touch made"})
    assert (result.text, result.denied) == ("Error: hands off", True)
    assert not (tmp_path / "made").exists()


async def test_an_allow_of_one_hook_does_not_answer_the_ask_of_another(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, approver=rejects)
    async with adapting(host) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", handler=decides("allow", "fine"))
        await adapter.register_hook(vendor="workbuddy", event="PreToolUse", handler=decides("ask", "sure?"))
        assert (await host.call("bash", {"command": "true"})).text == "Error: not approved: sure?"


async def test_every_vendor_reads_its_own_name_of_the_tool(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path)
    async with adapting(host) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", handler="cat > claude", bridge="native")
        await adapter.register_hook(vendor="copilot", event="preToolUse", handler="cat > copilot")
        await host.call("write", {"file_path": "a", "content": "x"})
    claude, copilot = (json.loads((tmp_path / name).read_text()) for name in ("claude", "copilot"))
    assert (claude["tool_name"], claude["tool_input"]) == ("Write", {"file_path": "a", "content": "x"})
    assert (copilot["toolName"], copilot["toolArgs"]) == ("create", {"path": "a", "file_text": "x"})


async def test_context_of_a_hook_before_the_tool_is_a_message_although_the_tool_runs(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path)
    async with adapting(host) as adapter:
        await adapter.register_hook(
            vendor="claude", event="PreToolUse", handler=adds_context("mind the gap", "PreToolUse"), bridge="native"
        )
        assert (await host.call("bash", {"command": "echo ran"})).text == "ran\n"
    assert [message.text for message in host.messages] == ["mind the gap"]


async def test_feedback_of_a_hook_after_the_tool_is_what_the_model_reads(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path)
    async with adapting(host) as adapter:
        await adapter.register_hook(
            vendor="claude",
            event="PostToolUse",
            matcher="Write",
            handler=prints({"decision": "block", "reason": "format it first"}),
        )
        result = await host.call("write", {"file_path": "a", "content": "x"})
    assert (result.text, result.is_error, result.denied) == ("format it first", True, False)
    assert (tmp_path / "a").read_text() == "x"


async def test_a_permission_hook_answers_the_ask_of_another_hook(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, approver=allows)
    answer = {
        "hookSpecificOutput": {
            "hookEventName": "PermissionRequest",
            "decision": {"behavior": "deny", "message": "not on a friday"},
        }
    }
    async with adapting(host) as adapter:
        await adapter.register_hook(vendor="claude", event="PreToolUse", handler=decides("ask", "sure?"))
        await adapter.register_hook(vendor="claude", event="PermissionRequest", handler=prints(answer))
        assert (await host.call("bash", {"command": "true"})).text == "Error: not approved: not on a friday"


async def test_calls_side_by_side_are_guarded_each_by_itself(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path)
    async with adapting(host) as adapter:
        await adapter.register_hook(
            vendor="claude",
            event="PreToolUse",
            handler=f"grep -q secret || exit 0; {denies('secret')}",
            bridge="native",
        )
        calls = [host.call("write", {"file_path": f"{n}", "content": "secret" if n % 2 else "x"}) for n in range(20)]
        assert [result.denied for result in await asyncio.gather(*calls)] == [bool(n % 2) for n in range(20)]
    assert [(tmp_path / str(n)).exists() for n in range(20)] == [not n % 2 for n in range(20)]


async def test_a_call_nested_in_a_tool_is_guarded_as_well(tmp_path: Path) -> None:
    async def outer(call: ToolCall) -> str:
        return (await call.nested("inner", {})).text

    tools = Tools()
    host = WatchedHost(tmp_path, tools={"outer": outer, "inner": tools["echo"]})

    async def guard(event: HostEvent) -> Decision:
        return DenyTool(reason="no") if event.values["tool.host_name"] == "inner" else AllowTool()

    host.subscribe("tools/pre-execute", guard)
    assert (await host.call("outer", {})).text == "Error: no"
    assert tools.calls == []


async def test_a_tool_that_the_host_was_given_is_one_that_a_matcher_can_mean(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, tools={"deploy": Tools()["echo"]})
    assert "deploy" in host.surface.tools
    async with adapting(host) as adapter:
        result = await adapter.register_hook(
            vendor="claude", event="PreToolUse", matcher="deploy", handler=denies("no"), bridge="native"
        )
        assert result.warnings == ()
        assert (await host.call("deploy", {})).denied


@pytest.mark.parametrize(
    "answer",
    [None, "text", DenyTool(reason="no"), Notify(contexts=cast("Any", "text")), Notify(contexts=cast("Any", (None,)))],
    ids=["nothing", "a text", "of another seam", "a text as contexts", "no text as context"],
)
async def test_what_is_no_decision_of_a_seam_that_tells_is_the_failure_of_its_listener(
    host: WatchedHost, answer: object
) -> None:
    async def listen(_: HostEvent) -> Decision:
        return cast("Decision", answer)

    host.subscribe("session/event", listen)
    await host.call("echo", {})
    assert {type(error) for error in host.observer_errors} == {TypeError}


async def test_a_listener_that_always_fails_fills_no_memory(host: WatchedHost) -> None:
    host.subscribe("session/event", raising(RuntimeError("always")))
    for _ in range(1100):
        await host.one.log("note", {})
    assert len(host.observer_errors) == 1000


@pytest.mark.parametrize("levels", [150, 250, 450, 490, 5000, 100_000])
async def test_arguments_of_any_depth_are_a_result(host: WatchedHost, levels: int) -> None:
    observe(host)
    nested: object = {}
    for _ in range(levels):
        nested = {"a": nested}
    result = await host.call("echo", {"nested": nested})
    assert result.is_error is (levels > 200)


@pytest.mark.parametrize("bound", [{"max_steps": 0}, {"max_steps": "3"}, {"compact_above": -1}], ids=str)
def test_a_bound_that_is_no_number_above_0_is_refused(tmp_path: Path, bound: dict[str, Any]) -> None:
    with pytest.raises(CompatError) as raised:
        EmbeddedHost(str(tmp_path), **bound, catalog=CATALOG)
    assert raised.value.code is ErrorCode.INVALID_INPUT
