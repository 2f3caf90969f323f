"""`catalog.observed`: the digest of the recorded cases that is shipped, and how it is counted."""

import pytest

from dsh_compat_adapter.catalog.observed import VERDICTS, observed
from scripts.oracles.recording import recordings

SEEN = observed()
RECORDINGS = {one.vendor: one for one in recordings()}


def test_every_engine_that_was_asked_is_in_it_with_its_version_and_date() -> None:
    assert {name: (one.version, one.date) for name, one in SEEN.items()} == {
        name: (one.version, one.date) for name, one in RECORDINGS.items()
    }


@pytest.mark.parametrize("vendor", SEEN)
def test_each_case_has_the_verdict_that_its_recording_says(vendor: str) -> None:
    recording = RECORDINGS[vendor]
    assert [case.id for case in SEEN[vendor].cases] == [trial.id for trial in recording.trials]
    for case in SEEN[vendor].cases:
        difference = recording.differences.get(case.id)
        assert (case.verdict, case.codes) == ((difference.verdict, difference.codes) if difference else ("equal", ()))


@pytest.mark.parametrize("vendor", SEEN)
def test_the_counts_are_those_of_the_effects(vendor: str) -> None:
    seen = SEEN[vendor]
    counts = seen.counts()
    assert tuple(counts) == VERDICTS
    assert sum(counts.values()) == sum(not case.reads for case in seen.cases)
    assert 0 < seen.equal_fields < seen.fields


# the measure of the specification is 90 % equal; what is missing to it is listed, case by case
@pytest.mark.parametrize(
    ("vendor", "floor"), {"claude": 0.88, "codex": 0.87, "workbuddy": 0.88, "copilot": 0.9, "opencode": 0.76}.items()
)
def test_in_nearly_all_comparable_cases_the_adapter_is_equal(vendor: str, floor: float) -> None:
    counts = SEEN[vendor].counts()
    assert counts["equal"] >= floor * (sum(counts.values()) - counts["not comparable"])


@pytest.mark.parametrize("vendor", ["claude", "codex", "workbuddy", "copilot"])
def test_in_nearly_all_comparable_cases_the_adapter_is_equal_or_stricter(vendor: str) -> None:
    counts = SEEN[vendor].counts()
    comparable = sum(counts.values()) - counts["not comparable"]
    assert counts["equal"] + counts["stricter"] >= 0.91 * comparable
