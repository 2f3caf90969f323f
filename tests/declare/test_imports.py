"""`@path` imports are found where the vendors' engines found them: these texts were run with Claude Code and CodeBuddy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dsh_compat_adapter.declare.imports import LONGEST, imports, too_long

# a text, the files that Claude Code 2.1.332 and CodeBuddy 2.117.0 loaded for it when they were there
RUN = {
    "a word": ("Read @1.md", ["1.md"], ["1.md"]),
    "a full stop behind it": ("Read @dot.md. and", ["dot.md."], ["dot.md."]),
    "a comma behind it": ("and @comma.md, then", ["comma.md,"], ["comma.md,"]),
    "in parentheses": ("(@paren.md)", [], ["paren.md)"]),
    "in quotes": ('see "@quote.md"', [], ['quote.md"']),
    "emphasised": ("*@star.md* **@two.md** _@under.md_", ["star.md", "two.md"], ["star.md*", "two.md**", "under.md_"]),
    "behind emphasis": ("**bold**@bold.md", ["bold.md"], ["bold.md"]),
    "with a fragment": ("@frag.md#part", ["frag.md"], ["frag.md#part"]),
    "with an escaped blank": ("@sp\\ ace.md", ["sp ace.md"], ["sp\\"]),
    "with a percent sign": ("@pct%20x.md", ["pct%20x.md"], ["pct%20x.md"]),
    "beyond ASCII, below a folder": ("@./规.md", ["./规.md"], ["./规.md"]),
    "beyond ASCII": ("@规2.md", [], ["规2.md"]),
    "of the home": ("@~/h.md", ["~/h.md"], ["~/h.md"]),
    "of another home": ("@~bob/h.md", [], ["~bob/h.md"]),
    "an address": ("mail me@at.md", [], ["at.md"]),
    "indented code": ("text\n\n    @indented.md\n", [], ["indented.md"]),
    "a span of two backticks": ("`` @span.md ``", [], ["span.md"]),
    "a span in a list": ("- list `@lispan.md` and", [], []),
    "a fence in a list": ("- a\n  ```\n  @fence.md\n  ```\n@behind.md", ["behind.md"], ["behind.md"]),
    "a comment of its own": ("<!-- @comment.md -->", [], ["comment.md"]),
    "a comment in a line": ("text <!-- @inline.md --> more", [], ["inline.md"]),
    "a block of HTML": ("<div>\n@html.md\n</div>", [], ["html.md"]),
    "behind a comment": ("<!-- c --> @after.md", ["after.md"], ["after.md"]),
    "a heading": ("# @heading.md", ["heading.md"], ["heading.md"]),
    "a quotation": ("> @quote.md", ["quote.md"], ["quote.md"]),
    "front matter": ("---\npaths: '@no.md'\n---\n@yes.md", ["yes.md"], ["yes.md"]),
    "an escaped sign": ("\\@escaped.md", [], ["escaped.md"]),
}


@pytest.mark.parametrize(("text", "claude", "codebuddy"), RUN.values(), ids=RUN)
def test_imports_are_those_that_the_engines_found(text: str, claude: list[str], codebuddy: list[str]) -> None:
    assert [one.path for one in imports(text, "a.md", "markdown") if one.taken] == claude
    assert [one.path for one in imports(text, "a.md", "anywhere") if one.taken] == codebuddy


PLACES = {
    "a line": ("one\ntwo @a.md", (2, 5)),
    "windows line ends": ("one\r\n\r\n two @a.md\r\n", (3, 6)),
    "a quotation in a list": ("- a\n\n  > b\n  > c @a.md", (4, 7)),
    "behind front matter": ("---\na: 1\n---\n\nx @a.md", (5, 3)),
    "behind a code span": ("`x @b.md` and @a.md", (1, 15)),
    "behind a byte that markdown replaces": ("a\0b @a.md", (1, 5)),
    "a heading": ("##  @a.md ##", (1, 5)),
}


@pytest.mark.parametrize(("text", "place"), PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("syntax", ["markdown", "anywhere"])
def test_an_import_has_its_line_and_column(text: str, place: tuple[int, int], syntax: str) -> None:
    (one,) = [one for one in imports(text, "a.md", syntax) if one.path == "a.md"]
    assert (one.where.line, one.where.column) == place


@pytest.mark.parametrize("text", ["@octocat", "@scope/name", "@Injectable()", "@team please"])
def test_a_name_may_be_no_import_and_a_path_is_one(text: str) -> None:
    assert [one.sure for one in imports(f"{text} @./x @~/y @z.md. @~bob/z", "a.md", "markdown")] == [
        False, True, True, True, True,
    ]  # fmt: skip


PIECES = "@a.md`~ \n/\\*<!-->#[]()\0\r\ufeff"


@given(st.text(st.sampled_from(PIECES) | st.characters(), max_size=60), st.sampled_from(["markdown", "anywhere"]))
def test_any_text_is_read_for_imports_without_an_error(text: str, syntax: str) -> None:
    for one in imports(text, "CLAUDE.md", syntax):
        assert one.path
        assert "\0" not in one.path
        assert one.where.line is not None
        assert one.where.line <= text.count("\n") + text.count("\r") + 1


LONG = {
    "imports": "@a.md ",
    "lines": "- @a.md\n",
    "backticks": "` `` ``` @a.md ",
    "comments": "<!-- @a.md\n",
    "open comments": "x <!-- @a.md",
    "brackets": "[@a.md",
    "quotations": "> ",
    "one word": "@",
}


@pytest.mark.parametrize("piece", LONG.values(), ids=LONG)
def test_a_text_of_the_greatest_length_is_read_to_its_end(piece: str) -> None:
    """What takes quadratic time for one of these runs into the time limit of the tests."""
    text = (piece * LONGEST)[: LONGEST - 6] + "\n@z.md"
    for syntax in ("markdown", "anywhere"):
        found = [one.path for one in imports(text, "a.md", syntax)]
        assert found.count("z.md") <= 1
        assert len(found) <= LONGEST


def test_of_a_longer_text_nobody_looks_for_imports_and_it_is_said() -> None:
    text = "x" * LONGEST + " @a.md"
    assert list(imports(text, "a.md", "markdown")) == []
    assert too_long(text, "markdown")
    assert not too_long("x" * (LONGEST + 1), "markdown")
    assert not too_long(text, "anywhere")
