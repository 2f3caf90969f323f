"""`--format json`: the whole check as one document of the schema `check`."""

from collections.abc import Iterator

from ...capability import to_json
from ...checking import Checked
from .options import Options


def render(checked: Checked, _: Options) -> Iterator[str]:
    """One indented JSON text."""
    yield to_json(checked.to_dict())
