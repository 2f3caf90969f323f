"""`hosts.embedded.session_log`: the log of a session on disk, and the session that goes on from it."""

import json
import logging
import shutil
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter import CompatError, EmbeddedHost, ErrorCode, ScriptedModel, read_session_log, use
from dsh_compat_adapter.hosts.embedded.session import Session, SessionEvent
from dsh_compat_adapter.hosts.embedded.session_log import SessionLog
from dsh_compat_adapter.seams.decisions import Decision, Notify
from dsh_compat_adapter.seams.host import HostEvent
from tests.mounting import CATALOG, WatchedHost, adapting

DATA = st.dictionaries(st.text(st.characters(exclude_categories=())), st.text(st.characters(exclude_categories=())))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "logs"


@pytest.fixture
def host(tmp_path: Path, folder: Path) -> WatchedHost:
    return WatchedHost(tmp_path, model=ScriptedModel(["done"]), session_log=folder)


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text("ascii").splitlines()]


def mode(path: str | Path) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


def files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.iterdir())


async def test_every_event_of_a_session_is_a_line_of_its_file(host: WatchedHost, folder: Path) -> None:
    await host.one.prompt("hi")
    session = host.one.session
    assert session.path == str(folder / f"{session.id}.jsonl")
    assert [(line["seq"], line["type"]) for line in lines(session.path)] == [(e.seq, e.type) for e in session.events]
    assert [line["data"]["text"] for line in lines(session.path) if line["type"] == "user/message"] == ["hi"]


async def test_a_file_and_its_folder_are_for_their_owner_alone(host: WatchedHost, folder: Path) -> None:
    await host.one.prompt("hi")
    assert (mode(folder), mode(host.one.session.path)) == (0o700, 0o600)


async def test_whoever_is_told_of_an_event_finds_its_line(host: WatchedHost) -> None:
    found: list[bool] = []

    async def looks(event: HostEvent) -> Decision:
        found.append(lines(str(event.values["session.transcript"]))[-1]["seq"] == event.values["event.seq"])
        return Notify()

    host.subscribe("session/event", looks)
    await host.one.prompt("hi")
    assert len(found) == len(host.one.session.events)
    assert all(found)


async def test_a_hook_reads_what_was_said_at_its_transcript_path(host: WatchedHost, tmp_path: Path) -> None:
    command = "python3 -c 'import json, sys; print(open(json.load(sys.stdin)[\"transcript_path\"]).read())' >transcript"
    async with adapting(host) as adapter:
        await adapter.register_hook({"vendor": "claude", "event": "Stop", "handler": command, "bridge": "native"})
        await host.start()
        await host.one.prompt("what is in a transcript")
    assert "what is in a transcript" in (tmp_path / "transcript").read_text()


async def test_a_file_is_there_before_the_first_event(host: WatchedHost, folder: Path) -> None:
    there: list[bool] = []

    async def looks(event: HostEvent) -> Decision:
        there.append(files(folder) == [event.values["session.transcript"]])
        return Notify()

    host.subscribe("agent/created", looks)
    await host.start()
    assert there == [True]


async def test_a_subagent_has_a_file_of_its_own(tmp_path: Path, folder: Path) -> None:
    model = ScriptedModel([use("subagent", prompt="help"), "helped", "done"])
    host = WatchedHost(tmp_path, model=model, session_log=folder)
    await host.one.prompt("hi")
    (other,) = set(files(folder)) - {host.one.session.path}
    assert [line["data"]["text"] for line in lines(other) if line["type"] == "user/message"] == ["help"]


async def test_a_session_goes_on_from_its_file(host: WatchedHost) -> None:
    await host.one.prompt("hi")
    former = host.one.session
    agent = await host.start("resume", former=read_session_log(former.path))
    assert [message.text for message in agent.messages] == ["hi", "done"]
    assert agent.session.path != former.path
    assert [line["type"] for line in lines(agent.session.path)] == [line["type"] for line in lines(former.path)]


@given(data=DATA)
def test_any_text_comes_back_as_it_was(data: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> None:
    log = SessionLog(tmp_path_factory.mktemp("log"), "one")
    session = Session("one", log=log)
    session.append("note", data)
    assert [event.data for event in read_session_log(log.path)] == [data]


def test_a_line_that_was_cut_off_is_left_out(folder: Path) -> None:
    folder.mkdir()
    session = Session("one", log=SessionLog(folder, "one"))
    session.append("note", {})
    with Path(session.path).open("ab") as file:
        file.write(b'{"type":"note","se')
    assert [event.type for event in read_session_log(session.path)] == ["note"]


@pytest.mark.parametrize(
    "line",
    [b"no json", b"5", b"{}", b'{"type":"note","seq":"0","time_ms":1,"data":{}}', b"[" * 100_000, b"\xff"],
    ids=["text", "a number", "no members", "a wrong type", "deep", "no UTF-8"],
)
def test_what_is_no_event_is_refused_with_its_line(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(b'{"type":"note","seq":0,"time_ms":1,"data":{}}\n' + line + b"\n")
    with pytest.raises(CompatError, match=r"line 2 of .* is no event of a session") as raised:
        read_session_log(tmp_path / "log.jsonl")
    assert raised.value.code is ErrorCode.INVALID_INPUT


def test_a_log_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompatError, match="cannot be read"):
        read_session_log(tmp_path / "none.jsonl")


async def test_a_log_that_cannot_be_written_is_said_once_and_the_session_goes_on(
    host: WatchedHost, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = host.one.session.path
    shutil.rmtree(folder)
    with caplog.at_level(logging.WARNING):
        end = await host.one.prompt("hi")
    assert (end.kind, end.text) == ("completed", "done")
    (record,) = caplog.records
    assert path in record.getMessage()


def test_data_that_is_nested_too_deep_for_json_ends_the_log_and_not_the_session(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder.mkdir()
    log = SessionLog(folder, "one")
    deep: dict[str, object] = {}
    for _ in range(100_000):
        deep = {"": deep}
    log.append(SessionEvent(type="note", seq=0, time_ms=0, data=deep))
    log.append(SessionEvent(type="note", seq=1, time_ms=0, data={}))
    assert len(caplog.records) == 1
    assert read_session_log(log.path) == ()


def test_a_folder_that_cannot_be_made_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CompatError, match=r"session_log .* is no folder") as raised:
        EmbeddedHost(str(tmp_path), session_log=tmp_path / "file", catalog=CATALOG)
    assert raised.value.code is ErrorCode.INVALID_INPUT


async def test_without_the_option_there_is_no_file_and_no_path(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path, model=ScriptedModel(["done"]))
    await host.one.prompt("hi")
    assert host.one.session.path == ""
    assert files(tmp_path) == []
