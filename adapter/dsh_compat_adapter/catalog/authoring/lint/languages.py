"""Both languages of a loss say the same kind of thing: same placeholders, both approximate or neither."""

from __future__ import annotations

import string
from collections.abc import Iterator

from ..sources import Finding, Sources


def check(sources: Sources) -> Iterator[Finding]:
    for code, loss in sources.losses.items():
        where = f"vendors/losses.yaml {code}"
        if fields(loss.en) != fields(loss.zh):
            yield Finding(where, f"en has placeholders {fields(loss.en)}, zh has {fields(loss.zh)}")
        if loss.en.startswith("Approximate") != loss.zh.startswith("近似"):
            yield Finding(where, 'en begins with "Approximate" exactly when zh begins with "近似"')


def fields(sentence: str) -> list[str]:
    """The placeholder names of a sentence, sorted."""
    return sorted({name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None})
