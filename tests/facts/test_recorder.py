"""`facts.recorder`: facts with evidence for every sink, and a policy whose change is a fact."""

import json

from dsh_compat_adapter.facts.recorder import KEPT, MARGIN, Recorder
from dsh_compat_adapter.facts.redaction import MARK
from tests.recording import Kept


def test_a_policy_is_a_fact_only_when_it_is_another_one() -> None:
    kept = Kept()
    recorder = kept.recorder()
    for policy in ("vendor", "strict", "strict", "vendor"):
        recorder.policy(policy, "option")
    assert [(one["before"], one["after"], one["source"]) for one in kept.facts] == [
        ("vendor", "strict", "option"),
        ("strict", "vendor", "option"),
    ]
    assert {one["session_id"] for one in kept.facts} == {"s-of-the-process"}


def test_evidence_of_a_long_text_is_its_beginning_without_half_a_credential_at_the_end() -> None:
    recorder = Recorder([], session="s")
    text = "x" * (KEPT - 10) + " " + "ghp_" + "a1B2" * 9 + "y" * 100
    kept = recorder.keep(text)
    assert (kept.cut, kept.size, len(kept.text)) == (True, len(text), KEPT - MARGIN)
    assert "ghp_" not in kept.text


def test_evidence_of_a_payload_is_its_json_text_with_members_looked_at_by_name() -> None:
    recorder = Recorder([], session="s")
    clean, dirty = {"tool_input": {"command": "ls"}}, {"tool_input": {"password": "four words of it", "a": 1}}
    for payload, count in ((clean, 0), (dirty, 1)):
        kept = recorder.keep_value(payload, json.dumps(payload).encode() + b"\n")
        assert kept.redactions == count
        assert (MARK in kept.text) == bool(count)
        assert json.loads(kept.text)["tool_input"].keys() == payload["tool_input"].keys()


def test_the_hash_is_that_of_what_is_kept_so_it_gives_no_credential_away() -> None:
    recorder = Recorder([], session="s")
    one, other = (recorder.keep(f"API_TOKEN={secret}") for secret in ("abc123def", "xyz789uvw"))
    assert one.ref == other.ref


def test_a_defect_of_ours_is_said_once() -> None:
    said: list[str] = []
    recorder = Recorder([], session="s", say=said.append)
    for _ in range(3):
        recorder.defect(ValueError("x"))
    assert len(said) == 1
    assert recorder.status()["defects"] == 3


def test_closing_twice_closes_the_sinks_once() -> None:
    closed: list[int] = []

    class Once(Kept):
        def close(self) -> None:
            closed.append(1)

    recorder = Recorder([Once()], session="s")
    recorder.close()
    recorder.close()
    assert closed == [1]
