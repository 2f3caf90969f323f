"""The tools that the embedded host ships: they work in the project, and what they cannot do they raise."""

import asyncio
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from dsh_compat_adapter import EmbeddedHost
from dsh_compat_adapter.frozen import freeze
from dsh_compat_adapter.hooks.process import Command, Finished, LocalShell, Shell
from dsh_compat_adapter.hosts.embedded.tool import ToolCall
from dsh_compat_adapter.hosts.embedded.tools import local_tools, shell
from dsh_compat_adapter.hosts.embedded.tools.paths import read_file, write_file
from dsh_compat_adapter.seams.decisions import Decision, Notify
from dsh_compat_adapter.seams.host import HostEvent
from tests.mounting import CATALOG, SURFACE, WatchedHost, alive, heard


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


# files and search


@pytest.mark.parametrize("name", ["read", "write", "edit"])
async def test_a_pipe_is_no_file_and_blocks_nobody(project: Path, name: str) -> None:
    os.mkfifo(project / "pipe")
    with pytest.raises(OSError, match="folder, pipe or device"):
        await run(project, name, file_path="pipe", content="x", old_string="a", new_string="b")


async def test_a_text_that_cannot_be_written_leaves_the_file_as_it_was(project: Path) -> None:
    (project / "a.txt").write_text("before")
    with pytest.raises(UnicodeEncodeError):
        await run(project, "write", file_path="a.txt", content="\ud800")
    assert (project / "a.txt").read_text() == "before"


async def test_edit_replaces_a_text_that_occurs_once(project: Path) -> None:
    (project / "a.txt").write_text("one\r\ntwo\n")
    assert await run(project, "edit", file_path="a.txt", old_string="two", new_string="2") == "replaced 1 in a.txt"
    assert (project / "a.txt").read_bytes() == b"one\r\n2\n"


@pytest.mark.parametrize(
    ("old", "said"), [("three", "does not occur"), ("", "does not occur"), ("a", "occurs 2 times")]
)
async def test_edit_changes_nothing_when_the_place_is_not_clear(project: Path, old: str, said: str) -> None:
    (project / "a.txt").write_text("a a")
    with pytest.raises(ValueError, match=said):
        await run(project, "edit", file_path="a.txt", old_string=old, new_string="b")
    assert (project / "a.txt").read_text() == "a a"


async def test_edit_replaces_every_occurrence_when_told_to(project: Path) -> None:
    (project / "a.txt").write_text("a a")
    await run(project, "edit", file_path="a.txt", old_string="a", new_string="b", replace_all=True)
    assert (project / "a.txt").read_text() == "b b"


async def test_a_file_tool_tells_what_it_touched_and_a_failing_one_tells_nothing(tmp_path: Path) -> None:
    host = WatchedHost(tmp_path)
    told: list[object] = []

    async def listen(event: HostEvent) -> Decision:
        told.append((event.values["file.name"], event.values["file.change"]))
        return Notify()

    host.subscribe("fs/observed", listen)
    await host.call("write", {"file_path": "a.txt", "content": "x"})
    await host.call("read", {"file_path": "gone.txt"})
    assert told == [("a.txt", "present")]


@pytest.fixture
def tree(project: Path) -> Path:
    for name in ("a.py", "src/b.py", "src/deep/c.py", "src/deep/c.txt"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"import {name}\nend\n")
    (project / "loop").symlink_to(project)
    (project / "binary").write_bytes(b"\xff\xfeimport")
    return project


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["a.py", "src/b.py", "src/deep/c.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/**/*.py", ["src/b.py", "src/deep/c.py"]),
        ("**/c.*", ["src/deep/c.py", "src/deep/c.txt"]),
        ("**", ["a.py", "binary", "src/b.py", "src/deep/c.py", "src/deep/c.txt"]),
        ("**/**/**/**/**/**/x", ["nothing found"]),
        ("A.py", ["nothing found"]),
    ],
)
async def test_glob_finds_files_in_a_stable_order_and_follows_no_links(
    tree: Path, pattern: str, found: list[str]
) -> None:
    assert str(await run(tree, "glob", pattern=pattern)).split("\n") == found


