"""The `compat.yaml` manifest: hooks and rules declared in one file of their own.

    version: 1
    hooks:
      - {vendor: claude, event: PreToolUse, matcher: Write, handler: sh hooks/no-write.sh}
    rules:
      - {vendor: codex, source: 'rules/*.rules'}

Paths are relative to the manifest. The schema is `dsh-compat schema manifest`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from ..errors import CompatError, ErrorCode, Where, nearest
from .declaration import HookDeclaration, RulesDeclaration, hook_declaration, rules_declaration

NAME = "compat.yaml"
KEYS = ("version", "policy", "hooks", "rules")
POLICIES = ("strict", "vendor")  # `hooks.policy` gives them their meaning
D = TypeVar("D", HookDeclaration, RulesDeclaration)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """A manifest, read."""

    file: str
    policy: str | None
    hooks: tuple[HookDeclaration, ...]
    rules: tuple[RulesDeclaration, ...]


def read_manifest(path: Path) -> Manifest:
    """Read a manifest; raises INVALID_FILE or INVALID_DECLARATION with file, line and column."""
    from .yaml_source import read_yaml  # noqa: PLC0415 - start-up: yaml is imported only when a YAML file is in play

    document = read_yaml(path)
    data = document.value
    if not isinstance(data, dict):
        raise _invalid(f"a manifest is a mapping with {', '.join(KEYS)}; found {type(data).__name__}", document.where())
    for key in data:
        if key not in KEYS:
            raise _invalid(f"unknown key {key!r}.{nearest(str(key), KEYS)}", document.where(str(key)))
    if data.get("version") != 1 or isinstance(data.get("version"), bool):
        raise _invalid(f"version must be 1, found {data.get('version')!r:.40}", document.where("version"))
    policy = data.get("policy")
    if policy is not None and not (isinstance(policy, str) and policy in POLICIES):
        known = " or ".join(POLICIES)
        raise _invalid(f"policy must be {known}, found {policy!r:.40}", document.where("policy"))
    rules = _read(data, "rules", rules_declaration, document.where)
    return Manifest(
        file=str(path),
        policy=policy,
        hooks=_read(data, "hooks", hook_declaration, document.where),
        rules=tuple(_based(rule, path.absolute().parent) for rule in rules),
    )


def _based(rule: RulesDeclaration, folder: Path) -> RulesDeclaration:
    base = "." if rule.base_dir is None else rule.base_dir
    if not isinstance(base, str):
        raise CompatError(
            ErrorCode.INVALID_DECLARATION, f"base_dir must be a folder, found {base!r:.80}", where=rule.where
        )
    return replace(rule, base_dir=str(folder / base))


def _read(
    data: Mapping[str, object],
    key: str,
    read: Callable[[Mapping[str, object], Where | None], D],
    where: Callable[..., Where],
) -> tuple[D, ...]:
    entries = data.get(key)
    if entries is None:
        return ()
    if not isinstance(entries, list):
        raise _invalid(f"{key} must be a list, found {type(entries).__name__}", where(key))
    declared = []
    for index, entry in enumerate(entries):
        place = where(key, index)
        if not isinstance(entry, dict):
            raise _invalid(f"an entry of {key} is a mapping, found {type(entry).__name__}", place)
        declared.append(read(entry, place))
    return tuple(declared)


def _invalid(message: str, where: Where) -> CompatError:
    return CompatError(ErrorCode.INVALID_DECLARATION, message, where=where)
