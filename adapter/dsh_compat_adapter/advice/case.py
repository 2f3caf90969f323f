"""What the advice about one hook looks at: the declaration, the hook that it came to, and the project it belongs to."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..catalog.model import Vendor
from ..declare.declaration import HookDeclaration
from ..declare.findings import Finding, make_finding
from ..errors import Where
from ..hooks.hook import Hook, RunCommand
from .command import Program, programs
from .script import Script, find_scripts

PROJECT_DIR = "session.project_dir"


@dataclass(frozen=True)
class Case:
    """One hook of one project."""

    declaration: HookDeclaration
    hook: Hook
    root: Path
    where: Where

    @property
    def vendor(self) -> Vendor:
        """Whose hook it is."""
        return self.hook.vendor

    @cached_property
    def paths(self) -> Mapping[str, str]:
        """The variables of a command that hold a folder, and which."""
        dialect = self.vendor.dialect
        known = {name: str(self.root) for name, source in dialect.environment.items() if source == PROJECT_DIR}
        root = self.declaration.plugin_root
        return known | (dict.fromkeys(dialect.plugin_root, root) if root else {})

    @property
    def command(self) -> str | None:
        """The text that a shell reads; none for a program that is started without one, and for other kinds."""
        action = self.hook.action
        return action.argv[2] if isinstance(action, RunCommand) and action.argv[1:2] == ("-c",) else None

    @property
    def declared(self) -> str:
        """The command as its author wrote it; other handlers as they are."""
        raw = self.declaration.handler
        keys = self.vendor.dialect.handlers.command_keys
        texts = [raw[key] for key in keys if raw.get(key)] if isinstance(raw, Mapping) else [raw]
        return str(texts[0]) if texts else repr(self.hook.action)

    @cached_property
    def programs(self) -> tuple[Program, ...]:
        """What the hook starts, as far as it can be read without running it."""
        action = self.hook.action
        if not isinstance(action, RunCommand):
            return ()
        if self.command is None:
            return (Program(action.argv),)
        return tuple(programs(self.command, self.paths, str(self.root)))

    @cached_property
    def scripts(self) -> tuple[Script, ...]:
        """The files of the project that the hook executes."""
        folders = [Path(folder) for folder in (self.root, self.declaration.plugin_root) if folder]
        action = self.hook.action
        start = Path(action.cwd).absolute() if isinstance(action, RunCommand) else self.root
        return tuple(find_scripts(self.programs, start, folders))

    @property
    def texts(self) -> tuple[str, ...]:
        """What stands in those files, where they can be read."""
        return tuple(script.text for script in self.scripts if script.text is not None)

    def says(self, code: str, message: str, remedy: str | None = None) -> Finding:
        """A finding at the place of the hook."""
        return make_finding(code, self.where, f"{self.vendor.name} {self.hook.spelling}: {message}", remedy)
