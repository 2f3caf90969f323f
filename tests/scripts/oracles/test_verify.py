"""`scripts.oracles.verify`: what an engine does otherwise than recorded is told; a race is asked again before it counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scripts.oracles import verify
from scripts.oracles.cases import Trial
from scripts.oracles.recording import FOLDER, read
from scripts.oracles.run import EngineError

RECORDED = read(FOLDER / "codex.yaml").seen


class Played:
    """Plays an engine that does what is recorded, but for the first so many times that it is asked about a case."""

    def __init__(self, other: Mapping[str, int], failing: Mapping[str, int]) -> None:
        self.other, self.failing = Counter(other), Counter(failing)

    def __call__(self, _engine: object, _package: object, _cache: object, trials: Sequence[Trial]) -> dict[str, Any]:
        for trial in trials:
            if self.failing[trial.id] > 0:
                self.failing[trial.id] -= 1
                raise EngineError("the engine did not end")
        return {trial.id: self.seen(trial.id) for trial in trials}

    def seen(self, case: str) -> object:
        self.other[case] -= 1
        return {**RECORDED[case], "ran": "otherwise"} if self.other[case] >= 0 else RECORDED[case]


def verified(monkeypatch: pytest.MonkeyPatch, folder: Path, played: Played) -> int:
    monkeypatch.setattr(verify, "fetch", lambda *_: folder)
    monkeypatch.setattr(verify, "observe", played)
    return verify.main(["codex", "--packages", str(folder)])


@pytest.mark.parametrize(
    ("other", "failing", "code", "told"),
    [
        ({}, {}, 0, "0 not as recorded"),
        ({"deny": 1}, {}, 0, "a race in the engine"),
        ({"deny": 2}, {}, 1, "1 not as recorded"),
        ({}, {"layer-user": 1}, 0, "it is asked again"),
        ({}, {"layer-user": 2}, 1, "codex layer-user: the engine did not end\n"),
    ],
    ids=["as-recorded", "otherwise-once", "otherwise-always", "failed-once", "failed-always"],
)
def test_an_engine_that_does_otherwise_twice_is_told_and_fails(  # noqa: PLR0913, PLR0917 - a table and its fixtures
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    other: Mapping[str, int],
    failing: Mapping[str, int],
    code: int,
    told: str,
) -> None:
    assert verified(monkeypatch, tmp_path, Played(other, failing)) == code
    assert told in capsys.readouterr().out
