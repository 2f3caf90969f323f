"""One declaration of a hook or of rules, before the catalog has looked at it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from ..errors import CompatError, ErrorCode, Where, nearest, shown

Bridge = Literal["official", "native"]
BRIDGES: tuple[str, ...] = get_args(Bridge)
HOOK_KEYS = ("vendor", "event", "matcher", "handler", "timeout", "on_error", "env", "bridge", "plugin_root")
RULES_KEYS = ("vendor", "source", "base_dir")


@dataclass(frozen=True, slots=True, kw_only=True)
class HookDeclaration:
    """A hook as its author declared it.

    `handler` is a command, a mapping of the vendor's handler shape, or anything else, which grading refuses by name.
    """

    vendor: object
    event: object
    handler: object
    matcher: object = None
    timeout: object = None  # seconds; none: the handler's, else the event's default
    on_error: object = None
    env: Mapping[str, str] = field(default_factory=dict)
    bridge: object = "official"
    plugin_root: str | None = None  # of the plugin that the hook belongs to
    where: Where | None = None

    def bridged(self, bridge: str) -> "HookDeclaration":
        """The declaration by this bridge, unless it names one itself."""
        return replace(self, bridge=bridge) if self.bridge == "official" else self


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesDeclaration:
    """Rules to be carried: a path, a `file://` address or a glob, relative to `base_dir`, which is absolute."""

    vendor: object
    source: object
    base_dir: object = None
    where: Where | None = None


def hook_declaration(data: Mapping[str, object], where: Where | None = None) -> HookDeclaration:
    """A hook declaration from a mapping; raises INVALID_DECLARATION for a missing or unknown key."""
    _check_keys(data, HOOK_KEYS, ("vendor", "event", "handler"), where)
    env = {} if data.get("env") is None else data["env"]
    if not isinstance(env, Mapping) or not all(isinstance(k, str) and isinstance(v, str) for k, v in env.items()):
        raise CompatError(
            ErrorCode.INVALID_DECLARATION, f"env must map names to strings, found {shown(env)}", where=where
        )
    return HookDeclaration(
        vendor=data["vendor"],
        event=data["event"],
        handler=data["handler"],
        matcher=data.get("matcher"),
        timeout=data.get("timeout"),
        on_error=data.get("on_error"),
        env=dict(env),
        bridge="official" if data.get("bridge") is None else data["bridge"],
        plugin_root=_folder(data.get("plugin_root"), where),
        where=where,
    )


def rules_declaration(data: Mapping[str, object], where: Where | None = None) -> RulesDeclaration:
    """A rules declaration from a mapping; raises INVALID_DECLARATION for a missing or unknown key."""
    _check_keys(data, RULES_KEYS, ("vendor", "source"), where)
    return RulesDeclaration(vendor=data["vendor"], source=data["source"], base_dir=data.get("base_dir"), where=where)


def _folder(value: object, where: Where | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise CompatError(ErrorCode.INVALID_DECLARATION, f"plugin_root is a folder, found {shown(value)}", where=where)


def _check_keys(
    data: Mapping[str, object], known: tuple[str, ...], required: tuple[str, ...], where: Where | None
) -> None:
    for key in data:
        if key not in known:
            raise CompatError(
                ErrorCode.INVALID_DECLARATION,
                f"unknown key {shown(key)} in a declaration.{nearest(str(key), known)} Known: {', '.join(known)}.",
                where=where,
            )
    for key in required:
        if data.get(key) is None:
            raise CompatError(ErrorCode.INVALID_DECLARATION, f"a declaration needs {shown(key)}", where=where)
