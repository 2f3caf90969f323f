"""The `compat.yaml` manifest: hooks and rules declared in one file of their own.

    version: 1
    hooks:
      - {vendor: claude, event: PreToolUse, matcher: Write, handler: sh hooks/no-write.sh}
    rules:
      - {vendor: codex, source: 'rules/*.rules'}

`discover: false` says that the project's own files of the vendors are not read beside it, `ignore` which findings of
`check` are known. Paths are relative to the manifest. The schema is `dsh-compat schema manifest`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ..errors import CompatError, ErrorCode, Where, nearest, shown
from .declaration import HookDeclaration, RulesDeclaration, hook_declaration, rules_declaration
from .ignores import Ignore, read_ignore
from .text_file import read_text

NAME = "compat.yaml"
KEYS = ("version", "policy", "discover", "ignore", "hooks", "rules")
POLICIES = ("strict", "vendor")  # `hooks.policy` gives them their meaning
D = TypeVar("D", HookDeclaration, RulesDeclaration, Ignore)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A manifest, read."""

    file: str
    policy: str | None
    alone: Where | None  # where it says that the vendors' own files of the project do not count, if it does
    ignore: tuple[Ignore, ...]
    hooks: tuple[HookDeclaration, ...]
    rules: tuple[RulesDeclaration, ...]


def read_manifest(path: Path) -> Manifest:
    """Read a manifest; raises INVALID_FILE or INVALID_DECLARATION with file, line and column."""
    return parse_manifest(read_text(path), path)


def parse_manifest(text: str, path: Path) -> Manifest:
    """The same for the text of a manifest that stands, or could stand, at this path."""
    from .yaml_source import parse_yaml  # noqa: PLC0415 - start-up: yaml is imported only when a YAML file is in play

    document = parse_yaml(text, str(path))
    data = document.value
    if not isinstance(data, dict):
        raise _invalid(f"a manifest is a mapping with {', '.join(KEYS)}; found {type(data).__name__}", document.where())
    for key in data:
        if key not in KEYS:
            raise _invalid(f"unknown key {shown(key)}.{nearest(str(key), KEYS)}", document.where(str(key)))
    if data.get("version") != 1 or isinstance(data.get("version"), bool):
        raise _invalid(f"version must be 1, found {shown(data.get('version'))}", document.where("version"))
    policy = data.get("policy")
    if policy is not None and not (isinstance(policy, str) and policy in POLICIES):
        known = " or ".join(POLICIES)
        raise _invalid(f"policy must be {known}, found {shown(policy)}", document.where("policy"))
    discover = data.get("discover")
    if not isinstance(discover, bool | None):
        raise _invalid(f"discover must be true or false, found {shown(discover)}", document.where("discover"))
    folder = path.absolute().parent
    rules = _read(data, "rules", _rule, document.where)
    hooks = _read(data, "hooks", _hook, document.where)
    return Manifest(
        file=str(path),
        policy=policy,
        alone=document.where("discover") if discover is False else None,
        ignore=_read(data, "ignore", read_ignore, document.where),
        hooks=tuple(_rooted(hook, folder) for hook in hooks),
        rules=tuple(_based(rule, folder) for rule in rules),
    )


def _rooted(hook: HookDeclaration, folder: Path) -> HookDeclaration:
    return hook if hook.plugin_root is None else replace(hook, plugin_root=str(folder / hook.plugin_root))


def _based(rule: RulesDeclaration, folder: Path) -> RulesDeclaration:
    base = "." if rule.base_dir is None else rule.base_dir
    if not isinstance(base, str):
        raise CompatError(
            ErrorCode.INVALID_DECLARATION, f"base_dir must be a folder, found {shown(base)}", where=rule.where
        )
    return replace(rule, base_dir=str(folder / base))


def _read(
    data: Mapping[str, object],
    key: str,
    read: Callable[[object, Where], D],
    where: Callable[..., Where],
) -> tuple[D, ...]:
    entries = data.get(key)
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise _invalid(f"{key} must be a list, found {type(entries).__name__}", where(key))
    return tuple(read(entry, where(key, index)) for index, entry in enumerate(entries))


def _hook(entry: object, where: Where) -> HookDeclaration:
    return hook_declaration(_mapping("hooks", entry, where), where)


def _rule(entry: object, where: Where) -> RulesDeclaration:
    return rules_declaration(_mapping("rules", entry, where), where)


def _mapping(key: str, entry: object, where: Where) -> Mapping[str, object]:
    if not isinstance(entry, dict):
        raise _invalid(f"an entry of {key} is a mapping, found {type(entry).__name__}", where)
    return entry


def _invalid(message: str, where: Where) -> CompatError:
    return CompatError(ErrorCode.INVALID_DECLARATION, message, where=where)
