"""What people write in `vendors/`, `rules/` and the surface files, as pydantic models: what these files share.

These and the `models_*` beside them are the source of the published JSON Schemas. The running side never imports
them: it reads the compiled catalog into the values of `catalog.model`, and a test keeps the two equal.
"""

from __future__ import annotations

import datetime as dt
import string
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ...events import Canonical, Effect

Code = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")]
# `fact:ID` (this file's facts), `surface:ID` (a limit in a surface file) or `test:PATH::NAME`
Evidence = Annotated[str, Field(pattern=r"^(fact|surface|test):\S+$")]
Path = Annotated[str, Field(pattern=r"^[a-z_]+(\.[A-Za-z_]+)+$")]
Text = Annotated[str, Field(min_length=1)]
Seconds = Annotated[float, Field(gt=0)]


def _fillable(sentence: str) -> str:
    """Refuses braces that hold anything but a name: a row could not fill them."""
    for _, name, form, conversion in string.Formatter().parse(sentence):
        if name is not None and (form or conversion or not name.isidentifier()):
            raise ValueError(f"the braces of a sentence hold a name only, found {{{name}}}")
    return sentence


Sentence = Annotated[Text, AfterValidator(_fillable)]


class Model(BaseModel):
    """Frozen, and closed: a misspelt key is an error at its line, never a silent default."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Bilingual(Model):
    """One sentence in both languages of the documents."""

    en: Text
    zh: Text


class Loss(Model):
    """One kind of loss: its sentence, what it means for somebody's hook, and the way out if there is one."""

    en: Sentence
    zh: Sentence
    means: Bilingual
    remedy: Bilingual | None = None
    # the effect of an answer that makes this a run-time loss; `field`: the row's own `field` stood in the answer;
    # `ask-unanswerable`: the answer asked and the host has nobody to ask; `plain-stdout`: it was plain text on an event
    # where the vendor takes that as context; none: it cannot be seen in one answer
    trigger: Effect | Literal["field", "ask-unanswerable", "plain-stdout"] | None = None
    # the effect still reaches the host, in a weaker form that the sentence describes
    partial: bool = False


class Fact(Model):
    """One established statement about a vendor, with where it was established."""

    id: Code
    says: Text
    source: Text


class Checked(Model):
    """Against what, when and how a row was last checked."""

    version: Text
    date: dt.date
    basis: Literal["observed", "read", "inferred"]


class Degradation(BaseModel):
    """One loss of one mapping. Further keys fill the placeholders of the loss sentence."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, str]

    code: Code
    evidence: Evidence


class HookPoint(Model):
    """One hook point of seed 002: its events, and which way a hook that fails there fails under `strict`."""

    strict: Literal["open", "closed"]
    canonical: list[Canonical] = []
    events: dict[str, list[str]] = {}  # by vendor: those without a canonical counterpart
