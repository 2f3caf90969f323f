"""Every row that a headless DSH can bring about fires in one, and its hook reads what the row promises."""

from pathlib import Path
from typing import Any

import pytest

from tests.live.harness import VERSIONS
from tests.live.rows import CATALOG, NOT_FIRED, Fired, bridged, fire, rows

pytestmark = [pytest.mark.live, pytest.mark.timeout(900)]


def missing(one: Fired, payloads: list[dict[str, Any]], version: str) -> set[str]:
    """The members that no payload of a row had although the seam has their values."""
    return one.fields(CATALOG.surfaces[f"dsh-{version}"]) - {name for payload in payloads for name in payload}


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_row_fires_or_stands_in_the_list_of_those_that_cannot(version: str, tmp_path: Path) -> None:
    wanted = rows(CATALOG.surfaces[f"dsh-{version}"])
    seen = await fire(version, tmp_path / "it", wanted)
    assert {one.name for one in wanted} - set(seen) == set(NOT_FIRED[version])
    lacking = {one.name: gap for one in wanted if one.name in seen and (gap := missing(one, seen[one.name], version))}
    assert lacking == {}


async def test_the_official_bridges_of_the_older_version_run_their_rows(tmp_path: Path) -> None:
    version = "0.1.5-rc.1"
    wanted = bridged(CATALOG.surfaces[f"dsh-{version}"])
    seen = await fire(version, tmp_path / "it", wanted)
    assert {one.name for one in wanted} == set(seen)
    named = {one.name: {payload["hook_event_name"] for payload in seen[one.name]} for one in wanted}
    assert named == {one.name: {one.row.event} for one in wanted}
