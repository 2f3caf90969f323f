"""What a real DSH must show (seed 004), assertion by assertion, on one version: what `scripts/verify_live` prints."""

import asyncio
import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.live.audit import audited
from tests.live.bundles import built, context, deny, hook, manifest, read
from tests.live.harness import MODEL, PROVIDER, Ran, Reply, booted, scripted
from tests.live.profile import open_profile

PRESET = Path(__file__).with_name("preset.mjs")
DONE = [{"text": "done"}]
Tell = Callable[[bool, str, object], None]


def call(tool: str, **arguments: object) -> Reply:
    """One reply of the model: one tool call."""
    return [{"tool": tool, "input": arguments}]


def insert(patch: Path, *rows: Mapping[str, object]) -> Path:
    """A patch of further rows."""
    patch.write_text(json.dumps([{"insert": list(rows)}]), encoding="utf-8")
    return patch


async def verify(version: str, folder: Path, tell: Tell) -> None:
    """Boot profiles of a version and tell each assertion with whether it held and what was seen."""
    for show in (preset, tools):
        place = folder / show.__name__
        os.mkdir(place)  # noqa: PTH102 - a moment, in an event loop that waits for nothing
        await show(version, place, tell)


async def preset(version: str, folder: Path, tell: Tell) -> None:
    """Hooks and rules that a JavaScript preset registers, and a second boot that resumes the session."""
    log, told, status, file = (folder / name for name in ("log", "told.json", "status.json", "rules.md"))
    file.write_text("Rule: be kind to RULE-READERS.\n", encoding="utf-8")
    copilot = {"permissionDecision": "deny", "permissionDecisionReason": "copilot says no"}
    registrations = [
        _registered("copilot", "copilot", "preToolUse", hook(log, copilot, on="COPILOT"), matcher="bash"),
        _registered("anchored", "copilot", "preToolUse", hook(folder / "anchored", copilot), matcher="bas"),
        _registered("declared", "claude", "PreToolUse", hook(log, deny("PreToolUse", "claude says no"), on="CLAUDE")),
        _registered("official", "claude", "PreToolUse", hook(folder / "official"), bridge="official"),
        _registered("function", "claude", "Stop", "FUNCTION"),
        _registered("http", "codex", "Stop", {"type": "http", "url": "http://127.0.0.1:1/"}),
        _registered("vendor", "nobody", "Stop", "true"),
        {"as": "rules", "rules": {"vendor": "codex", "source": "rules.md", "baseDir": str(folder)}},
    ]
    row = {
        "id": "preset",
        "name": str(PRESET),
        "config": {"registrations": registrations, "told": str(told), "status": str(status)},
    }
    project = manifest(folder / "project", [])
    patches = [built(project, folder / "bundle", version, "--add-shell"), insert(folder / "preset.yml", row)]
    script = [
        call("bash", command=f"echo COPILOT >'{folder}/written'"),
        call("bash", command=f"echo CLAUDE >'{folder}/written'"),
        call("bash", command=f"echo free >'{folder}/free'"),
        DONE,
    ]
    async with booted(version, folder, patches=patches, script=script) as dsh:
        first = await dsh.run("work")
        said = dsh.requests[0]
    results = json.loads(told.read_text(encoding="utf-8"))
    _results(version, results, tell)
    denied = first.results()
    tell("copilot says no" in denied[0], "a Copilot top-level deny reaches DSH", denied)
    tell(not (folder / "anchored").exists(), "the Copilot matcher is anchored: `bas` does not match `bash`", denied)
    tell("claude says no" in denied[1], "a declared PreToolUse hook blocks the tool", denied)
    tell(not (folder / "written").exists(), "the file is not written", denied)
    payloads = read(log)
    traced = any("CLAUDE" in json.dumps(one) and one.get("tool_name") == "Bash" for one in payloads)
    tell(traced, "its command really ran: trace and stdin", payloads)
    tell((folder / "free").exists(), "a call that no hook refuses stays allowed", denied)
    rules = [one for one in first.of("user/message") if one["source"]["kind"] == "compat-adapter-rules"]
    tell(len(rules) == 1 and "RULE-READERS" in json.dumps(rules), "rules are injected with their source", rules)
    tell("RULE-READERS" in json.dumps(said["messages"]), "the model reads them in its first request", said["messages"])
    tell(not (folder / "official").exists() or version.startswith("0.1"), "UNSUPPORTED never mounts", denied)
    _status(json.loads(status.read_text(encoding="utf-8")), file, tell)
    tell(dsh.stderr == [], "nothing is said on stderr", dsh.stderr)
    await _resumed(version, folder, patches, first, tell)


