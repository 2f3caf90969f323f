"""`authoring.compile`: the sources as the one JSON text that the running side reads."""

import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from dsh_compat_adapter.catalog.authoring import models, models_dialect, models_rules, models_surface, models_vendor
from dsh_compat_adapter.catalog.authoring.compile import FORMAT, compile_catalog
from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.events import Effect
from tests.checkout import sources

TEXT = compile_catalog(sources())
DATA: dict[str, Any] = json.loads(TEXT)


def test_the_compiled_text_says_what_it_is_and_how_it_is_made() -> None:
    assert DATA["format"] == FORMAT
    assert "scripts/regenerate" in DATA["generated"]
    assert "do not edit" in DATA["generated"]


def test_what_is_compiled_validates_as_what_was_written() -> None:
    assert TypeAdapter(dict[str, models_vendor.Vendor]).validate_python(DATA["vendors"]) == sources().vendors
    assert TypeAdapter(dict[str, models_surface.Surface]).validate_python(DATA["surfaces"]) == sources().surfaces
    assert TypeAdapter(dict[str, models.Loss]).validate_python(DATA["losses"]) == sources().losses
    for name, rules in sources().rules.items():
        assert TypeAdapter(list[models_rules.RulesFile]).validate_python(DATA["rules"][name]["files"]) == rules.files


def test_compiling_twice_gives_the_same_text() -> None:
    assert compile_catalog(sources()) == TEXT


def test_every_event_stands_on_a_line_of_its_own() -> None:
    lines = TEXT.splitlines()
    for vendor in sources().vendors.values():
        for name, event in vendor.events.items():
            one = json.dumps(event.model_dump(mode="json"), ensure_ascii=False, separators=(",", ":"))
            assert sum(line.strip().rstrip(",") == f"{json.dumps(name)}:{one}" for line in lines) >= 1, name


def test_a_change_of_one_row_is_a_change_of_one_line() -> None:
    claude = sources().vendors["claude"]
    events = claude.events | {"Stop": claude.events["Stop"].model_copy(update={"timeout_s": 12.5})}
    changed = replace(sources(), vendors=sources().vendors | {"claude": claude.model_copy(update={"events": events})})
    before, after = TEXT.splitlines(), compile_catalog(changed).splitlines()
    assert len(before) == len(after)
    assert [new for old, new in zip(before, after, strict=True) if old != new and '"timeout_s":12.5' in new]
    assert sum(old != new for old, new in zip(before, after, strict=True)) == 1


def test_chinese_stays_readable_and_the_text_ends_with_a_newline() -> None:
    assert "近似" in TEXT
    assert "\\u" not in TEXT
    assert TEXT.endswith("}\n")


names = st.text(min_size=1, max_size=12)
words = st.text(min_size=1, max_size=20)


@settings(max_examples=40)
@given(
    st.dictionaries(names, st.lists(st.sampled_from(list(Effect)), unique=True), max_size=4),
    st.dictionaries(names, st.one_of(st.booleans(), st.integers(), words, st.none()), max_size=4),
)
def test_any_row_that_validates_can_be_compiled_and_loaded(
    events: dict[str, list[Effect]], constants: dict[str, object]
) -> None:
    claude = sources().vendors["claude"]
    row = claude.events["WorktreeRemove"]
    payload = {name: models_dialect.PayloadField(const=value) for name, value in constants.items()}
    made = {name: row.model_copy(update={"honours": effects, "payload": payload}) for name, effects in events.items()}
    vendors = {"claude": claude.model_copy(update={"events": made}), "native": sources().vendors["native"]}
    small = replace(sources(), vendors=vendors, rules={}, surfaces={})
    loaded = Catalog(json.loads(compile_catalog(small))).vendors["claude"]
    assert list(loaded.rows) == list(events)
    for name, effects in events.items():
        plan = loaded.rows[name].plan
        assert plan is not None
        assert plan.honours == set(effects)
        assert {field: given.const for field, given in plan.payload.items()} == constants
