"""Every item of each surface file agrees with the DSH that it describes."""

from pathlib import Path

import pytest

from tests.live.harness import VERSIONS
from tests.live.surface import compare

pytestmark = [pytest.mark.live, pytest.mark.timeout(600)]


@pytest.mark.parametrize("version", VERSIONS)
async def test_the_surface_file_says_what_the_running_dsh_has(version: str, tmp_path: Path) -> None:
    differing: list[tuple[str, object]] = []

    def tell(agrees: bool, item: str, seen: object) -> None:  # noqa: FBT001 - the shape of the callback
        if not agrees:
            differing.append((item, seen))

    await compare(version, tmp_path / "it", tell)
    assert differing == []
