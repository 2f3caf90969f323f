"""Reads a handler as a configuration writes it: a command text, or an object with a type."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..catalog.model import ExecForm, HandlerDialect
from ..errors import CompatError, ErrorCode, Where, kind_of, nearest, shown

Raw = Mapping[object, object]
MAX_ARGUMENT = 131_071  # bytes of one argument or variable on Linux, which has the smallest limit of the POSIX systems


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """A handler, read: its kind decides which of the other members count."""

    kind: str  # shell, webhook, oracle or proxy
    command: str = ""  # shell and proxy
    arguments: tuple[str, ...] | None = None  # then the command is a program that runs without a shell
    shell: str = ""
    url: str = ""  # webhook, and the base address of an oracle
    headers: Mapping[str, str] = field(default_factory=dict)
    prompt: str = ""  # oracle and proxy
    model: str = ""
    key_variable: str | None = None
    timeout_s: float | None = None
    on_error: object = None
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()  # further keys that stood there
    condition: str | None = None  # a permission rule that an occurrence has to fit
    once: bool = False  # the vendor runs it once a session
    detached: bool = False  # the vendor would not wait for it, so it decides nothing
    identity: tuple[tuple[str, str], ...] = ()  # options that make a repeated command another hook


def read_handler(raw: object, dialect: HandlerDialect, where: Where | None) -> Handler:
    """The handler that `raw` declares; raises INVALID_HANDLER for a kind that does not run here and for wrong types."""
    if isinstance(raw, str):
        if not raw.strip():
            raise _invalid("the command is empty", where)
        check_passable("the command", raw, where)
        return Handler(kind="shell", command=raw, shell=next(iter(dialect.command_keys.values())))
    if not isinstance(raw, Mapping):
        raise _invalid(f"a handler is a command or an object, found {kind_of(raw)}: {shown(raw)}", where)
    name = raw.get("type", dialect.default_type)
    if name is None:
        raise _invalid("the handler has no type; write `type: command`", where)
    kind = dialect.types.get(name) if isinstance(name, str) else None
    if kind is None or kind not in dialect.runs:
        hint = nearest(name, dialect.types) if isinstance(name, str) and kind is None else ""
        raise _invalid(
            f"a handler of type {shown(name)} does not run here and nothing is sent; write it as a command.{hint}",
            where,
        )
    env = _texts(raw, "env", where)
    check_environment(env, where)
    if cwd := _text(raw, "cwd", where):
        check_passable("the cwd", cwd, where)
    timeout = next((raw[key] for key in dialect.timeout_keys if raw.get(key) is not None), None)
    form = dialect.exec_form
    arguments = _arguments(raw, form, where) if form and kind == "shell" and raw.get(form.mark) is not None else None
    keys = (form.program,) if form and arguments is not None else tuple(dialect.command_keys)
    key, command = _command(raw, keys, dialect, where) if kind in ("shell", "proxy") else ("", "")
    return Handler(
        kind=kind,
        command=command,
        arguments=arguments,
        shell=dialect.command_keys.get(key, ""),
        url=_required(raw, ("url", "baseUrl"), where) if kind in ("webhook", "oracle") else "",
        headers=_texts(raw, "headers", where) if kind == "webhook" else {},
        prompt=_required(raw, ("prompt",), where) if kind == "oracle" else _text(raw, "prompt", where) or "",
        model=_text(raw, "model", where) or "",
        key_variable=_text(raw, "keyVariable", where),
        timeout_s=read_timeout(timeout, where, zero_s=dialect.zero_timeout_s),
        on_error=raw.get("onError"),
        cwd=cwd,
        env=env,
        options=tuple(str(option) for option in raw if option not in _known(kind, dialect, arguments is not None)),
        condition=next(
            (text for key in _conditions(dialect) if (text := raw.get(key)) and isinstance(text, str)), None
        ),
        once=any(raw.get(name) is True for name, role in dialect.options.items() if role == "once-a-session"),
        detached=any(raw.get(option) is True for option in dialect.detaching),
        identity=tuple((option, repr(raw[option])) for option in dialect.identity if option in raw),
    )


def read_timeout(value: object, where: Where | None, *, zero_s: float | None = None) -> float | None:
    """Seconds as a positive finite number, or none; raises INVALID_HANDLER for anything else.

    `zero_s` is what the vendor takes 0 for; without it 0 is refused.
    """
    if value is None:
        return None
    number = math.nan
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
    if number == 0 and zero_s is not None:
        return zero_s
    if not (math.isfinite(number) and number > 0):
        raise _invalid(f"timeout must be a number of seconds above 0, found {shown(value)}", where)
    return number


def check_passable(what: str, text: str, where: Where | None) -> None:
    """Raises INVALID_HANDLER for a text that no process can be given: every run of it would fail to start."""
    if "\0" in text:
        raise _invalid(f"{what} has a NUL character in it, which no process can be given; take it out", where)
    try:
        size = len(text.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        raise _invalid(f"{what} has half a surrogate pair in it, which is no text; correct it", where) from None
    if size > MAX_ARGUMENT:
        message = f"{what} has {size} bytes, and a process can be given {MAX_ARGUMENT} at once; move it into a script"
        raise _invalid(message, where)


def check_environment(env: Mapping[str, str], where: Where | None) -> None:
    """Raises INVALID_HANDLER for variables that no process can be given."""
    for name, value in env.items():
        if not name or "=" in name:
            raise _invalid(f"{shown(name)} is no name of an environment variable: it is empty or has a `=`", where)
        check_passable(f"the variable {shown(name)}", f"{name}={value}", where)


def _known(kind: str, dialect: HandlerDialect, in_exec_form: bool) -> set[object]:  # noqa: FBT001 - a private helper
    """The keys that are read for a handler of this kind."""
    keys: set[object] = {"type", "matcher", "onError", *dialect.timeout_keys}
    match kind:
        case "webhook":
            return keys | {"url", "headers"}
        case "oracle":
            return keys | {"baseUrl", "url", "prompt", "model", "keyVariable"}
        case _:
            form = dialect.exec_form
            commands = (*dialect.command_keys, *dialect.windows_command_keys)
            if form and in_exec_form:
                commands = (form.program, form.arguments)
            return keys | {"cwd", "env", *commands} | ({"prompt"} if kind == "proxy" else set())


def _conditions(dialect: HandlerDialect) -> list[str]:
    return [option for option, role in dialect.options.items() if role == "condition"]


def _command(raw: Raw, keys: tuple[str, ...], dialect: HandlerDialect, where: Where | None) -> tuple[str, str]:
    key = next((key for key in keys if raw.get(key)), None)
    command = raw.get(key) if key else None
    if key is None or not isinstance(command, str) or not command.strip():
        others = [option for option in raw if option in _of_one_system(dialect) and option not in keys]
        more = f"; what stands in {', '.join(others)} is for one system only and not run here" if others else ""
        raise _invalid(f"a command handler needs one of {', '.join(keys)} as a string{more}", where)
    check_passable(f"the {key}", command, where)
    return key, command


def _of_one_system(dialect: HandlerDialect) -> set[str]:
    return {
        *dialect.windows_command_keys,
        *(option for option, role in dialect.options.items() if role == "one-system"),
    }


def _arguments(raw: Raw, form: ExecForm, where: Where | None) -> tuple[str, ...]:
    value = raw.get(form.arguments)
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(one, str) for one in value):
        for one in value:
            check_passable(f"one of {form.arguments}", one, where)
        return tuple(value)
    # dropped, they would let an interpreter execute the payload on its stdin
    raise _invalid(f"{form.arguments} must be a list of strings, found {shown(value)}", where)


def _required(raw: Raw, keys: tuple[str, ...], where: Where | None) -> str:
    found = next((text for key in keys if (text := _text(raw, key, where))), None)
    if found is None:
        raise _invalid(f"the handler needs {' or '.join(keys)} as a string", where)
    return found


def _text(raw: Raw, key: str, where: Where | None) -> str | None:
    value = raw.get(key)
    if value is None or isinstance(value, str):
        return value
    raise _invalid(f"{key} must be a string, found {shown(value)}", where)


def _texts(raw: Raw, key: str, where: Where | None) -> dict[str, str]:
    value = raw.get(key)
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        return {str(name): str(text) for name, text in value.items()}
    raise _invalid(f"{key} must map names to strings", where)


def _invalid(message: str, where: Where | None) -> CompatError:
    return CompatError(ErrorCode.INVALID_HANDLER, message, where=where)
