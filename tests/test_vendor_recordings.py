"""What the vendors' own engines did (`scripts/verify_vendors`), and that the adapter does the same or says the loss."""

from dataclasses import replace

import pytest

from scripts.oracles.adapted import adapt
from scripts.oracles.cases import Trial
from scripts.oracles.check import problems
from scripts.oracles.engine import engines
from scripts.oracles.recording import Recording, recordings
from scripts.oracles.trials import trials
from tests.projects import CATALOG

RECORDINGS = recordings()
ENGINES = engines()
CASES = [(recording, trial) for recording in RECORDINGS for trial in recording.trials]


@pytest.mark.parametrize(("recording", "trial"), CASES, ids=[f"{one.vendor}-{trial.id}" for one, trial in CASES])
async def test_the_adapter_does_what_the_engine_did_or_lists_the_loss(recording: Recording, trial: Trial) -> None:
    adapted = await adapt(trial, ENGINES[recording.vendor], CATALOG)
    assert problems(recording, trial, adapted, CATALOG) == []


def recorded(vendor: str) -> Recording:
    return next(one for one in RECORDINGS if one.vendor == vendor)


def case(recording: Recording, name: str) -> Trial:
    return next(trial for trial in recording.trials if trial.id == name)


@pytest.mark.parametrize("vendor", ["claude", "codex", "workbuddy", "opencode", "copilot"])
def test_an_engine_was_asked_at_least_60_cases(vendor: str) -> None:
    assert len(recorded(vendor).trials) >= 60


@pytest.mark.parametrize("vendor", sorted(ENGINES))
def test_what_was_recorded_is_what_an_engine_would_be_asked_today(vendor: str) -> None:
    asked = {trial.id: replace(trial, alone=False) for trial in trials(ENGINES[vendor])}
    kept = {trial.id: replace(trial, alone=False) for trial in recorded(vendor).trials}  # which does not say `alone`
    changed = [name for name in asked.keys() | kept.keys() if asked.get(name) != kept.get(name)]
    assert not changed, "record these cases anew: scripts/verify_vendors --record --case"


@pytest.mark.parametrize("one", RECORDINGS, ids=lambda one: one.vendor)
def test_no_recording_holds_a_path_an_id_or_a_time_of_the_machine_that_made_it(one: Recording) -> None:
    text = repr(one.seen)
    assert not [word for word in ("/tmp", "/root", "/home/", "oracle-", "2026-") if word in text]


async def test_a_corrupted_recording_fails_and_names_vendor_case_and_field() -> None:
    recording = recorded("claude")
    trial = case(recording, "deny")
    corrupted = replace(recording, seen={**recording.seen, "deny": {**recording.seen["deny"], "ran": True}})
    (text,) = problems(corrupted, trial, await adapt(trial, ENGINES["claude"], CATALOG), CATALOG)
    assert text.startswith("claude deny: is stricter and said to be equal: ran: engine True, adapter False")


# surprises that were found by running, and that no documentation says


def test_a_later_allow_overrides_an_earlier_deny_in_codebuddy() -> None:
    assert recorded("workbuddy").seen["deny-then-allow"]["ran"] is True


def test_an_unknown_key_voids_a_deny_in_codex() -> None:
    assert recorded("codex").seen["deny-unknown-key"]["ran"] is True


def test_a_star_matches_nothing_in_copilot() -> None:
    assert recorded("copilot").seen["match-star"]["fired"] == []


def test_arguments_that_are_replaced_as_a_whole_are_ignored_by_opencode() -> None:
    seen = recorded("opencode").seen
    assert (seen["replaces-input"]["ran"], seen["rewrites-input"]["ran"]) == (True, False)


def test_a_constant_beside_a_plugin_keeps_opencode_from_loading_it() -> None:
    assert recorded("opencode").seen["plugin-not-a-function"]["loads"] is False
