"""The engines as data: which package, how it is started, and its words for what a case needs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
MODE = "--permission-mode"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolForm:
    """What the model calls for one purpose; texts hold `{command}`, `{project}` and `{id}`."""

    name: str
    arguments: Mapping[str, Any]
    extra: Mapping[str, Any] = field(default_factory=dict)
    told: str = ""  # the name that hooks are told, where that is another
    told_arguments: Mapping[str, Any] = field(default_factory=dict)  # and the arguments

    @property
    def trace(self) -> str:
        """How an argument of it begins that no other tool's has, whatever name a hook is told."""
        texts = [str(text).removeprefix("{project}/") for text in self.told_arguments.values() if "{" in str(text)]
        return "touch ran.case-" if "{command}" in texts else texts[0].partition("{id}")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One vendor's engine, from `engines.yaml`."""

    vendor: str
    package: str
    version: str  # of the package
    engine_version: str  # of what is inside, where that has a number of its own
    integrity: str
    program: str  # below the unpacked package
    arguments: tuple[str, ...]
    permission_mode: str  # by its arguments and files; those of a case may say another one
    resume: tuple[str, ...]  # more of them, to go on with the last session
    environment: Mapping[str, str]
    files: Mapping[str, str]  # besides the hooks, below the temporary folder
    mcp_files: Mapping[str, Any]  # that make the engine start the MCP server of this package
    mcp_arguments: tuple[str, ...]
    hook_file: str
    hook_shape: str  # groups, flat, or callbacks of a plugin
    grammar: str | None  # of the answers of commands
    moments: Mapping[str, str]  # moment of a case -> event
    tools: Mapping[str, ToolForm]
    hook_environment: str | None  # a regex: names of variables that the engine itself sets for a hook
    child_requests: int | None  # of a subagent that nobody holds; none where that was not looked at
    compacting_tokens: int | None  # what the model must claim to have read for a compaction

    def mode(self, arguments: Sequence[str]) -> str:
        """The permission mode with these arguments besides its own."""
        named = [mode for name, mode in pairwise(arguments) if name == MODE]
        return named[-1] if named else self.permission_mode


def engines() -> dict[str, Engine]:
    """All engines by the vendor's name."""
    data: dict[str, dict[str, Any]] = yaml.safe_load((HERE / "engines.yaml").read_text("utf-8"))
    return {vendor: _engine(vendor, entry) for vendor, entry in data.items()}


def _engine(vendor: str, entry: Mapping[str, Any]) -> Engine:
    version = str(entry["version"])
    return Engine(
        vendor=vendor,
        package=entry["package"],
        version=version,
        engine_version=str(entry.get("engine_version", version)),
        integrity=entry["integrity"],
        program=entry["program"],
        arguments=tuple(entry["arguments"]),
        permission_mode=entry.get("permission_mode", "default"),
        resume=tuple(entry.get("resume", ())),
        environment=entry["environment"],
        files=entry.get("files", {}),
        mcp_files=entry.get("mcp_files", {}),
        mcp_arguments=tuple(entry.get("mcp_arguments", ())),
        hook_file=entry["hook_file"],
        hook_shape=entry["hook_shape"],
        grammar=entry.get("grammar"),
        moments=entry.get("moments", {}),
        tools={
            name: ToolForm(**{"told": form["name"], "told_arguments": form["arguments"], **form})
            for name, form in entry["tools"].items()
        },
        hook_environment=entry.get("hook_environment"),
        child_requests=entry.get("child_requests"),
        compacting_tokens=entry.get("compacting_tokens"),
    )
