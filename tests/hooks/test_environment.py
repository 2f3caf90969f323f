"""`hooks.environment`: a hook gets the caller's environment without credentials, and what its dialect adds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.hooks.environment import dialect_variables, scrubbed
from tests.strategies import way

VALUES = {"session.id": "s-1", "session.project_dir": "/w"}


@pytest.mark.parametrize(
    "name",
    [
        "ANTHROPIC_API_KEY",
        "OPENAI_APIKEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "GITHUB_TOKEN",
        "GH_PAT",
        "TOKEN",
        "SECRET_KEY_BASE",
        "CLIENT_SECRET",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "REDISCLI_AUTH",
        "SSH_PASSPHRASE",
        "SSH_PRIVATE_KEY",
        "STRIPE_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "npm_config__authToken",
        "my_password",
    ],
)
def test_a_variable_named_like_a_credential_is_taken_out(name: str) -> None:
    assert scrubbed({name: "x", "PATH": "/bin"}) == {"PATH": "/bin"}


@pytest.mark.parametrize(
    "name",
    [
        "PATH",
        "PWD",
        "OLDPWD",
        "HOME",
        "LANG",
        "SSH_AUTH_SOCK",
        "TOKENIZERS_PARALLELISM",
        "COMPAT_MODE",
        "KEYBOARD",
        "PATTERN",
        "XDG_RUNTIME_DIR",
        "HTTPS_PROXY",
        "PYTHONPATH",
    ],
)
def test_a_variable_that_programs_need_stays(name: str) -> None:
    assert scrubbed({name: "x"}) == {name: "x"}


@given(st.dictionaries(st.text(), st.text()))
def test_scrubbing_only_takes_out_and_is_done_once(environment: dict[str, str]) -> None:
    left = scrubbed(environment)
    assert left.items() <= environment.items()
    assert scrubbed(left) == left


@pytest.mark.parametrize(
    ("vendor", "event", "expected"),
    [
        (
            "claude",
            "PreToolUse",
            {
                "CLAUDE_PROJECT_DIR": "/w",
                "CLAUDECODE": "1",
                "CLAUDE_CODE_SESSION_ID": "s-1",
                "CLAUDE_CODE_CHILD_SESSION": "1",
            },
        ),
        ("codex", "PreToolUse", {}),
        ("workbuddy", "PreToolUse", {"CODEBUDDY_PROJECT_DIR": "/w", "CLAUDE_PROJECT_DIR": "/w"}),
        (
            "copilot",
            "preToolUse",
            {"COPILOT_PROJECT_DIR": "/w", "CLAUDE_PROJECT_DIR": "/w", "COPILOT_CLI": "1"},
        ),
    ],
)
def test_a_dialect_adds_the_variables_of_its_vendor(vendor: str, event: str, expected: dict[str, str]) -> None:
    assert dialect_variables(way(vendor, event).vendor.dialect, VALUES) == expected


def test_a_variable_of_which_the_host_has_no_value_is_not_set() -> None:
    dialect = way("claude", "PreToolUse").vendor.dialect
    assert set(dialect_variables(dialect, {"session.id": None})) == {"CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION"}


def test_a_value_that_is_no_text_is_set_as_its_text() -> None:
    dialect = way("claude", "PreToolUse").vendor.dialect
    assert dialect_variables(dialect, {"session.id": 7})["CLAUDE_CODE_SESSION_ID"] == "7"
