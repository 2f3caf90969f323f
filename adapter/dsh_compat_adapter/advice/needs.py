"""Programs that hooks need and that are not there on every machine, and those that fetch what they start.

Whether one is there depends on the machine, which a check does not look at: so one note a file names them all.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from ..declare.findings import Finding, make_finding
from .case import Case
from .command import SHELLS, Program, programs
from .files import at_lines, by_file
from .script import Script
from .scripts import WINDOWS
from .shell_text import read_shell_text
from .standard_programs import STANDARD

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9.+_-]*")
_SHEBANG = re.compile(r"#!\s*(?P<program>\S+)(?:[ \t]+(?:-S[ \t]+)?(?P<argument>[^\s-]\S*))?")
_FETCHES = re.compile(
    r"(?:npx|bunx|uvx|pipx run|pnpm dlx|yarn dlx"
    r"|(?:npm|pnpm|yarn|bun|pip|pip3|uv pip|brew|gem|cargo|go|apt-get|apt) (?:install|add|i|ci))\b"
)
_SOURCES = frozenset({".", "source"})
SHOWN = 12  # programs in one message


def advise(cases: Sequence[Case]) -> Iterator[Finding]:
    """One finding a file about the programs that its hooks need, and one about those that fetch something."""
    for alike in by_file(cases):
        needed: dict[str, list[Case]] = defaultdict(list)
        for case in alike:
            for name in dict.fromkeys(_needed(case)):
                needed[name].append(case)
        if needed:
            names = ", ".join(f"{name} ({at_lines(users).strip()})" for name, users in list(needed.items())[:SHOWN])
            more = ", …" if len(needed) > SHOWN else ""
            first = next(iter(needed.values()))[0]
            yield make_finding(
                "needs-program",
                first.where,
                f"hooks of this file need {names}{more}; where one of these is not on the PATH, its hook fails at "
                "every event",
                "install them wherever the project is used, or have the hook look for them and say what is missing",
            )
        if fetching := [case for case in alike if any(map(_fetches, case.programs))]:
            yield make_finding(
                "may-download",
                fetching[0].where,
                f"hooks of this file{at_lines(fetching)} may fetch a package whenever they run, which takes time and "
                "the network; a question that the program asks reads the payload as its answer",
                "install the package beforehand, and start the installed program",
            )


def _needed(case: Case) -> Iterator[str]:
    """The programs that a hook starts by name, in its command and in the scripts that can be read."""
    asked = {name for program in case.programs for name in program.asks}
    texts = [(script, script.text) for script in case.scripts if script.text is not None]
    for program in case.programs:
        if _is_special(program.argv[0]) and program.argv[0] not in asked:
            yield program.argv[0]
    for script, text in texts:
        yield from _of_script(script, text)


def _of_script(script: Script, text: str) -> Iterator[str]:
    first = _SHEBANG.match(text)
    interpreter = (first["argument"] if first["program"].endswith("/env") else first["program"]) if first else None
    name = (interpreter or "").split("/")[-1]
    if not script.interpreted and _is_special(name):
        yield name
    if name not in SHELLS and script.path.suffix not in {".sh", ".bash"}:
        return
    read = read_shell_text(text, {})
    started = list(programs(text, {}))
    asked = {asked for program in started for asked in program.asks}
    # functions of another file have names too, and nobody knows which
    if read.whole and not any(program.argv[0] in _SOURCES for program in started):
        for program in started:
            if _is_special(program.argv[0]) and program.argv[0] not in asked:
                yield program.argv[0]


def _is_special(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name.removesuffix(".exe") not in STANDARD | WINDOWS


def _fetches(program: Program) -> bool:
    return _FETCHES.match(" ".join(program.argv[:3])) is not None
