"""The codes of findings: how bad each is, and what all findings of it have in common.

A code never changes its meaning. Beside these a finding can have the code of an error (`errors.ErrorCode`, in lower
case) or, for a hook that does not run, the code of a loss.
"""

from enum import StrEnum
from typing import NamedTuple


class Severity(StrEnum):
    """error: it will not do what was meant; warning: it may not; note: good to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class FindingKind(NamedTuple):
    """What stands behind one code."""

    severity: Severity
    summary: str


def _error(summary: str) -> FindingKind:
    return FindingKind(Severity.ERROR, summary)


def _warning(summary: str) -> FindingKind:
    return FindingKind(Severity.WARNING, summary)


def _note(summary: str) -> FindingKind:
    return FindingKind(Severity.NOTE, summary)


KINDS: dict[str, FindingKind] = {
    "acts-at-load": _warning("A plugin acts when it is loaded, which it never is here."),
    "background-cannot-refuse": _warning("A hook refuses, and the vendor does not wait for its answer."),
    "background-decides-nothing": _note("A hook that the vendor would not wait for decides nothing."),
    "bridge-drops-setting": _warning("A setting of a hook has no place in the configuration of the official bridge."),
    "bridge-narrows-matcher": _warning("On the official bridge a matcher selects known tools only."),
    "cannot-block": _warning("A hook refuses on an event that nothing can be refused on."),
    "cannot-wake": _warning("A hook in the background cannot wake the agent here."),
    "command-of-one-system": _note("A handler has a command for one system that its vendor does not read."),
    "condition-broken": _warning("A condition of a handler is no permission rule: the hook never runs, or always."),
    "condition-not-evaluated": _warning("A condition of a handler is not evaluated, so the hook runs more often."),
    "condition-without-tool": _warning("A condition about a tool stands on an event that has none."),
    "context-misplaced": _warning("A hook prints text for the model at a level where its vendor does not read it."),
    "cwd-missing": _warning("The folder that a hook is to run in is not there."),
    "decision-misplaced": _warning("A hook prints a decision at a level where its vendor does not read it."),
    "duplicate-key": _warning("A key stands twice in one object, and only the last one counts."),
    "event-name-missing": _warning("A hook prints hookSpecificOutput without hookEventName, which its vendor drops."),
    "exit-1-meant-2": _warning("A script refuses with exit 1, which counts as a broken hook and lets everything pass."),
    "exit-2-only-warns": _warning("A hook refuses with exit 2, which its vendor takes for a warning at this event."),
    "export-breaks-plugin": _warning("A plugin exports something that is no function, so its vendor does not load it."),
    "fails-open": _note("A hook that refuses lets pass what it would refuse when it cannot start or takes too long."),
    "failure-option-ignored": _warning("What a handler says about failures does not count here."),
    "files-not-discovered": _note("The manifest says that the vendors' own files of the project do not count."),
    "folder-not-searched": _error("A folder cannot be searched, so what stands in it is not seen."),
    "front-matter-unmarked": _warning("What should be front matter stands without its lines of dashes, so it is text."),
    "hooks-disabled": _note("A switch turns the hooks of a file off."),
    "hooks-loaded-anyway": _warning("The manifest of a plugin names the hook file that is loaded anyway."),
    "hooks-object-missing": _error("Events stand at the top level of a file, so nothing in it is loaded."),
    "ignore-unused": _note("An entry of the manifest's ignore leaves out nothing."),
    "import-cycle": _note("Two rules files import each other."),
    "import-missing": _warning("A rules file imports a file that is not there."),
    "import-not-carried": _warning(
        "A rules file imports a file that cannot be read, or that its vendor does not read."
    ),
    "import-outside": _warning("A rules file imports a file from outside of the project, which is not carried."),
    "import-too-deep": _warning("An import lies deeper than the vendor follows."),
    "key-misspelt": _warning("A key of settings is nearly one that counts."),
    "line-ends-of-windows": _error("A script has the line ends of Windows, so it breaks."),
    "link-as-text": _warning("A symbolic link was checked out as a text file."),
    "matcher-ignored": _warning("A matcher stands on an event that has nothing to match, so the hook always runs."),
    "matcher-misses-tools": _warning("A matcher leaves out tools that it seems to mean."),
    "matcher-never-fires": _warning("A matcher selects nothing that is known to exist, so the hook never runs."),
    "matcher-not-everywhere": _note("Another host that reads the file too ignores its matchers."),
    "matcher-part-never-fires": _warning("A name in a matcher is no tool of the vendor."),
    "matcher-unanchored": _note("A matcher selects tools that only contain the name that it spells out."),
    "matcher-value-not-sent": _warning(
        "A matcher selects values only that no known host sends, so the hook hardly runs."
    ),
    "may-download": _note("A hook may fetch a package whenever it runs."),
    "needs-bash": _warning("A command or a script is written for bash and started by another shell."),
    "needs-posix-shell": _note("Hooks are written for a POSIX shell, which Windows may not have."),
    "needs-program": _note("Hooks need programs that are not there on every machine."),
    "no-known-callback": _warning("A plugin offers no callback that is known here."),
    "not-in-manifest": _warning("A declaration cannot be written into a manifest."),
    "not-offered": _warning("A plugin offers tools or the like, which nobody has here."),
    "not-strict-json": _warning("A comment or a trailing comma, which a strict reader refuses."),
    "option-ignored": _warning("An option of a handler has no effect here."),
    "option-not-shown": _note("An option of a handler would only change what is shown."),
    "option-unknown": _warning("A handler has an option that the vendor does not know."),
    "output-folder-missing": _note("A hook writes into a folder that is not there."),
    "outside-plugin": _error("The manifest of a plugin names a hook file outside of the plugin."),
    "path-from-git": _note("A path begins with what git says, which is nothing outside of a repository."),
    "path-of-windows": _warning("A command names a path of Windows."),
    "payload-sent-off": _warning("A hook sends something to another machine."),
    "personal-file": _note("Entries of a drafted manifest come from a file that belongs to one person."),
    "place-not-read": _error("A file stands where no host looks for it."),
    "placeholder-unquoted": _warning("A folder stands unquoted in a command, which breaks where its name has a blank."),
    "placeholder-unset": _warning("A command uses a variable or a placeholder that nobody fills in."),
    "plugin-below": _note("A folder of the project is a plugin, which is not checked with it."),
    "plugins-not-read": _note("Settings turn plugins on whose hooks stand elsewhere."),
    "policy-allows": _note("A command policy lets a command run without a question, which nothing does here."),
    "policy-asks": _warning("A command policy asks about a command, which nothing does here."),
    "policy-forbids": _warning("A command policy forbids a command, which nothing refuses here."),
    "policy-invalid": _error("A command policy that its vendor refuses to load."),
    "policy-not-enforced": _warning("Settings restrict what the agent may do, and nobody enforces that here."),
    "policy-not-read": _note("A rule of a command policy is computed, so nobody says here what it is about."),
    "program-not-started": _warning("Settings name a program that nothing starts here."),
    "program-of-windows": _warning("A command starts a program of Windows."),
    "project-below": _note("A folder of the project has hooks of its own, which are not checked with it."),
    "read-by-another": _note("Another vendor reads this file too."),
    "refusal-without-reason": _warning("A hook refuses without a reason, which its vendor takes for a broken hook."),
    "rules-conditional": _note("Rules about some files are there for all of them."),
    "rules-excluded": _note("Settings leave a rules file out."),
    "rules-listed-not-carried": _warning("Settings name rules that are not there, or that are not carried."),
    "rules-name-settings": _note("Rules speak of the settings of the agent."),
    "rules-never-loaded": _warning("Front matter says that rules are neither always there nor about some files."),
    "rules-not-read": _warning("A file that looks like rules stands where its vendor reads none."),
    "rules-off": _note("Front matter switches a rules file off."),
    "rules-on-demand": _note("Rules that the vendor loads on demand are always there."),
    "rules-shadowed": _note("A vendor leaves out a rules file because of another one beside it or above."),
    "rules-too-long": _warning("A rules file is longer than the vendor reads."),
    "runs-every-time": _warning("A hook that should run once runs at every event."),
    "runs-once": _note("The same hook is declared twice and runs once."),
    "runs-twice": _warning("The same hook is declared twice and runs twice."),
    "scope-key-of-another": _warning("Front matter limits rules by a key that the vendor does not read there."),
    "script-missing": _error("A script that a hook starts is not there."),
    "script-not-built": _note("A script that a hook starts is made by an installation or a build."),
    "script-not-executable": _error("A script that a hook starts may not be executed."),
    "script-outside": _note("A script that a hook starts lies outside of the project."),
    "script-relative": _note("A script is named relative to a folder that is not the same everywhere."),
    "settings-variable-unset": _warning("Hooks use a variable of the vendor's settings, which nobody sets here."),
    "shell-not-chosen": _warning("A command runs in another shell than its handler says."),
    "starts-together": _note("Hooks that start the same script in different ways start together at the vendor."),
    "stop-may-repeat": _note("A hook that refuses the end does not look whether it has done so before."),
    "switch-without-effect": _warning("A switch that is to turn something off has no effect."),
    "text-counts-as-failure": _warning("A hook prints plain text, which its vendor takes for a broken answer."),
    "text-not-read": _note("A hook prints plain text that nobody reads."),
    "timeout-in-milliseconds": _warning("A time limit in seconds looks as if milliseconds were meant."),
    "unknown-key": _error("A key that the file's format does not have."),
    "wrong-shape": _error("A value has another shape than its place asks for."),
}
