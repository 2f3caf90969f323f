"""`dsh-compat`: the parser of all commands, and the one place where errors end.

Exit codes: 0 fine, 1 findings, 2 usage error, 3 our defect, 130 interrupted.
"""

import argparse
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from .formats import FORMATS

AUDIT = "say what hooks ran, what they decided and what failed"
EPILOG = "exit codes: 0 fine, 1 findings, 2 usage error, 3 a defect of this program, 130 interrupted"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code. Results go to stdout, talk to stderr."""
    try:
        try:
            arguments = _parser().parse_args(argv)
            command = import_module(f".{arguments.command.replace('-', '_')}", __package__)
            code: int = command.run(arguments)
        finally:  # a full disk can be said here, and no longer at the end of the interpreter
            if sys.stdout is not None:
                sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the one place where errors end
        from .failure import exit_code  # noqa: PLC0415 - start-up: importing it takes as long as a command

        return exit_code(error)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="dsh-compat",
        description="Hooks and rules of Claude Code, Codex, WorkBuddy, OpenCode and GitHub Copilot: "
        "what happens to them in another host, what is lost, and a way to run them.",
        epilog=EPILOG,
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = _command(commands, "check", "say for every hook and rule of a project what will happen to it", FORMATS)
    roots = check.add_mutually_exclusive_group(required=True)
    roots.add_argument("path", metavar="PATH", nargs="?", help="the project's folder")
    roots.add_argument(
        "--from-file", metavar="FILE", help="check the folders that it names, one a line, and print a line for each"
    )
    check.add_argument("--home", metavar="DIR", help="read the user's files below this folder as well")
    check.add_argument("--machine", metavar="DIR", help="read the managed files of a machine below this folder as well")
    check.add_argument("--verbose", action="store_true", help="list every loss of every hook")
    check.add_argument(
        "--fail-on", choices=("error", "warning", "never"), default="warning", help="which findings make it exit 1"
    )
    check.add_argument("-j", "--jobs", type=_positive, metavar="N", help="worker processes of --from-file (one a core)")
    _run_options(_command(commands, "run", "fire one event at the hooks of a project and print what they decide"))
    build = _command(commands, "build", "make a bundle that runs the hooks and rules of a project in DeepSeek Harness")
    build.add_argument("path", metavar="PATH", help="the project's folder, or one compat.yaml or hook file")
    build.add_argument("-o", "--output", required=True, metavar="DIR", help="the bundle's folder, replaced as a whole")
    build.add_argument(
        "--dsh", metavar="VERSION", help="the version it is for; default: the installed runtime, else the newest known"
    )
    build.add_argument("--vendor", metavar="V", help="whose file PATH is, where the file does not say it")
    build.add_argument("--home", metavar="DIR", help="read the user's files below this folder as well")
    build.add_argument("--bridge", choices=("official", "native"), default="official", help="how bridged events run")
    build.add_argument("--policy", choices=("vendor", "strict"), help="what a hook that fails does")
    build.add_argument("--python", metavar="COMMAND", help="starts a Python that has this package; default: this one")
    build.add_argument("--add-shell", action="store_true", help="add DSH's local shell, for a profile without one")
    connect = _command(commands, "connect", "the Python side of a bundle, which its connector starts inside DSH")
    connect.add_argument("directory", metavar="DIR", help="the bundle's folder")
    init = _command(commands, "init", "draft a compat.yaml from the hooks and rules that a project has")
    init.add_argument("path", metavar="PATH", help="the project's folder")
    init.add_argument("--write", action="store_true", help="write it, where there is none")
    listen = _command(commands, "listen", "serve the hooks of a project over stdin and stdout, one JSON object a line")
    _project_options(listen)
    _facts_options(listen)
    _audit_options(_command(commands, "audit", AUDIT, ("text", "json", "jsonl")))
    validate = _command(commands, "validate", "list what the hook files of a project have wrong")
    _project_options(validate)
    listing = _command(commands, "list", "list the hook files of a project in the order in which they count")
    _project_options(listing)
    dump = _command(commands, "dump", "print the merged configuration: every hook that would run, in order")
    _project_options(dump)
    mock = _command(commands, "mock-llm", "serve an offline model endpoint for oracle hooks and tests")
    mock.add_argument("--port", type=int, default=0, metavar="N", help="0 takes a free one, which is printed")
    mock.add_argument("--script", metavar="FILE", help="replies of the streaming endpoint, as a JSON list")
    _command(commands, "matrix", "print every event of every vendor, with what is lost")
    explain = _command(commands, "explain", "say what happens to one event, and why")
    explain.add_argument("vendor", metavar="VENDOR")
    explain.add_argument("event", metavar="EVENT")
    catalog = _command(commands, "catalog", "say when each row was last checked against its vendor")
    catalog.add_argument(
        "--stale", action="store_true", help="only those older than --days, and exit 1 if there are any"
    )
    catalog.add_argument("--days", type=int, default=90, metavar="N", help="how old a row may be (90)")
    schema = _command(commands, "schema", "print one of the published JSON Schemas")
    schema.add_argument("name", metavar="NAME", nargs="?", help="without a name: list the names")
    return parser


def _command(
    commands: "argparse._SubParsersAction[_Parser]",
    name: str,
    summary: str,
    formats: Iterable[str] = ("text", "json"),
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=summary, description=summary, epilog=EPILOG)
    command.add_argument("--format", choices=tuple(formats), default="text", help="for people, or for machines")
    return command


def _project_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--root", default=".", metavar="DIR", help="the project's folder")
    command.add_argument("--home", metavar="DIR", help="the user's folder, instead of the home of this account")
    command.add_argument("--config", metavar="FILE", help="read this file instead of looking for files")
    command.add_argument("--vendor", metavar="V", help="whose file --config is, where the file does not say it")
    command.add_argument("--bridge", choices=("official", "native"), default="official", help="how bridged events run")
    command.add_argument("--policy", choices=("vendor", "strict"), help="what a hook that fails does")


def _positive(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"a number of processes is 1 or more, found {text!r}")
    return int(text)


def _run_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("path", metavar="PATH", help="the project's folder")
    command.add_argument("--event", required=True, metavar="E", help="a vendor's event name, or a canonical one")
    command.add_argument("--vendor", metavar="V", help="only this vendor's hooks")
    command.add_argument("--tool", metavar="T", help="the tool, by the vendor's name or the host's")
    command.add_argument("--input", metavar="JSON", help="the tool's input; for other events the fields of the payload")
    command.add_argument("--bridge", choices=("official", "native"), default="official", help="how bridged events run")
    command.add_argument("--policy", choices=("vendor", "strict"), help="what a hook that fails does")
    _facts_options(command)


def _facts_options(command: argparse.ArgumentParser) -> None:
    where = command.add_mutually_exclusive_group()
    where.add_argument("--facts", metavar="PATH", help="keep the facts in this store, or file if it ends in .jsonl")
    where.add_argument("--no-facts", action="store_true", help="record nothing")
    command.add_argument(
        "--redact", metavar="NAME", action="append", default=[], help="keep values of this name out of the facts, too"
    )
    command.add_argument("--otel", action="store_true", help="send spans and metrics by OTLP, too (extra `otel`)")
    command.add_argument("--facts-days", type=_amount, default=30, metavar="N", help="keep facts for N days (30)")
    command.add_argument("--facts-mib", type=_amount, default=512, metavar="N", help="keep at most N MiB (512)")


def _audit_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("id", metavar="ID", nargs="?", help="show one run with its evidence")
    command.add_argument("--facts", metavar="PATH", help="read this store, or this .jsonl file")
    command.add_argument("--session", metavar="S", help="only this session")
    command.add_argument("--type", metavar="T", help="only facts of this type, such as hook.failed")
    command.add_argument("--vendor", metavar="V", help="only hooks of this vendor")
    command.add_argument("--event", metavar="E", help="only hooks of this event, by the vendor's name for it")
    command.add_argument("--decision", choices=("none", "allow", "ask", "deny"), help="only runs that decided this")
    command.add_argument("--failed", choices=("open", "closed"), help="only runs that failed this way")
    command.add_argument("--since", metavar="WHEN", help="only what began since: 90s, 15m, 2h, 7d, or a date and time")
    command.add_argument("--limit", type=_whole, metavar="N", help="the newest N runs; 0 is all (text: 100, else 0)")
    command.add_argument("--durations", action="store_true", help="say what each hook cost instead")
    command.add_argument("--follow", action="store_true", help="go on, and show what comes")


def _amount(text: str) -> float:
    """A number above zero."""
    with suppress(ValueError):
        if (number := float(text)) > 0:
            return number
    raise argparse.ArgumentTypeError(f"expected a number above 0, found {text!r:.80}")


def _whole(text: str) -> int:
    with suppress(ValueError):
        if (number := int(text)) >= 0:
            return number
    raise argparse.ArgumentTypeError(f"expected a whole number that is 0 or more, found {text!r:.80}")


class _Parser(argparse.ArgumentParser):
    """Says when a help cannot be written, where the standard one is silent."""

    def print_help(self, file: Any = None) -> None:  # noqa: ANN401 - a name only for type checkers
        """Print it."""
        print(self.format_help(), end="", file=file)


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: object) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - start-up

        try:
            print(f"dsh-compat {version('dsh-compat-adapter')}")
        except PackageNotFoundError:
            print("dsh-compat, run from a checkout that is not installed")
        parser.exit()