async def _resumed(version: str, folder: Path, patches: list[Path], first: Ran, tell: Tell) -> None:
    """A second boot of the same home takes the session up."""
    script = [call("bash", command="echo CLAUDE again"), DONE]
    by_plugin = version.startswith("0.1")  # whose SDK has no call for it
    fifo = folder / "resumed"
    if by_plugin:
        os.mkfifo(fifo)
        config = {"session": first.session, "prompt": "again", "fifo": str(fifo), "provider": PROVIDER, "model": MODEL}
        row = {"id": "resume", "name": str(PRESET.with_name("resume.mjs")), "config": config}
        patches = [*patches, insert(folder / "resume.yml", row)]
    async with booted(version, folder, patches=patches, script=script) as dsh:
        if by_plugin:
            events = json.loads(await asyncio.to_thread(fifo.read_text, "utf-8"))
            assert isinstance(events, list), events["error"]
            second = Ran(first.session, "", "", events, [])
        else:
            await dsh.resume(first.session)
            second = await dsh.run("again", first.session)
    told = json.dumps([one["messages"] for one in dsh.requests])
    tell("claude says no" in told and "echo free" in told, "the session file is complete and the session resumes", told)
    rules = [one for one in second.of("user/message") if one["source"]["kind"] == "compat-adapter-rules"]
    tell(len(rules) == 1, "rules are injected on a resumed session too", second.of("user/message"))
    tell(second.results() == ["Error: claude says no"], "hooks decide in a resumed session", second.results())


def _registered(as_: str, vendor: str, event: str, handler: object, **more: object) -> dict[str, Any]:
    return {"as": as_, "hook": {"vendor": vendor, "event": event, "handler": handler, "bridge": "native", **more}}


def _results(version: str, results: Mapping[str, Any], tell: Tell) -> None:
    """What the preset was told of its registrations."""
    rows = results["matrix"]["rows"]
    tell(bool(rows), "ctx.compatAdapter is provided by the bundle", list(results))
    tell(
        all(row["capability"] != "DIRECT" for row in rows), "the matrix covers every vendor, none claiming DIRECT", rows
    )
    copilot = results["copilot"]
    tell(copilot["route"] == "builtin-bridge", "registerHook(copilot) is ADAPTED by the built-in bridge", copilot)
    adapted = results["declared"]
    honest = (
        adapted["capability"] == "ADAPTED" and adapted["seams"] == ["tools/pre-execute"] and adapted["degradations"]
    )
    tell(bool(honest), "registerHook is ADAPTED with its seam and its losses", adapted)
    tell(results["declared frozen"] is True, "results are frozen", results["declared frozen"])
    official = results["official"]
    if version.startswith("0.1"):
        tell(official.get("route") == "official-bridge", "an official bridge is mounted while DSH runs", official)
    else:
        refused = official["capability"] == "UNSUPPORTED" and official["code"] == "no-official-bridge"
        tell(
            refused and "native" in official["remedy"], "without a bridge an event is refused with the remedy", official
        )
    code = results["function"]
    refused = code["capability"] == "UNSUPPORTED" and not code["executable"] and code["reason"]
    tell(bool(refused), "a JavaScript function is UNSUPPORTED with the reason", code)
    tell(results["http"].get("error") == "INVALID_HANDLER", "an http handler is INVALID_HANDLER", results["http"])
    tell(
        results["vendor"].get("error") == "UNKNOWN_VENDOR", "an unknown vendor is the author's error", results["vendor"]
    )
    rules = results["rules"]
    tell(rules["capability"] == "CARRY" and rules["seams"] == ["agent/created"], "registerRules is CARRY", rules)


def _status(status: Mapping[str, Any], file: Path, tell: Tell) -> None:
    (rules,) = status["rules"]
    hashed = hashlib.sha256(file.read_bytes()).hexdigest()
    tell(rules["files"][0]["sha256"] == hashed, "status() reports the carried rules with their hashes", rules)
    tell(status["counts"]["unsupported"] >= 1, "status() keeps what is UNSUPPORTED", status["counts"])


