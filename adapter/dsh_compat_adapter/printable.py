"""Text on one line, with nothing that a terminal would obey and nothing that would end the line."""

SPACES = "\u00a0\u3000"  # not printable for Python, and common in French and Chinese text


def printable(text: str) -> str:
    """The text without control characters and lone surrogates, which a file name or a hook may hold."""
    if text.isprintable():
        return text
    return "".join(
        character
        if character.isprintable() or character in SPACES
        else character.encode("unicode_escape").decode("ascii")
        for character in text
    )
