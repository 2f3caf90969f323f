"""What is kept of a trial: plain values without ids, paths, times or anything else that another run would change."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.oracles.cases import Trial
from scripts.oracles.engine import Engine
from scripts.oracles.place import Call

MARK = r"([A-Z]{2,12})\.%s((?:\.[a-z](?![a-z0-9]))?)(?![a-z0-9-])"
_ID = re.compile(
    r"\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?:toolu|call|msg|fc|resp)_\w+|tooluse_\w+"
    r"|(?:ses|prt|per|evt)_\w+|a[0-9a-f]{16}|[0-9a-f]{32}|agent-[0-9a-f]{1,8})\b"
)
_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?")
_ADDRESS = re.compile(r"127\.0\.0\.1:\d+")
HEADERS = "responseHeaders"  # those of the model's server, which is ours
MILLISECONDS = 1_000_000_000_000  # a number above this one is a time of day
# what is another value in every run, by the end of the member's name; vendors mangle the folder's name in some paths
NAMED = (
    (("transcript_path", "transcriptPath"), "{path}"),
    (("_id", "Id"), "{id}"),
    (("model",), "{model}"),
    (("slug",), "{slug}"),
    (("stack",), "{stack}"),
)
COUNTS = ("_ms", "tokens", "Ms")
_FRAME = re.compile(r"^input\.(?=event\.)|^event\.properties\.")


def told(case: str, texts: Iterable[str]) -> list[str]:
    """The kinds of a case's markers that stand in texts which the model read: `reason`, `context`, `context.b`."""
    pattern = re.compile(MARK % re.escape(case))
    found = {f"{kind.lower()}{slot}" for text in texts for kind, slot in pattern.findall(text)}
    return sorted(found)


def runs(trial: Trial, calls: Sequence[Call]) -> dict[str, int]:
    """How often each hook of the trial's event ran for it, by slot."""
    mine = [call.tag for call in calls if call.case == trial.id and call.tag.startswith(f"{trial.event}.")]
    return dict(sorted(Counter(tag.removeprefix(f"{trial.event}.") for tag in mine).items()))


def payload(stdin: bytes, root: Path) -> object:
    """What a hook was sent, without what differs from run to run; text that is no JSON as it is."""
    text = stdin.decode("utf-8", "replace")
    try:
        data = json.loads(text)
    except ValueError:
        return text
    return _plain(data, root, "")


def _plain(value: object, root: Path, key: str) -> object:
    match value:
        case Mapping() if key == HEADERS:
            return "{headers}"
        case Mapping():
            return {name: _plain(member, root, name) for name, member in sorted(value.items())}
        case list():
            return [_plain(member, root, key) for member in value]
        case str():
            word = next((word for names, word in NAMED if key.endswith(names)), None)
            return word if word and value else plain_text(value, root)
        case int() | float() if not isinstance(value, bool):
            return "{time}" if value > MILLISECONDS else "{number}" if key.endswith(COUNTS) else value
        case _:
            return value


def plain_text(value: str, root: Path) -> str:
    """A text without the folders, ids and times of one run."""
    for name in ("project", "home", "temp"):
        for place in (root / name, (root / name).resolve()):
            value = value.replace(str(place), f"{{{name}}}")
    value = value.replace(str(root), "{root}")
    return _ADDRESS.sub("{address}", _TIME.sub("{time}", _ID.sub("{id}", value)))


def effect(  # noqa: PLR0911, PLR0913 - one return a moment, and what each of them needs
    trial: Trial, *, requests: int, ran: bool, rewritten: bool, held: bool | None = None, compacted: bool | None = None
) -> dict[str, bool]:
    """What a hook's answer came to; `requests` of the main agent to its model since the trial began.

    `held`: a subagent went on although it had come to its end. This and `compacted` are none where it cannot be told.
    """
    match trial.moment:
        case "tool" | "permission" | "permission-refused":
            changed = {"rewritten": True} if rewritten else {}
            return {"ran": ran, **changed, "goes_on": requests > len(trial.tools)}
        case "after-tool" | "failed-tool":
            return {"goes_on": requests > len(trial.tools)}
        case "prompt" | "prompt-transformed" | "start":
            return {"sent": requests > 0}
        case "stop":
            return {"continued": requests > 1}
        case "subagent-stop" if held is not None:
            return {"continued": held}
        case "before-compact" if compacted is not None:
            return {"compacted": compacted}
        case _:
            return {}


def fired(trial: Trial, calls: Sequence[Call], engine: Engine) -> list[str]:
    """The tools, by purpose, for which the hook with the trial's matcher ran."""
    tag = f"{trial.event}.{trial.id}"
    sent = "\n".join(call.stdin.decode("utf-8", "replace") for call in calls if call.tag == tag)
    return [
        purpose
        for purpose in trial.tools
        if f'"{engine.tools[purpose].trace}' in sent or f"/{engine.tools[purpose].trace}" in sent
    ]


def reading(trial: Trial, calls: Sequence[Call], engine: Engine, root: Path) -> dict[str, Any]:
    """What the first hook of a trial was given; nothing when none ran."""
    tag = f"{trial.event}.a"
    call = next((call for call in calls if call.case == trial.id and call.tag == tag), None)
    if call is None:
        return {}
    if trial.reads == "environment":
        names = [name for name in call.environment if re.fullmatch(engine.hook_environment or "", name)]
        return {"environment": sorted(names)}
    if trial.reads == "callback":
        return {"callback": dict(_leaves(payload(call.stdin, root), ""))}
    return {
        "payload": payload(call.stdin, root),
        "newline": call.stdin.endswith(b"\n"),
        "cwd": plain_text(call.environment["CWD"], root),
    }


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    """The members of a callback's arguments by their dotted names; of a list of objects those of the first one.

    What an event holds is named from there (`event.id`, `info.title`). `event` beside the arguments is not one of them.
    """
    match value:
        case {**members} if members:
            for key, member in members.items():
                if name or key != "event":
                    yield from _leaves(member, _FRAME.sub("", f"{name}.{key}" if name else str(key)))
        case [{**_first}, *_]:
            yield from _leaves(value[0], f"{name}[]")
        case None if name in ("input", "output"):
            return  # a callback without that argument
        case _:
            yield name, value