async def test_grep_names_file_and_line(tree: Path) -> None:
    assert await run(tree, "grep", pattern="^import .*/c", glob="*.py") == "src/deep/c.py:1:import src/deep/c.py"
    assert await run(tree, "grep", pattern="end", path="src/b.py") == "b.py:2:end"


async def test_a_search_outside_of_the_project_is_refused(tree: Path) -> None:
    with pytest.raises(PermissionError):
        await run(tree, "grep", pattern="x", path="..")


async def test_a_search_that_finds_too_much_says_so(project: Path) -> None:
    (project / "long").write_text("x\n" * 2000)
    lines = str(await run(project, "grep", pattern="x")).split("\n")
    assert (len(lines), lines[-1]) == (1001, "(more than 1000; narrow the search)")


@pytest.mark.parametrize(
    "todos", [None, "text", [1], [{"content": "a"}], [{"content": "a", "status": "later"}], [{"status": "pending"}]]
)
async def test_a_list_of_what_is_to_do_that_is_none_is_refused(project: Path, todos: object) -> None:
    with pytest.raises(TypeError, match="todos is a list"):
        await run(project, "todo_write", todos=todos)


async def test_a_link_to_a_file_is_listed_and_what_it_leads_to_is_not_searched(project: Path) -> None:
    (project / "link.txt").symlink_to(project.parent / "outside.txt")
    assert await run(project, "glob", pattern="*.txt") == "link.txt"
    assert await run(project, "grep", pattern="outside") == "nothing found"


@pytest.mark.parametrize("name", ["glob", "grep"])
async def test_an_agent_that_works_outside_of_the_project_searches_nothing_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "outside.txt").write_text("outside")
    host = WatchedHost(tmp_path / "project")
    await host.one.change_directory(str(tmp_path))
    assert "is outside the project" in (await host.call(name, {"pattern": "outside*"})).text


async def test_a_long_line_is_cut_and_says_so(project: Path) -> None:
    (project / "a.js").write_text("x" * 100_000)
    assert await run(project, "grep", pattern="x") == f"a.js:1:{'x' * 500}… (100000 characters)"


async def test_a_tree_deeper_than_python_recurses_is_searched_whole(project: Path) -> None:
    depth, folder = 1200, os.open(project, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d", dir_fd=folder)
        below = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(os.open("end.txt", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
    os.close(folder)
    found = await run(project, "glob", pattern="*.txt")
    # pytest cannot remove such a tree: shutil.rmtree recurses
    subprocess.run(["rm", "-rf", project / "d"], check=True)  # noqa: ASYNC221
    assert found == f"{'d/' * depth}end.txt"


async def test_a_search_lets_others_go_on_and_can_be_cancelled(project: Path) -> None:
    for number in range(300):
        (project / f"{number}.txt").touch()
    searching = asyncio.ensure_future(run(project, "glob", pattern="*.none"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert not searching.done()
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching


@pytest.mark.parametrize("swapped", ["file", "folder"])
def test_what_is_swapped_for_a_link_before_it_is_opened_is_neither_read_nor_written(
    project: Path, swapped: str
) -> None:
    """The path was inside of the project when it was asked about."""
    (project / "folder").mkdir()
    path, outside = project / "folder" / "outside.txt", project.parent / "outside.txt"
    if swapped == "file":
        path.symlink_to(outside)
    else:
        path.parent.rmdir()
        path.parent.symlink_to(project.parent)
    with pytest.raises(OSError, match=r"swapped|symbolic links"):
        write_file(path, project, "lost")
    with pytest.raises(OSError, match="swapped"):
        read_file(path, project)
    assert outside.read_text() == "outside"
