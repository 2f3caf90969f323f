"""The temporary home and project of one session, and what the recorder hook left in them."""

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.oracles.cases import Trial, script
from scripts.oracles.values import filled, mapped

RECORDER = Path(__file__).with_name("recorder.sh")
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

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home, self.project = root / "home", root / "project"
        for folder in (self.home, self.project, root / "log", root / "answers", root / "temp"):
            folder.mkdir()
        shutil.copy(RECORDER, root / "recorder.sh")

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
        (self.root / "current").write_text(trials[0].id, encoding="utf-8")

    def placed(self, content: object) -> object:
        """A file's content with `{recorder} TAG` as the command that it stands for, and the folders filled in."""

        def command(match: re.Match[str]) -> str:
            return " ".join(shlex.quote(str(word)) for word in ("sh", self.root / "recorder.sh", self.root, match[1]))

        folders = {"project": self.project, "home": self.home, "root": self.root}
        return mapped(content, lambda text: _RECORDER.sub(command, str(filled(text, folders))))

    def calls(self) -> list[Call]:
        """What the recorder was called with, oldest first."""
        return sorted(self._calls(), key=lambda call: call.at)

    def _calls(self) -> Iterator[Call]:
        for path in (self.root / "log").iterdir():
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
        """Whether the shell command of a case has had its effect."""
        return (self.project / f"ran.case-{case}").exists()

    def has_rewritten(self, case: str) -> bool:
        """Whether the command that a hook put in its place has had its effect."""
        return (self.project / f"rewritten.case-{case}").exists()


def shell_command(case: str) -> str:
    """What the model runs: it leaves a file behind, and prints a text that the command itself does not hold."""
    return f"touch ran.case-{case} && printf 'OUT%s' .{case}"


def _placed_in(answer: Mapping[str, Any], root: Path) -> Mapping[str, Any]:
    return dict(filled(answer, {"project": root / "project", "home": root / "home"}))  # type: ignore[call-overload,no-any-return] # filled keeps the shape


def base_environment(home: Path, temp: Path) -> dict[str, str]:
    """What every engine starts with: next to nothing of the caller's own."""
    return {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TERM": "dumb", "HOME": str(home), "TMPDIR": str(temp)}
