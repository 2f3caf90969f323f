"""Every row of the catalog with a recording hook, and a session that brings about what a headless DSH can produce."""

import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.model import Plan, Row, Vendor
from dsh_compat_adapter.catalog.surface import Surface
from dsh_compat_adapter.events import Route
from tests.live.bundles import built, manifest
from tests.live.harness import booted, scripted
from tests.live.profile import open_profile

CATALOG = Catalog.load()
RECORD = 'printf "%s\\n" "$(cat)" >>"$1"'  # one write, since hooks of two agents record side by side
LONG = "word " * 6000
NOT_FIRED = yaml.safe_load(Path(__file__).with_name("not_fired.yaml").read_text(encoding="utf-8"))


class Fired(NamedTuple):
    """One row as it can run in a version of DSH."""

    vendor: Vendor
    row: Row
    plan: Plan

    @property
    def name(self) -> str:
        return f"{self.vendor.name} {self.row.event}"

    def selection(self) -> dict[str, str]:
        """A matcher for one tool where a row is about all of them, since every run of a hook takes its time."""
        if (
            self.row.subject != "tool.name"
            or "tool.host_name" in self.plan.when
            or "approval/request" in self.plan.seams
        ):
            return {}
        tool = "read" if self.plan.when.get("result.is_error") == (True,) else "write"
        tool = "bash" if self.plan.when.get("result.denied") == (True,) else tool
        names = [one.name for one in self.vendor.tools if one.host == tool]
        return {"matcher": names[0]} if names else {}

    def fields(self, surface: Surface) -> set[str]:
        """The members of the payload, by their first name, whose value the seam of this version has."""
        seam = surface.seams[self.plan.seams[0]]
        known = {*seam.fields, "event.name", "time.iso", "time.ms"}
        common = self.vendor.dialect.common["default"]
        named = {**{key: field for key, field in common.items() if key not in self.row.omit}, **self.plan.payload}
        return {key.partition(".")[0] for key, field in named.items() if field.path is None or field.path in known}


def rows(surface: Surface) -> list[Fired]:
    """The rows that have a way through this project's own translation in a version."""
    return [
        Fired(vendor, row, plan)
        for vendor in CATALOG.vendors.values()
        for row in vendor.rows.values()
        if (plan := row.native_plan or row.plan) is not None
        and plan.route is not Route.OFFICIAL_BRIDGE
        and all(seam in surface.seams for seam in plan.seams)
    ]


def bridged(surface: Surface) -> list[Fired]:
    """The rows that an official bridge of a version runs."""
    return [
        Fired(vendor, row, row.plan)
        for vendor in CATALOG.vendors.values()
        for row in vendor.rows.values()
        if row.plan is not None
        and row.plan.route is Route.OFFICIAL_BRIDGE
        and vendor.bridge is not None
        and f"bridge:{vendor.bridge.package}" in surface.services
    ]


def recording(folder: Path, fired: Sequence[Fired]) -> tuple[Path, Path]:
    """A project with one recording hook a row, and the folder of what they record."""
    logs = folder / "logs"
    logs.mkdir()
    hooks = [
        {
            "vendor": one.vendor.name,
            "event": one.row.event,
            "handler": shlex.join(["sh", "-c", RECORD, "sh", str(logs / one.name)]),
            "timeout": 60,  # some vendors give a hook a second only, which a busy machine needs for nothing
            "bridge": "official" if one.plan.route is Route.OFFICIAL_BRIDGE else "native",
            **one.selection(),
        }
        for one in fired
    ]
    project = manifest(folder / "project", hooks, [{"vendor": "codex", "source": "rules.md"}])
    (project / "rules.md").write_text("Be kind.\n", encoding="utf-8")
    return project, logs


def call(tool: str, **arguments: object) -> list[dict[str, Any]]:
    """One reply of the model: one tool call."""
    return [{"tool": tool, "input": arguments}]


def session(workspace: Path) -> list[tuple[str, list[list[dict[str, Any]]]]]:
    """The prompts of the session, each with the replies of the model."""
    done = [{"text": "done"}]
    todos = [{"content": "one", "status": "pending"}]
    completed = [{**todos[0], "status": "completed"}]
    question = {"id": "q", "question": "Really?", "header": "h", "options": [{"label": "yes"}, {"label": "no"}]}
    return [
        ("PROMPT hello", [done]),
        ("/PROMPT-review", [done]),
        (
            "PROMPT work",
            [
                call("write", file_path=str(workspace / "a.txt"), content="one\n"),
                call("read", file_path=str(workspace / "a.txt")),
                call("edit", file_path=str(workspace / "a.txt"), old_string="one", new_string="two"),
                call("read", file_path=str(workspace / "missing.txt")),
                call("bash", command="git worktree add ../elsewhere || true", description="d"),
                call("bash", command="git worktree remove ../elsewhere || true", description="d"),
                call("todo_write", todos=todos),
                call("todo_write", todos=completed),
                call("bash", command="echo DENIED-BY-ANOTHER", description="d"),
                call("bash", command="echo ASKED-BY-ANOTHER", description="d"),
                call("ask_user_question", questions=[question]),
                call("subagent", description="d", prompt="CHILD: say hi", task="CHILD: say hi"),
                call("bash", command="sleep 4", description="d"),
                call("bash", command="sleep 1 # MOVED", description="d"),
                done,
            ],
        ),
        ("PROMPT fail", [[{"error": 400}]]),
        ("PROMPT cancel", [call("bash", command="sleep 20 # CANCELLED-SOON", description="d"), done]),
        (f"PROMPT COMMANDS-AFTERWARDS {LONG}", [[{"text": LONG}]]),
        (f"PROMPT more {LONG}", [[{"text": LONG}]]),
        (f"PROMPT last {LONG}", [done]),
    ]


async def fire(version: str, folder: Path, fired: Sequence[Fired]) -> dict[str, list[dict[str, Any]]]:
    """Run the session, and give what each hook has recorded, by the name of its row."""
    workspace = folder / "workspace"
    workspace.mkdir(parents=True)
    project, logs = recording(folder, fired)
    bundle = built(project, folder / "bundle", version)
    prompts = session(workspace)
    headroom = {} if version.startswith("0.1") else {"headroomTokens": 1000}  # no setting of the older version
    compaction = {"thresholdRatio": 0.008, "retainTokens": 300, **headroom}
    small = folder / "small.yml"
    small.write_text(json.dumps([{"id": "compaction-basic", "config": compaction}]), encoding="utf-8")
    patches = [bundle, open_profile(folder, workspace), small]
    script = scripted(prompts, [("CHILD:", [[{"text": "hi from the child"}]])])
    async with booted(
        version, folder, patches=patches, script=script, profile="sdk", workspace=workspace, max_tokens=1000
    ) as dsh:
        name = None
        for text, _ in prompts:
            name = (await dsh.run(text, name)).session
    texts = {one.name: (logs / one.name).read_text("utf-8") for one in fired if (logs / one.name).exists()}
    return {name: [json.loads(line) for line in text.split("\n") if line] for name, text in texts.items()}
