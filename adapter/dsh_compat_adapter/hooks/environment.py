"""The environment of a handler: the caller's without credentials, and what its dialect and declaration add."""

import re
from collections.abc import Mapping

from ..catalog.model import Dialect
from .values import MISSING, Values, lookup

# names by which credentials travel in an environment; a hook that needs one declares it in its `env`
_CREDENTIAL = re.compile(
    r"(API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRETS?|TOKENS?|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|(^|_)PAT)(_|$)"
    r"|_(KEY|PWD|AUTH)$",  # MYSQL_PWD, but neither PWD nor SSH_AUTH_SOCK
    re.IGNORECASE,
)


_PASSWORD_IN_ADDRESS = re.compile(r"://[^/\s:@]*:[^/\s@]+@")  # DATABASE_URL and its like


def scrubbed(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that carry no credential, by their name or as an address with a password in it."""
    return {
        name: value
        for name, value in environment.items()
        if not (_CREDENTIAL.search(name) or _PASSWORD_IN_ADDRESS.search(value))
    }


def dialect_variables(dialect: Dialect, values: Values) -> dict[str, str]:
    """What the vendor adds to the environment of a hook, as far as the host knows it."""
    found: dict[str, str] = {}
    for name, source in dialect.environment.items():
        value: object = source[1:] if source.startswith("=") else lookup(values, source)
        if value is not MISSING and value is not None:
            found[name] = str(value)
    return found
