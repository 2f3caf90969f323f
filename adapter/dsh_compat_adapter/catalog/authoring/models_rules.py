"""A file in `rules/`: which rules a vendor reads, and what carrying them loses."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .models import Checked, Code, Degradation, Fact, Model, Text


class Imports(Model):
    """How the vendor reads `@path` in a rules file."""

    syntax: Literal["markdown", "anywhere"]  # words of Markdown text, or whatever follows an @ outside of backticks
    depth: int  # how many imports in a row are followed
    outside: Literal["asks", "reads"]  # of a file of the project, from outside of it; a user's own may lead anywhere
    suffixes: list[str] = []  # of what is read, beside files that have none; empty: of any


class RulesFile(Model):
    """One kind of rules or instruction file."""

    path: Text
    layer: Literal["managed", "user", "project", "local"]
    format: Literal["markdown", "starlark"]
    scope_key: str | None = None  # front matter key that makes the file conditional
    scope_aliases: list[str] = []  # further keys that do
    unscoped: Literal["always", "on-demand"] = "always"  # when a file without such a key is loaded
    off_key: str | None = None  # front matter key that, when false, switches the file off
    always_key: str | None = None  # that, when true, makes the scope not count, and when false, needs one
    shadowed_by: list[str] = []  # names beside it, each of which makes the vendor leave this file out
    shadowed_above: bool = False  # so does each of them in a folder above; an empty file never does
    max_bytes: int | None = None  # of which the vendor reads no more, of all such files of a project
    max_chars: int | None = None  # of one file; of a longer one the vendor reads nothing
    imports: Imports | None = None  # none: `@path` is text
    nested: bool = False  # also read in directories below the root
    degradations: list[Degradation] = Field(min_length=1)


class RulesSetting(Model):
    """A key of the vendor's own settings that changes which rules it reads."""

    path: Text
    layer: Literal["user", "project"]
    format: Literal["json", "toml"]
    key: Text
    # further files; names where there is none; the limit of `max_bytes`; globs of absolute paths that are left out
    means: Literal["files", "names", "max-bytes", "excludes"]


class UnreadRules(Model):
    """A place where people put rules that the vendor does not read."""

    path: Text
    why: Text


class Rules(Model):
    """One rules file of a vendor: what it reads, in which order, and what carrying loses."""

    vendor: Code
    facts: list[Fact]
    files: list[RulesFile]
    unread: list[UnreadRules] = []
    settings: list[RulesSetting] = []
    checked: Checked
