"""Reads a handler as a vendor's configuration writes it: a command text, or an object with a type."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..catalog.model import HandlerDialect
from ..errors import CompatError, ErrorCode, Where


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """A command handler, read. `options` are the further keys that stood there."""

    command: str
    shell: str
    timeout_s: float | None = None
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


def read_handler(raw: object, dialect: HandlerDialect, where: Where | None) -> Handler:
    """The command handler that `raw` declares; raises INVALID_HANDLER for every other kind and every wrong type."""
    if isinstance(raw, str):
        if not raw.strip():
            raise _invalid("the command is empty", where)
        return Handler(command=raw, shell=next(iter(dialect.command_keys.values())))
    if not isinstance(raw, Mapping):
        raise _invalid(f"a handler is a command or an object, found {type(raw).__name__}: {raw!r:.80}", where)
    kind = raw.get("type", dialect.default_type)
    if kind is None:
        raise _invalid("the handler has no type; write `type: command`", where)
    if not isinstance(kind, str) or dialect.types.get(kind) != "shell":
        raise _invalid(
            f"a handler of type {kind!r} does not run here and nothing is sent; write it as a command", where
        )
    key = next((key for key in dialect.command_keys if raw.get(key)), None)
    command = raw.get(key) if key else None
    if key is None or not isinstance(command, str) or not command.strip():
        raise _invalid(f"a command handler needs one of {', '.join(dialect.command_keys)} as a string", where)
    timeout = next((raw[name] for name in dialect.timeout_keys if raw.get(name) is not None), None)
    used = {
        "type",
        "matcher",
        "cwd",
        "env",
        *dialect.command_keys,
        *dialect.windows_command_keys,
        *dialect.timeout_keys,
    }
    return Handler(
        command=command,
        shell=dialect.command_keys[key],
        timeout_s=read_timeout(timeout, where),
        cwd=_text(raw, "cwd", where),
        env=_environment(raw, where),
        options=tuple(str(name) for name in raw if name not in used),
    )


def read_timeout(value: object, where: Where | None) -> float | None:
    """Seconds as a positive finite number, or none; raises INVALID_HANDLER for anything else."""
    if value is None:
        return None
    number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
    if not (math.isfinite(number) and number > 0):
        raise _invalid(f"timeout must be a number of seconds above 0, found {value!r:.80}", where)
    return number


def _text(raw: Mapping[object, object], key: str, where: Where | None) -> str | None:
    value = raw.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _invalid(f"{key} must be a string, found {value!r:.80}", where)


def _environment(raw: Mapping[object, object], where: Where | None) -> dict[str, str]:
    value = raw.get("env") or {}
    if isinstance(value, Mapping) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        return {str(name): str(text) for name, text in value.items()}
    raise _invalid("env must map names to strings", where)


def _invalid(message: str, where: Where | None) -> CompatError:
    return CompatError(ErrorCode.INVALID_HANDLER, message, where=where)
