"""From a handler as its author wrote it to what the engine runs, with the placeholders of its vendor filled.

A placeholder that nobody fills is said here, since the hook then runs on an empty path.
"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from .catalog.model import Bridge, Dialect, Vendor
from .declare.declaration import HookDeclaration
from .declare.handler import Handler
from .hooks.hook import Action, AskOracle, PostWebhook, RunCommand
from .hooks.placeholders import in_argument, in_command, inert, unset

PROMPT_VARIABLE = "DSH_COMPAT_PROMPT"  # in the environment of a proxy's runner


def action(declaration: HookDeclaration, handler: Handler, vendor: Vendor, bridge: Bridge | None, root: str) -> Action:
    """What runs, in the project at `root`; with `bridge`, as the configuration of that official bridge can say it."""
    plugin = _plugin_variables(declaration, vendor)
    filled = _filled(handler, vendor.dialect, root, declaration.plugin_root)
    if bridge is None:
        return _action(filled, {**plugin, **declaration.env}, root)
    # its configuration has no place for these, so no door may pretend; the result warns about each
    exports = "".join(f"export {name}={shlex.quote(value)}; " for name, value in plugin.items())
    return _action(replace(filled, command=exports + filled.command, env={}, cwd=None), {}, root)


def unfilled(declaration: HookDeclaration, handler: Handler, vendor: Vendor, bridge: Bridge | None) -> Iterator[str]:
    """Why a variable or a placeholder of a command is empty, or stays as it is written."""
    dialect = bridge.dialect if bridge else vendor.dialect
    if handler.kind != "shell" or dialect.expected_variables is None:
        return
    plugin = _plugin_variables(declaration, vendor)
    known = {*dialect.environment, *plugin, *({} if bridge else {**handler.env, **declaration.env})}
    filled = _filled(handler, vendor.dialect, "/", declaration.plugin_root)
    if filled.arguments is None:
        for name in inert(filled.command, known):
            yield f"${{{name}}} stands in single quotes, where nobody fills it in; write double quotes"
        for name in unset(filled.command, dialect.expected_variables, known):
            yield f"nothing sets {name} for this hook, so it is empty unless the agent's own environment has it"
    else:
        for name in unset("\n".join((filled.command, *filled.arguments)), dialect.expected_variables, ()):
            yield f"nothing replaces {name} in an argument here, so the program is told the name as it stands"


def _plugin_variables(declaration: HookDeclaration, vendor: Vendor) -> dict[str, str]:
    return dict.fromkeys(vendor.dialect.plugin_root, declaration.plugin_root) if declaration.plugin_root else {}


def _filled(handler: Handler, dialect: Dialect, root: str, plugin_root: str | None) -> Handler:
    """The handler with the placeholders whose text the vendor replaces."""
    known = {"project_dir": root, "plugin_root": plugin_root}
    values = {text: value for text, source in dialect.placeholders.items() if (value := known[source]) is not None}
    if handler.arguments is None:
        command = in_command(handler.command, values) if "command" in dialect.replaces else handler.command
        return replace(handler, command=command)
    if "arguments" not in dialect.replaces:
        return handler
    program, *arguments = (in_argument(part, values) for part in (handler.command, *handler.arguments))
    return replace(handler, command=program, arguments=tuple(arguments))


def _action(handler: Handler, env: Mapping[str, str], root: str) -> Action:
    match handler.kind:
        case "webhook":
            return PostWebhook(url=handler.url, headers=handler.headers)
        case "oracle":
            return AskOracle(
                prompt=handler.prompt, base_url=handler.url, model=handler.model, key_variable=handler.key_variable
            )
        case _:
            runner = {PROMPT_VARIABLE: handler.prompt} if handler.prompt else {}
            cwd = str(Path(root, handler.cwd)) if handler.cwd else root
            shell = (handler.shell, "-c", handler.command)
            argv = shell if handler.arguments is None else (handler.command, *handler.arguments)
            return RunCommand(argv=argv, cwd=cwd, env={**runner, **handler.env, **env})
