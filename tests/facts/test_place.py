"""`facts.place`: where facts go when nobody says it."""

import sys
from pathlib import Path

import pytest

from dsh_compat_adapter.errors import CompatError
from dsh_compat_adapter.facts.place import default_store
from tests.projects import without_home

LINUX = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="other systems have other folders")


@LINUX
@pytest.mark.parametrize(
    ("environment", "store"),
    [
        ({"HOME": "/home/u"}, "/home/u/.local/state/dsh-compat/facts.db"),
        ({"HOME": "/home/u", "XDG_STATE_HOME": "/state"}, "/state/dsh-compat/facts.db"),
        ({"HOME": "/home/u", "XDG_STATE_HOME": "relative"}, "/home/u/.local/state/dsh-compat/facts.db"),
        ({"HOME": "/home/u", "XDG_STATE_HOME": ""}, "/home/u/.local/state/dsh-compat/facts.db"),
        ({"HOME": "/home/u", "DSH_COMPAT_FACTS": "/elsewhere/f.db"}, "/elsewhere/f.db"),
    ],
)
def test_the_store_is_below_the_users_state_folder_unless_a_variable_names_another(
    environment: dict[str, str], store: str
) -> None:
    assert default_store(environment) == Path(store)


@LINUX
def test_an_account_without_a_home_has_a_store_only_where_a_variable_names_one(monkeypatch: pytest.MonkeyPatch) -> None:
    without_home(monkeypatch)
    with pytest.raises(CompatError, match="this account has no home to keep facts in; name a place"):
        default_store({})
    assert default_store({"XDG_STATE_HOME": "/state"}) == Path("/state/dsh-compat/facts.db")
    assert default_store({"DSH_COMPAT_FACTS": "off"}) is None


def test_a_variable_switches_facts_off() -> None:
    assert default_store({"HOME": "/home/u", "DSH_COMPAT_FACTS": "off"}) is None
