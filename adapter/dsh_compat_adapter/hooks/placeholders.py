"""Placeholders such as `${PLUGIN_ROOT}`: the vendor's replacement of their text, and those that nobody fills.

A shell expands the same names from the environment, without reading what it puts in once more. So text is replaced only
where the value holds nothing that a shell would read: a path never becomes part of the program.
"""

import re
from collections.abc import Collection, Iterator, Mapping

_PLAIN = re.compile(r"[\w./:@%+,-]*")
_WORDS = re.compile(r"[\w./:@%+, -]*")
# a text in single quotes that no shell reads, or what could hide the start of one
_QUOTED = re.compile(r"""\\.|"(?:[^"\\]|\\.)*"?|'(?P<text>[^']*)'""", re.DOTALL)
_SET = re.compile(r"\b([A-Za-z_]\w*)(?==| in\b)")  # an assignment, or the variable of a loop
_REFERENCE = re.compile(r"\$(?:\{(?P<braced>\w+)\}|(?P<bare>[A-Za-z_]\w*))")


def in_argument(text: str, values: Mapping[str, str]) -> str:
    """An argument of a program that no shell starts, with every placeholder replaced."""
    return _replaced(text, values)


def in_command(text: str, values: Mapping[str, str]) -> str:
    """A command text with the placeholders replaced whose values no shell would read; the rest is byte for byte.

    A value with blanks is put in only where single quotes hold it and a path: inside `sh -c '…'` it would be split.
    """
    plain = {name: value for name, value in values.items() if _PLAIN.fullmatch(value)}
    words = {name: value for name, value in values.items() if name not in plain and _WORDS.fullmatch(value)}

    def within(quoted: re.Match[str]) -> str:
        inner = quoted["text"]
        bare = None if inner is None else _replaced(inner, dict.fromkeys(words, ""))
        return f"'{_replaced(inner, words)}'" if bare is not None and _PLAIN.fullmatch(bare) else quoted[0]

    return _replaced(_QUOTED.sub(within, text) if words else text, plain)


def inert(command: str, names: Collection[str]) -> list[str]:
    """The placeholders with which a text in single quotes begins: neither vendor nor shell fills them in there."""
    texts = (quoted["text"] or "" for quoted in _QUOTED.finditer(command))
    return sorted({name for text in texts for name in names if text.startswith(f"${{{name}}}")})


def unset(text: str, expected: str, known: Collection[str]) -> Iterator[str]:
    """The variables that match `expected` and that neither `known` nor the text itself sets, once each."""
    there = {*known, *_SET.findall(text)}
    names = (found["braced"] or found["bare"] for found in _REFERENCE.finditer(text))
    return (name for name in dict.fromkeys(names) if name not in there and re.fullmatch(expected, name))


def _replaced(text: str, values: Mapping[str, str]) -> str:
    if not values:
        return text
    return re.sub("|".join(map(re.escape, values)), lambda found: values[found[0]], text)
