"""Fills `{name}` in data: texts in lists and objects, everything else as it is."""

import re
from collections.abc import Callable, Mapping

_NAME = re.compile(r"\{([a-z_]+)\}")


def filled(value: object, words: Mapping[str, object]) -> object:
    """The value with every `{name}` of a known name replaced; an unknown one stays, since JSON has braces too."""
    return mapped(value, lambda found: _NAME.sub(lambda match: str(words.get(match[1], match[0])), found))


def mapped(value: object, change: Callable[[str], str]) -> object:
    """The value with every text in it changed, keys included."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(str(key)): mapped(member, change) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [mapped(member, change) for member in value]
    return value


def text(value: object, words: Mapping[str, object]) -> str:
    """A filled text."""
    return str(filled(value, words))
