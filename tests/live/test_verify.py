"""Every assertion of `scripts/verify_live` holds on each version."""

from pathlib import Path

import pytest

from tests.live.harness import VERSIONS
from tests.live.verify import verify

pytestmark = [pytest.mark.live, pytest.mark.timeout(900)]


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_real_dsh_shows_what_it_must_show(version: str, tmp_path: Path) -> None:
    failed: list[tuple[str, object]] = []

    def tell(held: bool, sentence: str, seen: object) -> None:  # noqa: FBT001 - the shape of the callback
        if not held:
            failed.append((sentence, seen))

    await verify(version, tmp_path, tell)
    assert failed == []
