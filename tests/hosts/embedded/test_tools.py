"""The tools that the embedded host ships: they work in the project, and what they cannot do they raise."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from dsh_compat_adapter import EmbeddedHost
from dsh_compat_adapter.frozen import freeze
from dsh_compat_adapter.hooks.process import Command, Finished, LocalShell, Shell
from dsh_compat_adapter.hosts.embedded.tool import ToolCall
from dsh_compat_adapter.hosts.embedded.tools import local_tools, shell
from tests.mounting import CATALOG, SURFACE, alive, heard


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "outside.txt").write_text("outside")
    (tmp_path / "project").mkdir()
    return tmp_path / "project"


def names(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


async def run(project: Path, name: str, /, **arguments: object) -> object:
    return await answer(project, LocalShell(), name, arguments)


async def answer(project: Path, shell: Shell, name: str, arguments: Mapping[str, object]) -> object:
    """What a tool answers to an agent of the project."""
    agent = EmbeddedHost(str(project), tools={}, catalog=CATALOG).agent()
    frozen = freeze(arguments)
    assert isinstance(frozen, Mapping)
    call = ToolCall(name=name, arguments=frozen, call_id="1", agent=agent)
    return await local_tools(project, shell)[name](call)


def test_they_are_named_as_the_surface_names_them(project: Path) -> None:
    assert set(local_tools(project, LocalShell())) <= set(SURFACE.tools)


@pytest.mark.parametrize("content", ["", "text\n", "一\r\n二\n", "\ufeffx"])
async def test_what_is_written_is_read_again(project: Path, content: str) -> None:
    assert await run(project, "write", file_path="deep/er/a.txt", content=content) == "wrote deep/er/a.txt"
    assert (project / "deep/er/a.txt").read_bytes() == content.encode()
    assert await run(project, "read", file_path="deep/er/a.txt") == content


async def test_an_absolute_path_within_the_project_is_taken(project: Path) -> None:
    await run(project, "write", file_path=str(project / "a.txt"), content="x")
    assert await run(project, "read", file_path="a.txt") == "x"


@pytest.mark.parametrize("name", ["read", "write"])
@pytest.mark.parametrize(
    "path", ["../outside.txt", "link.txt", "folder/outside.txt", "/etc/passwd", "a/../../outside.txt"]
)
async def test_paths_stay_in_the_project(project: Path, name: str, path: str) -> None:
    (project / "link.txt").symlink_to(project.parent / "outside.txt")
    (project / "folder").symlink_to(project.parent)
    with pytest.raises(PermissionError, match="outside the project"):
        await run(project, name, file_path=path, content="changed")
    assert (project.parent / "outside.txt").read_text() == "outside"


@pytest.mark.parametrize(
    ("name", "arguments", "missing"),
    [
        ("read", {}, "file_path"),
        ("read", {"file_path": 5}, "file_path"),
        ("write", {"file_path": "a"}, "content"),
        ("write", {"content": "x"}, "file_path"),
        ("bash", {}, "command"),
        ("bash", {"command": ["ls"]}, "command"),
    ],
)
async def test_a_missing_or_mistyped_argument_is_named(
    project: Path, name: str, arguments: Mapping[str, object], missing: str
) -> None:
    with pytest.raises(TypeError, match=missing):
        await run(project, name, **arguments)
    assert names(project) == []


async def test_bash_runs_in_the_project_and_gives_both_streams(project: Path) -> None:
    assert await run(project, "bash", command="pwd; echo problem >&2") == f"{project}\nproblem\n"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("echo why; exit 3", "exit code 3: why"),
        ("kill -9 $$", "killed by signal 9"),
        ("printf '\\377'; exit 1", "exit code 1: \ufffd"),
    ],
)
async def test_a_command_that_fails_raises_how_it_ended(project: Path, command: str, said: str) -> None:
    with pytest.raises(RuntimeError, match=said):
        await run(project, "bash", command=command)


async def test_a_command_that_takes_too_long_is_said_to_be_killed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shell, "TIMEOUT_S", 0.05)
    with pytest.raises(RuntimeError, match=r"killed after 0\.05 s"):
        await run(project, "bash", command="sleep 30")


async def test_a_command_that_cannot_be_started_is_said_not_to_be(project: Path) -> None:
    with pytest.raises(RuntimeError, match="not started"):
        await run(project, "bash", command="true \0")


async def test_bash_uses_the_shell_that_it_was_given(project: Path) -> None:
    asked: list[Command] = []

    class Recorder:
        async def run(self, command: Command) -> Finished:
            asked.append(command)
            return Finished(exit_code=0, stdout=b"recorded")

    assert await answer(project, Recorder(), "bash", {"command": "ls"}) == "recorded"
    assert [(command.argv[-1], command.cwd) for command in asked] == [("ls", str(project))]


async def test_cancelling_a_command_kills_it(project: Path) -> None:
    os.mkfifo(project / "started")
    running = asyncio.ensure_future(run(project, "bash", command="echo $$ > started; sleep 30"))
    pid = await heard(project / "started")
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert not alive(pid)
