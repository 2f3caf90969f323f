"""Whether each effect that a vendor offers reaches the host as the row says, or is reported as lost."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from dsh_compat_adapter.events import Effect
from tests.rows.answers import reached, using, with_field
from tests.rows.cases import Case
from tests.rows.recorder import SILENT, Performance, Said, perform
from tests.rows.tour import around

PLAIN = "plain words"


class Trial:
    """A case within the shortest session in which its event occurs."""

    def __init__(self, case: Case, root: Path, chapters: Sequence[str]) -> None:
        """`chapters` are those in which the event occurs."""
        self.case = case
        self.root = root
        self._chapters = chapters
        self._silent: dict[str, Performance] = {}

    async def play(self, said: Said, *others: Said, chapter: str | None = None, **declared: Any) -> Performance:
        """The session with a hook that answers; `chapter` is tried in the place of the first if the event occurs there."""
        played = await perform(self.case, self.root, around(self._chapter(chapter)), said, *others, **declared)
        assert played.occurrences
        return played

    async def silent(self, chapter: str | None = None) -> Performance:
        """What the session is with a hook that says nothing."""
        name = self._chapter(chapter)
        if name not in self._silent:
            self._silent[name] = await self.play(SILENT, chapter=name)
        return self._silent[name]

    async def unchanged(self, played: Performance, chapter: str | None = None) -> bool:
        """Whether the host did what it does with a hook that says nothing."""
        return played.stage.world == (await self.silent(chapter)).stage.world

    def _chapter(self, wanted: str | None) -> str:
        return wanted if wanted is not None and wanted in self._chapters else self._chapters[0]


async def complaints(tried: Trial) -> AsyncIterator[str]:
    """What is wrong about the answers, one effect at a time."""
    case = tried.case
    if losses := (await tried.silent()).losses:
        yield f"a hook that says nothing lists {losses}"
    for effect in Effect:
        if effect in case.row.offers:
            for member in _members(case, effect):
                async for complaint in offered(tried, effect, member):
                    yield f"{effect}: {complaint}"
    for name in sorted(loss["field"] for loss in case.losses if case.triggers[loss["code"]] == "field"):
        async for complaint in lost_field(tried, name):
            yield complaint
    for more in (
        not_offered(tried, Effect.DENY),
        not_offered(tried, Effect.CONTEXT),
        plain_stdout(tried),
        unanswerable(tried),
    ):
        async for complaint in more:
            yield complaint


async def not_offered(tried: Trial, effect: Effect) -> AsyncIterator[str]:
    """What the vendor's own engine does not do with an answer does not happen here either."""
    if not tried.case.row.offers & {effect, Effect.FEEDBACK}:
        played = await tried.play(using(tried.case, effect))
        if not await tried.unchanged(played):
            yield f"{effect} is not offered and changed what the host does"


async def lost_field(tried: Trial, name: str) -> AsyncIterator[str]:
    """A member of an answer that a listed loss names."""
    case, said = tried.case, with_field(tried.case, name)
    played = await tried.play(said)
    if played.losses != (wanted := case.listed(set(said.effects), set(said.fields))):
        yield f"the member {name!r} lists {played.losses}, expected {wanted}"
    if not said.effects and not await tried.unchanged(played):
        yield f"the member {name!r} is listed as lost and changed what the host does"


async def offered(tried: Trial, effect: Effect, member: str | None = None) -> AsyncIterator[str]:
    """One effect that the vendor offers: it reaches the host, or a loss that the answer lists says that it does not."""
    case = tried.case
    said = using(case, effect, member)
    # an allow shows only where somebody else asks
    chapter = "approval" if effect is Effect.ALLOW else None
    played = await tried.play(said, chapter=chapter)
    got = reached(effect, played, played.occurrences[0])
    if got != (effect in case.plan.honours):
        yield f"it {'reached' if got else 'did not reach'} the host, and the row says otherwise"
    becomes_deny = effect is Effect.ASK and Effect.DENY in case.plan.honours
    if not got and not becomes_deny and not await tried.unchanged(played, chapter):
        yield "it did not reach the host and changed what the host does"
    wanted = case.listed(set(said.effects), set(said.fields))
    if played.losses != wanted:
        yield f"it lists {played.losses}, expected {wanted}"
    by_itself = {code for code in played.losses if case.triggers[code] in said.effects}
    if not got and not by_itself:
        yield "it did not reach the host, and no loss says so"
    if not got and (weaker := by_itself & case.partial):
        yield f"it did not reach the host, and {weaker} says that it does in a weaker form"
    if got and (whole := by_itself - case.partial - _of_another(case, effect, by_itself)):
        yield f"it reached the host, and {whole} says that it is lost"


def _of_another(case: Case, effect: Effect, codes: set[str]) -> set[str]:
    """Losses of what the answer says besides the effect: a block is also feedback."""
    return {code for code in codes if case.triggers[code] != effect}


def _members(case: Case, effect: Effect) -> list[str | None]:
    """The keys of a rewrite that listed losses name, or the vendor's first."""
    named = [loss["field"] for loss in case.losses if case.triggers[loss["code"]] == effect and "field" in loss]
    return [*named] or [None]


async def plain_stdout(tried: Trial) -> AsyncIterator[str]:
    """Plain text is context where the vendor takes it as that and no listed loss says otherwise."""
    case = tried.case
    played = await tried.play(Said(stdout=PLAIN))
    wanted = case.listed({"plain-stdout"}, set()) if case.row.stdout_context else set()
    if played.losses != wanted:
        yield f"plain text on stdout lists {played.losses}, expected {wanted}"
    read = any(message[2] == PLAIN for request in played.stage.requests for message in request)
    honoured = case.row.stdout_context and Effect.CONTEXT in case.plan.honours and not wanted
    if read != honoured:
        yield f"plain text on stdout {'was' if read else 'was not'} given to the model"
    if not read and not await tried.unchanged(played):
        yield "plain text on stdout changed what the host does"


async def unanswerable(tried: Trial) -> AsyncIterator[str]:
    """An ask where nobody can be asked denies, and a loss says so."""
    case = tried.case
    if Effect.ASK not in case.plan.honours:
        return
    played = await tried.play(using(case, Effect.ASK), can_ask=False)
    if played.losses != (wanted := case.listed({Effect.ASK, "ask-unanswerable"}, set())) or not wanted:
        yield f"an ask that nobody answers lists {played.losses}, expected {wanted}"
    if played.occurrences[0].values["tool.call_id"] in {call_id for call_id, _ in played.stage.ran}:
        yield "an ask that nobody answers let the tool run"