async def tools(version: str, folder: Path, tell: Tell) -> None:
    """Profile `sdk`: its tools, approvals, prompts, contexts, stops, sub-agents and compaction."""
    work = folder / "workspace"
    work.mkdir()
    log = folder / "log"
    project = manifest(folder / "project", _hooks(log))
    prompts = _prompts(work)
    patches = [built(project, folder / "bundle", version), open_profile(folder, work)]
    ran: list[Ran] = []
    script = scripted(prompts, [("CHILD-TASK", [[{"text": "hi from the child"}]])])
    env = {"DSH_COMPAT_FACTS": str(folder / "facts.db")}
    async with booted(version, folder, patches=patches, script=script, profile="sdk", workspace=work, env=env) as dsh:
        for text, _ in prompts:
            ran.append(await dsh.run(text, ran[0].session if ran else None))
        said, requests = dsh.said(), dsh.requests
    _denials(ran[0], work, read(log), tell)
    _approvals(ran[1], work, tell)
    blocked = ran[2]
    tell(blocked.finish == "blocked", "a prompt is blocked, with `blocked` as the finish reason", blocked.finish)
    tell("SECRET-PROMPT" not in said, "a blocked prompt never reaches the model", said)
    tell(any("no secrets" in line for line in dsh.stderr), "the reason of a blocked prompt is told", dsh.stderr)
    (fact, *_) = audited(folder / "facts.db", "--event", "UserPromptSubmit", "--decision", "deny")["facts"]
    evidence = audited(folder / "facts.db", str(fact["id"]))
    tell("no secrets" in str(evidence), "the reason of a blocked prompt is found in the facts", evidence)
    _contexts(said, json.dumps(requests[0]), tell)
    results = ran[3].results()
    tell(any("FEEDBACK" in text for text in results), "post-tool feedback replaces the result", results)
    every = [text for one in ran for text in one.results()]
    beside = "BESIDE" in said and not any("BESIDE" in text for text in every)
    tell(beside, "post-tool feedback of Claude Code stands beside the result", every)
    finals = [one["message"]["content"] for one in ran[4].of("assistant/message")]
    tell(len(finals) == 2, "Stop forces another step of the same turn", finals)
    tell("GO-ON" in said, "the model reads why it has to go on", said)
    loops = len(ran[5].of("assistant/message"))
    tell(loops == 9 and ran[5].finish == "completed", "a hook that always blocks is capped", loops)
    answers = len(ran[6].of("assistant/message"))
    tell(answers == 1 and ran[6].finish == "blocked", "`continue: false` after a tool ends the turn", answers)
    goes_on = ran[7].finish
    tell(goes_on == "completed", "the turn after a stopped one goes on", goes_on)
    names = [one.get("hook_event_name") for one in read(log)]
    tell("PreCompact" in names, "compaction is observed", names)
    tell("SessionEnd" in names, "the end of the session is observed", names)
    tell(names.count("SubagentStop") == 1, "the end of a sub-agent is observed", names)


def _hooks(log: Path) -> list[dict[str, object]]:
    def claude(event: str, answer: object = "", on: str = "", matcher: str | None = None) -> dict[str, object]:
        selects = {"matcher": matcher} if matcher else {}
        return {"vendor": "claude", "event": event, "bridge": "native", "handler": hook(log, answer, on=on), **selects}

    def ask(word: str) -> dict[str, object]:
        answer = {"permissionDecision": "ask", "permissionDecisionReason": f"may it? {word}"}
        return {"vendor": "copilot", "event": "preToolUse", "handler": hook(log, answer, on=f"ASK-{word}")}

    return [
        claude("PreToolUse", deny("PreToolUse", "no such file"), "FORBIDDEN", "Write|Edit"),
        claude("PreToolUse", deny("PreToolUse", "no such command"), "FORBIDDEN", "Bash"),
        *[ask(word) for word in ("ALLOWED", "REJECTED", "NOBODY")],
        claude("UserPromptSubmit", {"decision": "block", "reason": "no secrets"}, "SECRET-PROMPT"),
        claude("UserPromptSubmit", context("UserPromptSubmit", "CTX-PROMPT")),
        claude("SessionStart", context("SessionStart", "CTX-START")),
        claude("SubagentStart", context("SubagentStart", "CTX-CHILD")),
        claude("SubagentStop"),
        claude("PostToolUse", context("PostToolUse", "CTX-TOOL"), "plain.txt", "Read"),
        claude("PostToolUse", {"decision": "block", "reason": "BESIDE"}, "plain.txt", "Read"),
        {
            "vendor": "codex",
            "event": "PostToolUse",
            "bridge": "native",
            "handler": hook(log, {"decision": "block", "reason": "FEEDBACK"}, on="feedback.txt"),
        },
        claude("Stop", {"decision": "block", "reason": "GO-ON"}, "STOP-ME"),
        claude("Stop", {"decision": "block", "reason": "AGAIN"}, "LOOP-ME"),
        claude("PostToolUse", {"continue": False, "stopReason": "HALTED"}, "HALT-ME", "Bash"),
        claude("PreCompact"),
        claude("SessionEnd"),
    ]


