"""`facts.redaction` and `facts.shapes`: no credential in what is kept, each counted once, and little else taken out."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.facts.redaction import MARK, Redactor
from tests.credentials import CREDENTIALS

REDACTOR = Redactor()
KINDS = pytest.mark.parametrize(("text", "secret"), CREDENTIALS.values(), ids=CREDENTIALS.keys())


@KINDS
def test_a_credential_in_text_is_taken_out_and_counted_once(text: str, secret: str) -> None:
    told, count = REDACTOR.text(f"before\n{text}\nafter")
    assert secret not in told
    assert count == 1
    assert (told.startswith("before\n"), told.endswith("\nafter")) == (True, True)


@pytest.mark.parametrize("text", [text for text, _ in CREDENTIALS.values()], ids=CREDENTIALS.keys())
def test_a_text_that_holds_one_is_not_clean_however_long_it_is(text: str) -> None:
    for size in (0, 10_000):
        padding = " \n" * size
        assert not REDACTOR.clean(f"{padding}{text}{padding}".encode())
        assert REDACTOR.clean(f"{padding}{padding}".encode())


@KINDS
def test_so_is_one_in_a_member_of_an_object(text: str, secret: str) -> None:
    told, count = REDACTOR.value({"tool_input": {"command": f"echo {text}"}})
    assert secret not in told
    assert (count, json.loads(told)["tool_input"]["command"][:5]) == (1, "echo ")


@KINDS
def test_so_is_one_in_json_inside_json(text: str, secret: str) -> None:
    told, count = REDACTOR.value({"toolArgs": json.dumps({"command": f"first\n{text}\nlast"})})
    assert secret not in told
    assert count == 1


@KINDS
@pytest.mark.parametrize("depth", [1, 2])
def test_so_is_one_in_text_that_only_looks_like_json(text: str, secret: str, depth: int) -> None:
    written = f"first\n{text}\nlast"
    for _ in range(depth):
        written = json.dumps({"command": written})
    told, count = REDACTOR.text(f"{written} and more")
    assert secret not in told
    assert count == 1


def test_all_kinds_together_are_as_many_as_there_are() -> None:
    together = "\n".join(text for text, _ in CREDENTIALS.values())
    for told, count in (REDACTOR.text(together), REDACTOR.value({"content": together})):
        assert [secret for _, secret in CREDENTIALS.values() if secret in told] == []
        assert count == len(CREDENTIALS)


@pytest.mark.parametrize(
    "value",
    [
        {"password": "x y z"},
        {"api_key": "1"},
        {"headers": {"Authorization": "whatever", "X-Trace": "1"}},
        {"auth": "dXNlcjpwYXNz"},
        {"clientSecret": "abc"},
        {"DB_PASSWORD": "abc"},
        {"pin_token": {"inner_secret": "abc"}},
        {"password": 123456},
    ],
    ids=json.dumps,
)
def test_a_member_with_the_name_of_a_credential_is_taken_out_whatever_its_value_looks_like(value: object) -> None:
    told, count = REDACTOR.value(value)
    assert (MARK in told, count) == (True, 1)


@pytest.mark.parametrize(
    "text",
    [
        "def login(token: str, password: Optional[str]) -> None:",
        "token = get_token()",
        "const token = process.env.TOKEN",
        "export PASSWORD=$OTHER",
        "password=${PASSWORD}",
        "token: <your token>",
        "risk-assessment-and-management-plan",
        "max_tokens: 4096 and tokenizer=gpt2",
        "SSH_AUTH_SOCK=/tmp/agent",
        "http://localhost:8080/a@b",
        "the password is required",
        "git push origin main",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "commit 1f9e1f3e2b8f6d7a9c0b1a2d3e4f5a6b7c8d9e0f",
        "550e8400-e29b-41d4-a716-446655440000",
        '{"max_tokens": 100, "keep": true, "monkey": "banana"}',
    ],
)
def test_what_is_no_credential_stays_as_it_is(text: str) -> None:
    assert REDACTOR.text(text) == (text, 0)
    assert REDACTOR.clean(text.encode()) or REDACTOR.text(text).text == text


def test_values_of_configured_names_are_taken_out_as_well() -> None:
    redactor = Redactor(["customer_no"])
    for text in ('{"customer_no": "4711"}', "customer_no=4711", "x\nCUSTOMER_NO: '4711'\ny"):
        told, count = redactor.text(text)
        assert ("4711" in told, count) == (False, 1)
        assert "4711" in REDACTOR.text(text).text


def test_a_key_block_that_was_cut_off_is_taken_out_to_its_end() -> None:
    told, count = REDACTOR.text("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEF")
    assert (told, count) == (MARK, 1)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


@given(st.text())
def test_any_text_comes_back_as_text_and_a_second_time_unchanged(text: str) -> None:
    once = REDACTOR.text(text)
    again = REDACTOR.text(once.text)
    assert again == (once.text, 0)


@given(JSON_VALUES)
def test_any_value_comes_back_as_json(value: object) -> None:
    json.loads(REDACTOR.value(value).text)


@given(st.sampled_from([*CREDENTIALS.values()]), st.text(), st.text())
def test_a_credential_is_taken_out_between_any_two_lines(credential: tuple[str, str], before: str, after: str) -> None:
    text, secret = credential
    told, count = REDACTOR.text(f"{before}\n{text}\n{after}")
    assert secret not in told
    assert count >= 1


def test_a_value_that_is_nested_deep_is_looked_at_to_its_end() -> None:
    value: object = {"command": "export API_TOKEN=abcdef123"}
    for _ in range(900):
        value = [value]
    told, count = REDACTOR.value(value)
    assert ("abcdef123" in told, count) == (False, 1)
