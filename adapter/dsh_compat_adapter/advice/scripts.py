"""The scripts that a command starts: whether they are there, can be executed, and refuse as the vendor means it."""

import re
from collections.abc import Iterator

from ..declare.discover import stands
from ..declare.findings import Finding, make_finding
from ..declare.text_file import text_place
from ..events import Effect
from .case import Case
from .command import SHELLS
from .refusals import EXIT_2
from .script import Script

# folders that no repository keeps
MADE = frozenset({"node_modules", "venv", ".venv", "dist", "build", "out", "target"})
WINDOWS = frozenset({"powershell", "cmd"})
_DRIVE = re.compile(
    r"(?<![\w/])[A-Za-z]:\\[^\s\"']*|%[A-Za-z_]\w*%[^\s\"']*|(?<![\w\\])[.\w-]+(?:\\[\w.-]+)+\.(?:ps1|bat|cmd|exe|py)\b"
)
_EXIT_1 = re.compile(
    r"\bexit[ \t]+1\b|\b(?:sys\.|process\.|os\.)?(?:exit|_exit|SystemExit)\(\s*1\s*\)|\bexitCode\s*=\s*1\b"
)
_REFUSES = re.compile(rf"{EXIT_2.pattern}|permissionDecision|[\"']decision[\"']")
_MEANT = re.compile(r"\b(?:block|deny|denied|forbid|not allowed|violat|refus|reject|prevent|must not)", re.IGNORECASE)


def advise(case: Case) -> Iterator[Finding]:
    """Findings about each script of a hook."""
    for program in case.programs:
        if program.name in WINDOWS:
            yield case.says(
                "program-of-windows",
                f"{program.name!r} is a program of Windows, so elsewhere the hook fails at every event",
                "write the command for a POSIX shell, beside the one for Windows where the vendor has a key for it",
            )
    yield from _of_windows(case)
    yield from _exit_codes(case, case.command or "", None)
    for script in case.scripts:
        yield from _script(case, script)
        yield from _exit_codes(case, script.text or "", script)


def _of_windows(case: Case) -> Iterator[Finding]:
    """A path with a drive or backslashes, or a variable as `cmd` writes it, which a POSIX shell takes apart."""
    if (
        any(script.place == "windows" for script in case.scripts)
        or (found := _DRIVE.search(case.command or "")) is None
    ):
        return
    yield case.says(
        "path-of-windows",
        f"{found[0]!r:.80} is written for Windows: elsewhere a shell takes the backslashes out and fills in no such "
        "variable, so the hook fails at every event",
        "name the script relative to the project, by the variable of the project folder",
    )


def _script(case: Case, script: Script) -> Iterator[Finding]:
    name = f"{script.name!r:.120}"
    if script.missing is not None and _DRIVE.search(script.name):
        return  # said already
    if script.place == "windows":
        yield case.says(
            "path-of-windows",
            f"{name} is a path of Windows, so elsewhere the hook fails at every event",
            "name the script relative to the project, by the variable of the project folder",
        )
    elif script.name.startswith("~") and re.search(rf"[\"']{re.escape(script.name)}", case.command or ""):
        yield case.says(
            "script-missing",
            f"in quotes the ~ of {name} is no home folder but a name like any other, so the script is not found and "
            "the hook fails at every event",
            'write "$HOME/…", or keep the script in the project',
        )
    elif script.place == "outside":
        yield case.says(
            "script-outside",
            f"{name} lies outside of the project, so it is not there for everybody who has the project",
            "keep the script in the project",
        )
    elif script.missing is not None and _is_looked_for(case, script):
        pass  # the command itself says what happens without it
    elif script.missing is not None and (made := _made(script)):
        yield case.says(
            "script-not-built",
            f"{name} is not there: {made} is made by an installation or a build, and until then the hook fails "
            "at every event",
            "install or build before the agent starts, or have the hook look whether it is there",
        )
    elif script.missing is not None:
        yield case.says(
            "script-missing",
            f"the script {name} cannot be started ({script.missing}), so the hook fails at every event",
            "correct the path, or add the script",
        )
    elif script.text is not None and (broken := _of_windows_lines(script, script.text)):
        yield case.says(
            "line-ends-of-windows",
            f"{name} has the line ends of Windows (CR LF), so {broken}, and the hook breaks at every event",
            "save it with LF alone, and keep it so in git: `*.sh text eol=lf` in .gitattributes",
        )
    elif not script.interpreted and not script.executable:
        yield case.says(
            "script-not-executable",
            f"nobody may execute {name}, so the hook fails at every event",
            f"chmod +x {script.name}, or name its interpreter in the command",
        )


def _of_windows_lines(script: Script, text: str) -> str | None:
    """What the line ends of Windows break, where they do: programs but a shell take them as they are."""
    first = text.partition("\n")[0]
    if not script.interpreted and first.startswith("#!"):
        broken = f"the system looks for the program {first[2:].strip()[:60]!r} with a CR at its end"
        return broken if first.endswith("\r") else None
    shell = script.started_by if script.interpreted else "sh"
    return f"{shell} takes the CR for a part of what it reads" if shell in SHELLS and "\r\n" in text else None


def _made(script: Script) -> str | None:
    """The folder that an installation or a build makes and that the script is to lie in, where that is not there."""
    outer = (folder for folder in script.path.parents if folder.name in MADE)
    return next((folder.name for folder in outer if not stands(folder)), None)


def _is_looked_for(case: Case, script: Script) -> bool:
    """Whether the command tests for the script before it starts it."""
    return re.search(rf"-[efrsx]\s+\S*{re.escape(script.path.name)}", case.command or "") is not None


def _exit_codes(case: Case, text: str, script: Script | None) -> Iterator[Finding]:
    """A refusal by exit 1, which the vendor takes for a broken hook and lets pass."""
    row = case.hook.row
    if Effect.DENY not in row.offers or row.on_failure.exit == "deny":
        return
    found = _EXIT_1.search(text)
    if found is None or _REFUSES.search(text) or not _MEANT.search(text):
        return
    message = (
        f"{found[0]!r} does not refuse anything on {row.event}: it counts as a broken hook, and the action goes on"
    )
    where = text_place(str(script.path), text, found.start()) if script else case.where
    yield make_finding("exit-1-meant-2", where, message, "exit with 2 to refuse, with the reason on stderr")
