"""The conformance vectors, in this process and over stdio."""

from pathlib import Path

import pytest

from tests.vectors.run_vectors import Case, InProcess, cases, check, listening, write_files

CASES = cases()


def test_there_are_at_least_150_vectors() -> None:
    assert len(CASES) >= 150


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
async def test_in_process(case: Case, tmp_path: Path) -> None:
    write_files(case, tmp_path)
    await check(case, tmp_path, InProcess(tmp_path))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
async def test_over_stdio(case: Case, tmp_path: Path) -> None:
    write_files(case, tmp_path)
    with listening(tmp_path) as door:
        await check(case, tmp_path, door)
