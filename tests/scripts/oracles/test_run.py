"""`scripts.oracles.run`: the driver, with a shell script in place of an engine."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from scripts.oracles.engine import engines
from scripts.oracles.frames import Reply
from scripts.oracles.place import Place, temporary_place
from scripts.oracles.run import EngineError, Start, run

ASK = f"""{sys.executable} -c '
import os, urllib.request
url = "http://127.0.0.1:" + os.environ["PORT"] + "/v1/chat/completions"
print(urllib.request.urlopen(url, b"{{\\"tools\\": [1], \\"p\\": \\"MAIN-PROMPT\\"}}").read().decode())
'"""


@pytest.fixture
def place() -> Iterator[Place]:
    with temporary_place("oracle-test-") as made:
        yield made


def start(place: Place, script: str, *, resumes: bool = False) -> Start:
    engine = replace(
        engines()["claude"],
        vendor="stand-in",
        arguments=("sh", "{program}", "{prompt}"),
        resume=("--continue",),
        environment={"PORT": "{port}"},
        files={"home/settings": "port {port}"},
    )
    program = place.root / "engine.sh"
    program.write_text(script, encoding="utf-8")
    return Start(engine=engine, program=program, cache=place.root, prompt="hello", arguments=("-x",), resumes=resumes)


def is_dead(place: Place) -> bool:
    """Whether the process whose id stands in `pid` has ended; nobody may have collected it yet."""
    try:
        process = psutil.Process(int((place.project / "pid").read_text(encoding="utf-8")))
        return not psutil.wait_procs([process], timeout=1)[1] or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_what_an_engine_says_asks_and_ends_with_is_kept(place: Place) -> None:
    ended = run(
        start(place, f'cat ../home/settings; echo " $* $HOME"; {ASK}; exit 3'), place, script=[Reply(text="ok")]
    )
    assert ended.exit_code == 3
    assert f"hello -x {place.home}" in ended.output
    assert ended.output.startswith("port ")
    assert "ok" in ended.output
    assert len(ended.bodies) == 1


def test_an_engine_gets_next_to_nothing_of_the_callers_environment(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_THE_CALLER", "1")
    assert "SECRET_OF_THE_CALLER" not in run(start(place, "env"), place, script=[]).output


def test_what_an_engine_leaves_running_is_killed(place: Place) -> None:
    run(start(place, "sleep 600 & echo $! >pid"), place, script=[])
    assert is_dead(place)


def test_an_engine_that_does_not_end_is_killed_and_its_last_words_are_in_the_error(place: Place) -> None:
    with pytest.raises(EngineError, match=r"stand-in did not end in time; its last words: still here"):
        run(start(place, "echo $$ >pid; echo still here; exec sleep 600"), place, script=[], limit_s=1.0)
    assert is_dead(place)


def test_of_a_session_that_is_resumed_only_the_second_run_counts(place: Place) -> None:
    (place.root / "current").write_text("one", encoding="utf-8")
    hook = f"echo \"$*\" | sh ../recorder.sh '{place.root}' Start.a"
    ended = run(start(place, f"{hook}; {ASK}", resumes=True), place, script=[Reply()])
    assert [call.stdin for call in ended.calls] == [b"hello -x --continue\n"]
    assert len(ended.bodies) == 1


def test_nothing_of_a_place_is_left() -> None:
    with temporary_place("oracle-test-") as made:
        root: Path = made.root
        assert root.exists()
    assert not root.exists()
