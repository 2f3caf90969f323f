"""The same trial in the adapter: its files are read, its hooks mounted on the embedded host, and an agent is run there.

The way is this project's own translation (`bridge: native`): what an official bridge does is DSH's affair.
"""

from collections.abc import Sequence
from typing import Any

from dsh_compat_adapter.catalog.load import Catalog
from dsh_compat_adapter.catalog.model import Vendor
from dsh_compat_adapter.declare.scan import scan
from dsh_compat_adapter.hooks.engine import Engine as HookEngine
from dsh_compat_adapter.hooks.local_shell import local_shell
from dsh_compat_adapter.hooks.policy import Policy
from dsh_compat_adapter.hosts.embedded.host import EmbeddedHost
from dsh_compat_adapter.hosts.embedded.model import ModelError, Said, ScriptedModel, use
from dsh_compat_adapter.hosts.embedded.session import ToolUse
from dsh_compat_adapter.hosts.embedded.tool import ToolBody, ToolCall
from dsh_compat_adapter.hosts.embedded.tools import local_tools
from dsh_compat_adapter.loading import load
from dsh_compat_adapter.routes.mounts import Mounts
from dsh_compat_adapter.routes.point import Mounting
from dsh_compat_adapter.seams.decisions import AskTool, Decision
from dsh_compat_adapter.seams.host import HostEvent
from scripts.oracles import seen
from scripts.oracles.cases import Trial
from scripts.oracles.engine import Engine
from scripts.oracles.mcp_server import leave_trace
from scripts.oracles.model import MAIN, PROMPT
from scripts.oracles.place import Place, base_environment, shell_command, temporary_place
from scripts.oracles.values import filled

SURFACE = "embedded-0.1"
ASKING = ("permission", "permission-refused", "notification")  # moments at which the host has to ask somebody
COMPACTING = ("before-compact", "after-compact")


async def adapt(trial: Trial, engine: Engine, catalog: Catalog) -> dict[str, Any]:
    """What the adapter does with a trial, in the form of `session.observe`."""
    with temporary_place("adapted-") as place:
        place.put([trial])
        if trial.moment == "layer":
            found = scan(place.project, catalog, home=place.home).refused
            return {"loads": any(vendor == trial.vendor for vendor, _ in found)}
        model = ScriptedModel(_script(trial, engine, place, catalog.vendor(trial.vendor)), name="mock")
        asking = trial.moment in ASKING
        approver = (_refuses if trial.moment == "permission-refused" else _allows) if asking else None
        compact_above = 1 if trial.moment in COMPACTING else None
        async with EmbeddedHost(
            str(place.project),
            tools=_with_mcp(place, engine) if trial.has_mcp else None,
            model=model,
            approver=approver,
            commands={"review": _review},
            compact_above=compact_above,
            permission_mode=engine.mode(trial.arguments),
            session_log=place.root / "sessions",
            catalog=catalog,
        ) as host:
            if asking:
                host.subscribe("tools/pre-execute", _asks)
            mounts = Mounts(host, _mounting(host, place))
            hooks = load(scan(place.project, catalog, home=place.home), catalog, host.surface, bridge="native").hooks
            mine = [hook for hook in hooks if (hook.vendor.name, hook.spelling) == (trial.vendor, trial.event)]
            await mounts.add(mine, [], lambda: None)
            agent = await host.start("resume" if trial.moment == "resume" else "startup")
            prompt = f"{PROMPT}: case-{trial.id}"
            await agent.prompt(f"/review {prompt}" if trial.moment == "command" else prompt)
            await agent.dispose()
            await mounts.remove()
            compacted = any(event.type == "compaction/summary" for event in agent.session.events)
        return _seen(trial, engine, place, model, compacted=compacted)


async def _allows(_name: str, _arguments: object, _reason: str) -> bool:
    return True


def _with_mcp(place: Place, engine: Engine) -> dict[str, ToolBody]:
    """The host's tools and one more, which has the name that the vendor gives to a tool of an MCP server."""

    async def mark(call: ToolCall) -> str:
        text = str(call.arguments["text"])
        leave_trace(place.project, text)
        return f"said {text}"

    return {**local_tools(place.project, local_shell()), engine.tools["mcp"].told: mark}


async def _review(arguments: str) -> str:
    return f"Review: {arguments}"


async def _refuses(_name: str, _arguments: object, _reason: str) -> bool:
    return False


async def _asks(_event: HostEvent) -> Decision:
    return AskTool(reason="the host's own policy")


def _mounting(host: EmbeddedHost, place: Place) -> Mounting:
    environment = base_environment(place.home, place.root / "temp")
    engine = HookEngine(local_shell(), policy=Policy.VENDOR, environment=environment)
    return Mounting(host=host, engine=engine, report=lambda _: None)


def _script(trial: Trial, engine: Engine, place: Place, vendor: Vendor) -> list[Said | list[Said]]:
    if trial.moment == "model-error":
        return [ModelError("refused by the model")]
    if trial.moment in ("subagent-start", "subagent-stop"):
        return [use("subagent", prompt=f"help with case-{trial.id}", description="help")]
    tools = ("shell",) if trial.moment in COMPACTING else trial.tools
    return [_use(vendor, engine, purpose, trial.id, place) for purpose in tools]


def _use(vendor: Vendor, engine: Engine, purpose: str, case: str, place: Place) -> ToolUse:
    """The host's tool and arguments for what the vendor's model would call."""
    form = engine.tools[purpose]
    words = {"id": case, "command": shell_command(case), "project": place.project, "home": place.home}
    arguments = dict(filled(form.told_arguments, words))  # type: ignore[call-overload] # filled keeps the shape
    tool = next((tool for tool in vendor.tools if form.told in (tool.name, *tool.aliases)), None)
    if tool is None:
        return use(form.told, **arguments)
    return use(tool.host, **{tool.arguments.get(name, name): value for name, value in arguments.items()})


def _seen(trial: Trial, engine: Engine, place: Place, model: ScriptedModel, *, compacted: bool) -> dict[str, Any]:
    calls = place.calls()
    if trial.moment == "match":
        return {"fired": seen.fired(trial, calls, engine)}
    result: dict[str, Any] = {"runs": seen.runs(trial, calls)}
    if trial.reads:
        return {**result, **seen.reading(trial, calls, engine, place.root)}
    turns = [request for request in model.requests if request.purpose == "turn"]
    asked = [request for request in turns if any(MAIN in message.text for message in request.messages)]
    told = trial.setup == "default" and "after-compact" in engine.moments
    return {
        **result,
        "told": seen.told(trial.id, _texts(model)),
        **seen.effect(
            trial,
            requests=len(asked),
            ran=place.has_run(trial.id),
            rewritten=place.has_rewritten(trial.id),
            held=None if engine.child_requests is None else len(turns) - len(asked) > 1,
            compacted=compacted if told else None,
        ),
    }


def _texts(model: ScriptedModel) -> Sequence[str]:
    return [message.text for request in model.requests for message in request.messages]