def _prompts(work: Path) -> list[tuple[str, list[Reply]]]:
    (work / "plain.txt").write_text("plain\n", encoding="utf-8")
    (work / "feedback.txt").write_text("to be replaced\n", encoding="utf-8")
    return [
        (
            "PROMPT work",
            [
                call("write", file_path=str(work / "FORBIDDEN.txt"), content="x"),
                call("edit", file_path=str(work / "plain.txt"), old_string="plain", new_string="FORBIDDEN"),
                call("bash", command=f"touch '{work}/FORBIDDEN'", description="d"),
                call("bash", command=f"touch '{work}/free'", description="d"),
                DONE,
            ],
        ),
        (
            "PROMPT ask",
            [
                *[call("bash", command=f"touch '{work}/ASK-{word}'", description="d") for word in ASKED],
                DONE,
            ],
        ),
        ("PROMPT of a SECRET-PROMPT", []),
        (
            "PROMPT read",
            [
                call("read", file_path=str(work / "plain.txt")),
                call("read", file_path=str(work / "feedback.txt")),
                call("subagent", description="d", prompt="CHILD-TASK"),
                call("bash", command="sleep 3", description="d"),
                DONE,
            ],
        ),
        ("PROMPT stop", [[{"text": "STOP-ME"}], DONE]),
        ("PROMPT loop COMMANDS-AFTERWARDS", [[{"text": "LOOP-ME"}]] * 9),
        ("PROMPT halt", [call("bash", command="echo HALT-ME", description="d"), DONE]),
        ("PROMPT end", [DONE]),
    ]


ASKED = ("ALLOWED", "REJECTED", "NOBODY")


def _denials(ran: Ran, work: Path, payloads: list[dict[str, Any]], tell: Tell) -> None:
    results = ran.results()
    stopped = results[0] == results[1] == "Error: no such file"
    tell(stopped, "a Claude hook with `Write|Edit` stops DSH's write and edit", results)
    tell(not (work / "FORBIDDEN.txt").exists(), "the file is not written", results)
    tell(results[2] == "Error: no such command", "a Claude hook with `Bash` stops DSH's bash", results)
    tell(not (work / "FORBIDDEN").exists() and (work / "free").exists(), "only what was refused did not run", results)
    named = {
        (one["tool_name"], *sorted(one["tool_input"])) for one in payloads if one.get("hook_event_name") == "PreToolUse"
    }
    claudes = {("Write", "content", "file_path"), ("Edit", "file_path", "new_string", "old_string")} <= named
    tell(claudes and any(one[0] == "Bash" for one in named), "hooks see Claude's names in their payload", named)


def _approvals(ran: Ran, work: Path, tell: Tell) -> None:
    outcomes = [one["outcome"] for one in ran.of("approval/decided")]
    seen = (outcomes, ran.results())
    tell((work / "ASK-ALLOWED").exists(), "an ask that the approver allows runs the tool", seen)
    tell(not (work / "ASK-REJECTED").exists(), "an ask that the approver rejects does not", seen)
    tell(not (work / "ASK-NOBODY").exists(), "an ask that nobody answers does not", seen)
    tell(outcomes == ["allowed-once", "rejected", "unavailable"], "each ask is in the session's log", seen)


def _contexts(said: str, first: str, tell: Tell) -> None:
    tell("CTX-START" in first, "context of a session start is in the first request", first)
    tell("CTX-PROMPT" in first, "context of a prompt is in its request", first)
    tell("CTX-TOOL" in said, "context after a tool reaches the model", said)
    tell("CTX-CHILD" in said, "context for a sub-agent reaches its model", said)
