"""`fleet` and `fleet_worker`: many repositories in real worker processes, one line each, whatever happens to some."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
from jsonschema import Draft202012Validator

from dsh_compat_adapter.fleet import DEFECT, NO_ANSWER, Line, Worker, check_all
from dsh_compat_adapter.fleet_worker import answer
from tests.checkout import PACKAGE
from tests.projects import CATALOG, command, grouped, project

SURFACE = "embedded-0.1"
SCHEMA = Draft202012Validator(json.loads((PACKAGE / "schemas/check_line.json").read_text("utf-8")))


def repositories(folder: Path, number: int) -> list[str]:
    """Repositories of very different sizes, the largest first."""
    for index in range(number):
        hooks = [command(str(one)) for one in range(max(1, 300 - 100 * index))]
        project(folder / f"r{index}", {".claude/settings.json": grouped("Stop", *hooks)})
    return [str(folder / f"r{index}") for index in range(number)]


async def lines_of(roots: Sequence[str], jobs: int) -> list[Line]:
    found: list[Line] = []
    await check_all(roots, SURFACE, jobs, found.append)
    for line in found:
        SCHEMA.validate(json.loads(line.text))
    return found


def workers() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if _works(child)]


def _works(child: psutil.Process) -> bool:
    try:
        return "fleet_worker" in " ".join(child.cmdline())
    except psutil.Error:  # it ended meanwhile
        return False


@pytest.mark.parametrize("jobs", [1, 3, 50])
async def test_there_is_one_line_a_repository_in_the_order_in_which_they_were_named(tmp_path: Path, jobs: int) -> None:
    roots = repositories(tmp_path, 12)
    found = await lines_of(roots, jobs)
    assert [line.root for line in found] == roots
    assert [json.loads(line.text)["root"] for line in found] == roots
    assert [line.counts["adapted"] for line in found] == [300, 200, 100, *[1] * 9]
    assert workers() == []


async def test_there_are_never_more_workers_than_asked_for(tmp_path: Path) -> None:
    most = 0

    def take(_: Line) -> None:
        nonlocal most
        most = max(most, len(workers()))

    await check_all(repositories(tmp_path, 9), SURFACE, 2, take)
    assert 1 <= most <= 2


async def test_a_repository_that_is_not_there_is_a_line_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    good = repositories(tmp_path, 2)
    found = await lines_of([good[0], str(tmp_path / "gone"), str(tmp_path / "file"), "nul\0", good[1]], 2)
    assert [line.error.code if line.error else None for line in found] == [None, *["INVALID_INPUT"] * 3, None]
    assert found[1].error is not None
    assert "No such file or directory" in found[1].error.text


async def test_a_name_that_is_not_utf_8_reaches_the_worker(tmp_path: Path) -> None:
    root = f"{tmp_path}/\udcff\n日"
    project(Path(root), {".claude/settings.json": grouped("Stop", command())})
    [line] = await lines_of([root], 1)
    assert (line.root, line.counts["adapted"]) == (root, 1)


async def test_a_worker_that_is_killed_costs_one_repository_and_is_replaced(tmp_path: Path) -> None:
    first, second, third = repositories(tmp_path, 3)
    async with Worker(SURFACE) as worker:
        assert (await worker.check(first)).error is None
        [process] = workers()
        process.kill()
        line = await worker.check(second)
        assert line.error is not None
        assert (line.error.code, line.error.text) == (NO_ANSWER, "its worker ended without an answer (signal 9)")
        assert (await worker.check(third)).error is None
    assert workers() == []


async def test_a_repository_that_takes_too_long_is_a_line_and_its_worker_is_gone(tmp_path: Path) -> None:
    [root] = repositories(tmp_path, 1)
    async with Worker(SURFACE, time_limit_s=0.001) as worker:
        line = await worker.check(root)
        assert line.error is not None
        assert line.error.text == "not done after 0.001 s, so its worker was ended"
        assert workers() == []


async def test_an_error_of_the_taker_ends_the_workers_and_is_raised(tmp_path: Path) -> None:
    def take(_: Line) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        await check_all(repositories(tmp_path, 9), SURFACE, 3, take)
    assert workers() == []


async def test_when_it_is_cancelled_no_worker_is_left(tmp_path: Path) -> None:
    checking: asyncio.Task[None] | None = None

    def take(_: Line) -> None:
        assert checking is not None
        checking.cancel()

    checking = asyncio.create_task(check_all(repositories(tmp_path, 9), SURFACE, 3, take))
    with pytest.raises(asyncio.CancelledError):
        await checking
    assert workers() == []


def test_a_defect_is_an_error_of_the_repository_that_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = answer(str(tmp_path), CATALOG, "no such surface")
    assert line.error is not None
    assert (line.error.code, line.error.text) == (DEFECT, "a defect of this program: KeyError('no such surface')")
    assert "Traceback" in capsys.readouterr().err


async def test_no_module_of_the_folder_that_it_is_called_in_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [root] = repositories(tmp_path, 1)
    for name in ("json.py", "yaml.py", "dsh_compat_adapter.py", "sitecustomize.py"):
        (tmp_path / name).write_text("open('sprung', 'w')")
    monkeypatch.chdir(tmp_path)
    [line] = await lines_of([root], 1)
    assert line.error is None
    assert not (tmp_path / "sprung").exists()
