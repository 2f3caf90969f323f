"""Compares an installed DSH with its surface file, item by item, by booting it with a probe and a recorder."""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.surface import Surface
from tests.checkout import ROOT
from tests.live.bundles import built, manifest
from tests.live.harness import Ran, booted, scripted
from tests.live.profile import open_profile
from tests.live.rows import session
from tests.live.verify import DONE, call, insert

CATALOG = Catalog.load()
BRIDGE = "bridge:"
# what the Python side adds or looks up inside another value
DERIVED = {
    "session.project_dir",
    "time.iso",
    "time.ms",
    "event.name",
    "tool.alias",
    "tool.name",
    "tool.arguments",
    "file.name",
    "prompt.id",
    "stop.active",
}
INSIDE = ("tool.host_arguments.", "event.data.")
NOT_SEEN = yaml.safe_load(Path(__file__).with_name("not_seen.yaml").read_text(encoding="utf-8"))
Tell = Callable[[bool, str, object], None]


async def compare(version: str, folder: Path, tell: Tell) -> None:
    """Tell for each item of the surface whether the running DSH agrees, and name what it has beyond."""
    surface = CATALOG.surfaces[f"dsh-{version}"]
    seen = await _observed(version, surface, folder)
    excused = NOT_SEEN[version]
    _services(surface, seen["probe"], excused, tell)
    for name, seam in surface.seams.items():
        values = seen["values"].get(name)
        if values is None:
            tell(name in excused, f"seam {name}: not seen, because {excused.get(name, 'it was not sent')}", None)
            continue
        kind = seen["probe"]["kinds"].get(seam.name)
        # an emit takes another way than the kinds that are awaited
        tell((kind or "emit") == seam.kind, f"seam {name}: sent as {seam.name} by {seam.kind}", kind)
        fields = {field for field in seam.fields if field not in DERIVED and not field.startswith(INSIDE)}
        lacking = sorted(fields - values - set(excused.get("fields", {}).get(name, ())))
        tell(not lacking, f"seam {name}: {len(fields)} fields of its payload", lacking)
    _decisions(seen, tell)
    _offered(seen, tell)
    tools = set(seen["tools"])
    tell(set(surface.tools) <= tools | set(excused.get("tools", ())), "tools", sorted(set(surface.tools) - tools))
    listed = set(yaml.safe_load(_file(version).read_text(encoding="utf-8"))["session_events"])
    tell(seen["events"] <= listed | set(excused.get("events", ())), "session events", sorted(seen["events"] - listed))


def _services(surface: Surface, probe: Mapping[str, Any], excused: Mapping[str, Any], tell: Tell) -> None:
    for service in sorted(surface.services):
        if service.startswith(BRIDGE):
            package = service.removeprefix(BRIDGE)
            tell(probe["bridges"][package], f"bridge {package} starts", probe["bridges"])
        else:
            there = service in probe["services"] or service in excused.get("services", ())
            tell(there, f"service {service}", probe["services"])
    packages = {vendor.bridge.package for vendor in CATALOG.vendors.values() if vendor.bridge}
    for package in sorted(packages - {one.removeprefix(BRIDGE) for one in surface.services}):
        tell(not probe["bridges"][package], f"bridge {package} does not start", probe["bridges"])


def _decisions(seen: Mapping[str, Any], tell: Tell) -> None:
    """What each decision does, by the results and the requests of a prompt of its own."""
    results, said = seen["decisions"], seen["said"]
    tell(results[0] == "Error: surface denies", "decision deny: the tool does not run and the model reads why", results)
    tell(results[1] == "asked", "decision ask: the approval service is asked", results)
    tell(results[2] == "surface blocks", "decision block of a result: the feedback stands in its place", results)
    tell(results[3] == "surface replaces", "decision replace of a result", results)
    tell(seen["blocked"] == "blocked", "decision block of a prompt: the turn ends as blocked", seen["blocked"])
    rewritten = "surface rewrites" in said and "SURFACE-REWRITE" not in said
    tell(rewritten, "decision rewrite of a prompt: the model reads the other text", rewritten)
    tell(seen["continued"] == 2, "decision continue: one more step of the same turn", seen["continued"])


