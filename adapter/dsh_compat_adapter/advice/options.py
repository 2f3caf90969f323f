"""What the options of a handler that have no effect here change by that, chosen by the data of the vendor."""

from collections.abc import Iterator, Mapping

from ..capability import Warned
from ..catalog.model import OptionRole, Row, Vendor
from ..declare.handler import Handler
from ..errors import nearest
from ..hooks.condition import Condition

REMARKS = frozenset(
    {"comment", "_comment", "$comment", "//", "description", "id", "name", "note", "notes"}
)  # for people
# role of the option -> code, what happens without it, what to do
ROLES: Mapping[OptionRole, tuple[str, str, str | None]] = {
    "condition": (
        "condition-not-evaluated",
        "is not evaluated, so the hook runs more often: at every event that its matcher selects",
        "make the script decide whether the call is one that it means",
    ),
    "once": ("runs-every-time", "is not kept, so the hook runs at every event", "keep a mark in a file of your own"),
    "background": (
        "background-decides-nothing",
        "makes the vendor not wait for the hook, so no answer of it counts",
        "take it out of a hook that is to refuse something",
    ),
    "wakes": (
        "cannot-wake",
        "cannot wake the agent here, so nobody reads what the hook says by exit 2",
        "take it out, so that the hook is waited for",
    ),
    "shown": ("option-not-shown", "is not shown to anybody", None),
    "shell": ("shell-not-chosen", "chooses no shell: the command runs in {shell}", "write the command for that shell"),
    "failure": (
        "failure-option-ignored",
        "does not count: a failure goes by the policy of the host",
        "use the policy `strict` in compat.yaml, or `on_error` of a hook there",
    ),
    "limit": ("option-not-shown", "limits nothing here", None),
    "one-system": (
        "command-of-one-system",
        "is a command for one system that another host reads; this vendor and this program run the common one",
        "write one command that works everywhere, or look for the system in the script",
    ),
    "inert": ("option-ignored", "has no effect, at the vendor neither", "take it out"),
    "other-kind": ("option-ignored", "belongs to another type of handler and has no effect", "take it out"),
}


def ignored_options(
    handler: Handler, raw: object, vendor: Vendor, row: Row, condition: Condition | None
) -> Iterator[Warned]:
    """A warning for each option that is not read; `condition` is the one that is evaluated."""
    dialect = vendor.dialect.handlers
    for option in handler.options:
        role = dialect.options.get(option)
        off = isinstance(raw, Mapping) and raw.get(option) in (None, False, "")
        if role is None and option in REMARKS:
            continue
        if role is None:
            hint = nearest(option, [*dialect.options, *dialect.command_keys, *dialect.timeout_keys])
            text = f"the handler option {option!r:.80} is none that the vendor knows, so it changes nothing.{hint}"
            yield Warned(code="option-unknown", text=text, remedy="take it out, or correct its name")
        elif role == "condition" and condition is not None and not off:
            yield from _condition(option, condition)
        elif role in ROLES and not off:
            code, what, remedy = ROLES[role]
            text = f"the handler option {option!r} {what.format(shell=handler.shell)}"
            yield Warned(code=code, text=text, remedy=remedy)
            if role == "condition" and row.subject != "tool.name":
                text = f"the vendor evaluates {option!r} on events of tools only and never runs this hook; here it runs"
                yield Warned(code="condition-without-tool", text=text, remedy=f"take {option!r} out")


def _condition(option: str, condition: Condition) -> Iterator[Warned]:
    """What of a condition that is evaluated is another than at the vendor."""
    if condition.tool is None:
        when = "always" if condition.runs_broken else "never"
        text = f"the handler option {option!r} is no permission rule, so the hook {when} runs, as at the vendor"
        yield Warned(code="condition-broken", text=text, remedy="write it as Tool or Tool(pattern)")
    elif condition.by_name_only:
        text = f"of the handler option {option!r} the tool's name alone is compared, so the hook runs more often"
        yield Warned(code="condition-not-evaluated", text=text, remedy=ROLES["condition"][2])
