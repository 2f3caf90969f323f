"""The environment of a handler: the caller's without credentials, and what its dialect and declaration add."""

import re
from collections.abc import Mapping

from ..catalog.model import Dialect
from .values import MISSING, Values, lookup

# names by which credentials travel in an environment; a hook that needs one declares it in its `env`
_CREDENTIAL = re.compile(
    r"(^|_)(API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET|SECRETS|TOKEN|TOKENS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT)"
    r"(_|$)",
    re.IGNORECASE,
)
# switches that decide what a program loads; they hold no secret and break a hook when they are gone
_KEPT = frozenset({"SSH_AUTH_SOCK"})


def scrubbed(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that do not carry a credential by their name."""
    return {name: value for name, value in environment.items() if name in _KEPT or not _CREDENTIAL.search(name)}


def dialect_variables(dialect: Dialect, values: Values) -> dict[str, str]:
    """What the vendor adds to the environment of a hook, as far as the host knows it."""
    found: dict[str, str] = {}
    for name, source in dialect.environment.items():
        value: object = source[1:] if source.startswith("=") else lookup(values, source)
        if value is not MISSING and value is not None:
            found[name] = str(value)
    return found
