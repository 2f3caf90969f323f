"""`scripts/fuzz`: generated hook outputs through the codec; the long run is by hand, a short one is here."""

import subprocess
import sys

import pytest

from tests.checkout import ROOT

FUZZ = [sys.executable, str(ROOT / "scripts/fuzz")]


@pytest.mark.parametrize("seed", ["1", "2"])
def test_three_thousand_generated_outputs_raise_nothing_and_lose_no_refusal(seed: str) -> None:
    done = subprocess.run([*FUZZ, "--count", "3000", "--seed", seed], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("3,000 outputs, no exception, no lost refusal, ")
    assert done.stdout.count("\n") == 1


def test_a_count_that_is_no_number_is_exit_2() -> None:
    done = subprocess.run([*FUZZ, "--count", "many"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")
