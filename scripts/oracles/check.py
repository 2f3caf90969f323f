"""Whether the adapter's difference to an engine is one that somebody has named, by losses which the row lists."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.loss import Degradation
from scripts.oracles.cases import Trial
from scripts.oracles.compare import Deviation, deviations, verdict
from scripts.oracles.recording import Difference, Recording


def problems(recording: Recording, trial: Trial, adapted: Mapping[str, Any], catalog: Catalog) -> list[str]:
    """What is wrong about one case; each text names vendor, case and field."""
    return [
        f"{recording.vendor} {trial.id}: {text}"
        for text in _problems(recording, trial, deviations(trial, recording.seen[trial.id], adapted), catalog)
    ]


def _problems(recording: Recording, trial: Trial, found: list[Deviation], catalog: Catalog) -> Iterator[str]:
    difference = recording.differences.get(trial.id)
    if difference is not None and difference.verdict == "not comparable":
        if not difference.because:
            yield "is said to be not comparable, and not why"
        return
    now, said = verdict(found), difference.verdict if difference else "equal"
    if now != said:
        shown = "; ".join(f"{one.field}: engine {one.engine!r}, adapter {one.adapter!r}" for one in found)
        yield f"is {now} and said to be {said}: {shown or 'nothing differs'}"
    elif difference is not None:
        yield from _uncovered(trial, difference, found, _listed(trial, catalog))


def _listed(trial: Trial, catalog: Catalog) -> list[Degradation]:
    row = catalog.row(catalog.vendor(trial.vendor), trial.event)
    plan = row.native_plan or row.plan
    return [*(plan.degradations if plan else ()), *([row.reason] if row.reason else ())]


def _uncovered(
    trial: Trial, difference: Difference, found: list[Deviation], listed: list[Degradation]
) -> Iterator[str]:
    codes = {degradation.code for degradation in listed}
    if not difference.codes:
        yield "differs, and no loss is named that says so"
    for code in difference.codes:
        if code not in codes:
            yield f"names the loss {code}, which the row {trial.event} does not list"
    if trial.reads:
        yield from _unnamed(difference, found, [one.loss for one in listed if one.code in difference.codes])


def _unnamed(difference: Difference, found: list[Deviation], sentences: list[str]) -> Iterator[str]:
    """Members that differ and are not said to, and those of which no named loss says it."""
    members = {one.member: one for one in found}
    if set(difference.fields) != set(members):
        yield f"differs in {sorted(members)} and is said to differ in {sorted(difference.fields)}"
    for name, one in members.items():
        if not any(_says(sentence, name) for sentence in sentences):
            shown = f"(engine {one.engine!r:.80}, adapter {one.adapter!r:.80})"
            yield f"{one.field} differs {shown}, and no named loss says so"


def _says(sentence: str, name: str) -> bool:
    """Whether a sentence names a member, as it may have it, or what holds it: `info.time` for `info.time.created`."""
    words = (name, name.replace("_", " "), re.sub("([A-Z])", r"_\1", name).lower())
    if any(word in sentence for word in words):
        return True
    parts = name.replace("[]", "").split(".")
    holders = (".".join(parts[:length]) for length in range(1, len(parts) + ("[]" in name)))
    return any(re.search(rf"(?<![\w.]){re.escape(holder)}(?!\w|\.\w)", sentence) for holder in holders)
