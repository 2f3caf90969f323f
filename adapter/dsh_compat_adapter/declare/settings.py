"""What settings say beside their hooks: what restricts the agent and is enforced by nobody here, and misspelt keys.

Which keys of a vendor that is, its data says.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from ..catalog.model import Setting, Vendor
from ..errors import Where, shown
from .findings import Finding, make_finding

Place = Callable[..., Where]
ALIKE = 0.84  # `permission` and `permissions` are, `sandbox_mode` and `sandbox` are not
SHOWN = 6  # names in one message
SHORTEST = 4  # of a key that is compared: what is shorter is like too much


class _Present(NamedTuple):
    """A key of the data that stands in a file, with its value."""

    setting: Setting
    value: object

    @property
    def steps(self) -> Sequence[str]:
        return self.setting.key.split(".")


def _set(one: _Present) -> Sequence[str]:
    return (one.setting.key,) if one.value else ()


def _true(one: _Present) -> Sequence[str]:
    return (one.setting.key,) if one.value is True else ()


def _switched_on(one: _Present) -> Sequence[str]:
    entries = one.value if isinstance(one.value, Mapping) else {}
    return [shown(str(name)) for name, on in entries.items() if on is True]


class _Kind(NamedTuple):
    """What the keys of one role come to: a message about its subjects, where there are any."""

    code: str
    subjects: Callable[[_Present], Sequence[str]]
    says: str
    remedy: str


BY_ROLE = {
    "program": _Kind(
        "program-not-started",
        _set,
        "names a program that {vendor} starts by itself; nothing starts it here",
        "write it as a hook of the event that it is for",
    ),
    "inert": _Kind(
        "switch-without-effect",
        _true,
        "is documented and has no effect in {vendor}: hooks run there, and here too",
        "take the hooks out",
    ),
    "plugins": _Kind(
        "plugins-not-read",
        _switched_on,
        "may have hooks, which stand where {vendor} has installed them and are not read here",
        "check the folder of each plugin by itself, and declare its hooks with a plugin_root in compat.yaml",
    ),
    "managed-only": _Kind(
        "policy-not-enforced",
        _true,
        "keeps all hooks but managed ones from running in {vendor}; here they run",
        "take the other hooks out, or declare the managed ones alone in compat.yaml with discover: false",
    ),
}


def settings_findings(data: Mapping[str, object], place: Place, vendor: Vendor) -> Iterator[Finding]:
    """The findings about one file of settings. Total."""
    present = list(_present(data, vendor))
    restricting = [one for one in present if one.setting.role == "policy" and not _is_harmless(one.value, one.setting)]
    if restricting:
        names = ", ".join(one.setting.key for one in restricting)
        yield make_finding(
            "policy-not-enforced",
            place(*restricting[0].steps),
            f"{names} restrict{'s' if len(restricting) == 1 else ''} what the agent may do in {vendor.title}; nobody "
            "enforces that here, and only hooks and the host's own rules hold",
            "restrict the host by its own settings, or refuse in a hook that comes before the tool",
        )
    for one in present:
        kind = BY_ROLE.get(one.setting.role)
        if kind is not None and (subjects := kind.subjects(one)):
            named = ", ".join(subjects[:SHOWN]) + (", …" if len(subjects) > SHOWN else "")
            message = f"{named} {kind.says.format(vendor=vendor.title)}"
            yield make_finding(kind.code, place(*one.steps), message, kind.remedy)
    yield from _misspelt(data, place, vendor)


def environment(data: Mapping[str, object], place: Place, vendor: Vendor) -> dict[str, Where]:
    """The variables that settings give to each hook of the vendor, with their places."""
    return {
        str(name): place(*one.steps, name)
        for one in _present(data, vendor)
        if one.setting.role == "environment" and isinstance(one.value, Mapping)
        for name in one.value
    }


def switched_off(data: Mapping[str, object], vendor: Vendor) -> str | None:
    """What in a file switches all hooks of the vendor off, beside `disableAllHooks`."""
    off = (one for one in _present(data, vendor) if one.setting.role == "hooks-on" and one.value is False)
    return next((f"{one.setting.key} is false" for one in off), None)


def _present(data: Mapping[str, object], vendor: Vendor) -> Iterator[_Present]:
    for setting in vendor.settings:
        value: object = data
        for step in setting.key.split("."):
            value = value.get(step) if isinstance(value, Mapping) else None
        if value is not None:
            yield _Present(setting, value)


def _is_harmless(value: object, setting: Setting) -> bool:
    """Whether a value restricts nothing: it is empty, switched off, or one of those that the data names."""
    if isinstance(value, Mapping):
        return value.get("enabled") is False or all(_is_harmless(one, setting) for one in value.values())
    return not value or (isinstance(value, str) and value in setting.harmless)


def _misspelt(data: Mapping[str, object], place: Place, vendor: Vendor) -> Iterator[Finding]:
    for outer in dict.fromkeys(("", *(setting.key.rpartition(".")[0] for setting in vendor.settings))):
        steps = outer.split(".") if outer else []
        prefix = f"{outer}." if outer else ""
        inner: object = data
        for step in steps:
            inner = inner.get(step) if isinstance(inner, Mapping) else None
        known = {setting.key.split(".")[len(steps)] for setting in vendor.settings if setting.key.startswith(prefix)}
        for key in inner if isinstance(inner, Mapping) else ():
            if isinstance(key, str) and (meant := _meant(key, known)) is not None:
                yield make_finding(
                    "key-misspelt",
                    place(*steps, key),
                    f"{shown(key)} is no key that {vendor.title} is known to read, so what stands in it does not count."
                    f" Did you mean {shown(meant)}?",
                    f"write {meant}",
                )


def _meant(key: str, known: set[str]) -> str | None:
    if key in known or len(key) < SHORTEST:
        return None
    lower = {name.lower(): name for name in known if len(name) >= SHORTEST}
    close = get_close_matches(key.lower(), lower, 1, ALIKE)
    return lower[close[0]] if close else None