def _offered(seen: Mapping[str, Any], tell: Tell) -> None:
    """The services that the connector offers back, but for the shell, which every hook of the live suite uses."""
    said, called = seen["said"], seen["called"]
    tell("injected by a call" in said, "the connector injects what it is told to", called)
    tell("steered by a call" in said, "the connector steers with what it is told to", called)
    tell(called[3].get("value") == "allowed-once", "the connector asks for an approval", called)
    tell("no service nothing" in called[4].get("error", ""), "a service that there is not is an error", called)


async def _observed(version: str, surface: Surface, folder: Path) -> dict[str, Any]:
    """One boot that goes through the session of the rows and one prompt for each decision."""
    work, out, probe = folder / "workspace", folder / "recorded", folder / "probed"
    for directory in (folder, work):
        directory.mkdir()
    prompts = [*session(work), *_deciding()]
    packages = sorted({vendor.bridge.package for vendor in CATALOG.vendors.values() if vendor.bridge})
    config = folder / "hooks.json"
    config.write_text('{"hooks": {}}', encoding="utf-8")
    services = [one for one in surface.services if not one.startswith(BRIDGE)]
    settings = {"services": services, "bridges": packages, "config": str(config), "out": str(probe)}
    patches = [
        _recording(version, surface, folder, out),
        insert(
            folder / "probe.yml",
            {"id": "probe", "name": str(Path(__file__).with_name("probe.mjs")), "config": settings},
        ),
        open_profile(folder, work),
    ]
    script = scripted(prompts, [("CHILD:", [[{"text": "hi from the child"}]])])
    ran: list[Ran] = []
    async with booted(version, folder, patches=patches, script=script, profile="sdk", workspace=work) as dsh:
        for text, _ in prompts:
            ran.append(await dsh.run(text, ran[0].session if ran else None))
    values: dict[str, set[str]] = defaultdict(set)
    entries = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    for entry in (entry for entry in entries if "seam" in entry):
        values[entry["seam"]] |= {path for path, value in entry["values"].items() if value is not None}
    last = dsh.requests[-1]
    named = [tool.get("name") or tool["function"]["name"] for tool in last["tools"]]
    deciding = ran[-5]
    return {
        "probe": json.loads(probe.read_text(encoding="utf-8")),
        "values": values,
        "tools": named,
        "events": {event["type"] for one in ran for event in one.events},
        "decisions": [text.strip().partition("\n")[0] for text in deciding.results()],
        "said": dsh.said(),
        "blocked": ran[-3].finish,
        "called": {entry["result"]["call"]: entry["result"] for entry in entries if "result" in entry},
        "continued": len(ran[-1].of("assistant/message")),
    }


def _deciding() -> list[tuple[str, Any]]:
    calls = ["echo SURFACE-DENY", "echo asked # SURFACE-ASK", "echo SURFACE-BLOCK", "echo SURFACE-REPLACE"]
    return [
        ("PROMPT decisions", [*[call("bash", command=one, description="d") for one in calls], DONE]),
        ("PROMPT calls", [call("bash", command="echo SURFACE-CALLS", description="d"), DONE]),
        ("PROMPT with SURFACE-PROMPT", []),
        ("PROMPT with SURFACE-REWRITE", []),
        ("PROMPT stop", [[{"text": "SURFACE-STOP"}], DONE]),
    ]


def _recording(version: str, surface: Surface, folder: Path, out: Path) -> Path:
    """A bundle whose process is the recorder, subscribed to every seam of the surface."""
    patch = built(manifest(folder / "project", []), folder / "bundle", version)
    seams = [
        {"seam": name, "name": seam.name, "kind": seam.kind, "decision": seam.decision}
        for name, seam in surface.seams.items()
    ]
    (entry,) = yaml.safe_load(patch.read_text(encoding="utf-8"))
    (row,) = entry["insert"]
    row["config"]["command"] = [
        sys.executable,
        str(Path(__file__).with_name("recorder.py")),
        json.dumps(seams),
        str(out),
    ]
    row["config"]["seams"] = seams
    row["name"] = str(patch.with_name("connector.mjs"))
    return insert(folder / "recording.yml", row)


def _file(version: str) -> Path:
    return ROOT / f"adapter/dsh_compat_adapter/hosts/dsh/surface/{version}.yaml"
