"""The temporary home and project of one session, and what the recorder hook left in them."""

import json
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.oracles.cases import Trial, script
from scripts.oracles.hook_server import HookServer
from scripts.oracles.values import filled, mapped

PROGRAMS = tuple(Path(__file__).with_name(name) for name in ("recorder.sh", "recorder.js", "mcp_server.py"))
_RECORDER = re.compile(r"\{recorder\} ([^\s\"']+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One run of the recorder."""

    tag: str
    case: str
    stdin: bytes
    environment: Mapping[str, str]
    at: int  # when it began; orders the calls


class Place:
    """One session's folder: home/, project/, and the recorder's own."""

    def __init__(self, root: Path, hooks: str) -> None:
        """`hooks` is the address of a `HookServer`."""
        self.root, self.hooks = root, hooks
        self.home, self.project = root / "home", root / "project"
        for folder in (self.home, self.project, root / "log", root / "answers", root / "temp"):
            folder.mkdir()
        for program in PROGRAMS:
            shutil.copy(program, root / program.name)

    def put(self, trials: Sequence[Trial]) -> None:
        """Lay out the files and answers of these trials, which have one setup."""
        for name, content in trials[0].files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            placed = self.placed(content)
            path.write_text(placed if isinstance(placed, str) else json.dumps(placed, indent=1), encoding="utf-8")
        for trial in trials:
            for tag, answer in trial.answers.items():
                once = str(self.root / "answers" / f"{trial.id}.{tag}.once")
                path = self.root / "answers" / f"{trial.id}.{tag}"
                path.write_text(script(_placed_in(answer, self.root), once), encoding="utf-8")
                if "callback" in answer:
                    path.with_name(f"{path.name}.json").write_text(json.dumps(answer["callback"]), encoding="utf-8")
        (self.root / "current").write_text(trials[0].id, encoding="utf-8")

    def placed(self, content: object) -> object:
        """A file's content with `{recorder} TAG` as the command that it stands for, and the folders filled in."""

        def command(match: re.Match[str]) -> str:
            return " ".join(shlex.quote(str(word)) for word in ("sh", self.root / "recorder.sh", self.root, match[1]))

        words = {"project": self.project, "home": self.home, "root": self.root, "hooks": self.hooks}
        return mapped(content, lambda text: _RECORDER.sub(command, str(filled(text, words))))

    def forget(self) -> None:
        """Drop what the recorder has kept so far."""
        for path in (self.root / "log").iterdir():
            path.unlink()

    def calls(self) -> list[Call]:
        """What the recorder was called with, oldest first."""
        return sorted(self._calls(), key=lambda call: call.at)

    def _calls(self) -> Iterator[Call]:
        for path in sorted((self.root / "log").iterdir()):  # files of one moment stay in the order of their names
            if path.suffix == ".env" or not (env := path.with_name(f"{path.name}.env")).exists():
                continue
            lines = [line.partition("=") for line in env.read_text("utf-8", "replace").splitlines()]
            variables = {name: value for name, equals, value in lines if equals}
            yield Call(
                tag=path.name.rpartition(".")[0],
                case=variables.pop("CASE", ""),
                stdin=path.read_bytes(),
                environment=variables,
                at=env.stat().st_mtime_ns,
            )

    def has_run(self, case: str) -> bool:
        """Whether the tool of a case has had its effect."""
        return any((self.project / f"{effect}.case-{case}").exists() for effect in ("ran", "written"))

    def has_rewritten(self, case: str) -> bool:
        """Whether the command that a hook put in its place has had its effect."""
        return (self.project / f"rewritten.case-{case}").exists()


@contextmanager
def temporary_place(prefix: str) -> Iterator[Place]:
    """An empty place with a server for its HTTP hooks; nothing of either is left at the end."""
    with tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as folder:
        root = Path(folder).resolve()
        with HookServer(root) as server:
            yield Place(root, server.address)


def shell_command(case: str) -> str:
    """What the model runs: it leaves a file behind, and prints a text that the command itself does not hold."""
    return f"touch ran.case-{case} && printf 'OUT%s' .{case}"


def _placed_in(answer: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
    return dict(filled(answer, {"project": root / "project", "home": root / "home"}))  # type: ignore[call-overload,no-any-return] # filled keeps the shape


def base_environment(home: Path, temp: Path) -> dict[str, str]:
    """What every engine starts with: next to nothing of the caller's own."""
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "dumb", "HOME": str(home), "TMPDIR": str(temp)}
